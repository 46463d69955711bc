//! Breadth first: nothing goes wrong, then one thing, then two.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::attempt::{Attempt, Law, Patience, attempt};
use super::exploration::{Counterexample, Exploration, Progress};
use super::places::{Places, long_pause};
use super::shrink::shrink;
use crate::judge::order::Order;
use crate::lab::{Intervention, LabError, Span, Wire};
use crate::lesson::Claim;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// So many schedules at most.
    pub schedules: usize,
    /// With so many seeds nothing goes wrong but what the take says; single faults are tried with the first.
    pub seeds: u64,
}

impl Default for Budget {
    /// A few seconds for a lesson with five workers.
    fn default() -> Self {
        Self { schedules: 2_000, seeds: 20 }
    }
}

/// A run of this many events, or so many times as many as the first, goes on for ever.
const ENDLESS: (usize, usize) = (20_000, 30);

/// The busiest lesson writes some thirty thousand events; a first run with three times as many goes on for ever.
const LONGEST: usize = 100_000;

/// The order with what a schedule does to it, waiting to be run.
struct Candidate {
    order: Order,
    depth: usize,
}

/// Makes lines to one server, on which one run is made at a time.
pub type Lines<'a> = Box<dyn FnMut() -> Result<Box<dyn Wire>, LabError> + Send + 'a>;

/// Each server is given so many runs before the others are waited for.
const ROUND: usize = 4;

/// Tries a take, or the learner's program in its place, against the lesson's laws, on all servers at once: what is found
/// does not depend on how many there are. `tell` hears of the progress, and `stop` ends it.
///
/// # Errors
/// When the program does not start, a server is lost, or `stop` was set.
///
/// # Panics
/// Never: `servers` has one at least, and a run does not panic.
pub fn explore(
    order: &Order,
    budget: Budget,
    servers: &mut [Lines<'_>],
    stop: &AtomicBool,
    mut tell: impl FnMut(Progress),
) -> Result<Exploration, LabError> {
    let trial = &order.lesson.trial;
    let mut order = order.clone();
    for (knob, value) in &trial.setting {
        order.knobs.entry(knob.clone()).or_insert(*value);
    }
    order.workers = order.workers.or(trial.workers);
    let laws = laws(&order);
    let mut places = Places { spared: &trial.spared, seen: BTreeSet::new(), pause: Span::ZERO };
    let seeds = (0..budget.seeds.max(1)).map(|more| Candidate {
        order: Order { seed: order.seed.wrapping_add(more), ..order.clone() },
        depth: 0,
    });
    let mut waiting: VecDeque<Candidate> = seeds.collect();
    let mut progress = Progress { known: waiting.len(), ..Progress::default() };
    let mut patience = Patience(LONGEST);
    let mut queries = 0;
    let mut counterexample = None;
    while counterexample.is_none() && progress.tried < budget.schedules && !waiting.is_empty() {
        // The first run says how long the others may take.
        let most = if progress.tried == 0 { 1 } else { servers.len() * ROUND };
        let most = most.min(budget.schedules - progress.tried).min(waiting.len());
        let round: Vec<Candidate> = waiting.drain(..most).collect();
        let runs = attempt_all(&round, &laws, patience, servers, stop);
        for (candidate, run) in round.into_iter().zip(runs) {
            let run = run?;
            if progress.tried == 0 {
                patience = Patience(ENDLESS.0.max(run.events.len().saturating_mul(ENDLESS.1)));
                places.pause = long_pause(&run.world);
            }
            progress.tried += 1;
            progress.depth = candidate.depth;
            queries += if candidate.depth == 0 { run.world.database.hits } else { 0 };
            if let Some(breach) = run.breach {
                let (order, breach) = shrink(candidate.order, breach, &laws, patience, &mut servers[0])?;
                counterexample = Some(Counterexample { order, breach });
                break;
            }
            // What would never be run need not be looked for.
            if progress.tried + waiting.len() < budget.schedules {
                let follow = follow(&candidate, &run, &mut places, order.seed);
                progress.known += follow.len();
                waiting.extend(follow);
            }
        }
        tell(progress);
    }
    // Breadth first: what waits is at least as deep as what was run, and what broke is itself one that was not passed.
    let next = waiting.front().map_or(progress.depth + 1, |next| next.depth);
    let next = if counterexample.is_some() { progress.depth } else { next };
    Ok(Exploration { progress, exhausted: next.checked_sub(1), counterexample, queries })
}

/// Runs them all, each server its share; the results stand in the order of the candidates.
fn attempt_all(
    round: &[Candidate],
    laws: &[Law],
    patience: Patience,
    servers: &mut [Lines<'_>],
    stop: &AtomicBool,
) -> Vec<Result<Attempt, LabError>> {
    let next = AtomicUsize::new(0);
    let run_some = |line: &mut Lines<'_>| {
        let mut done = Vec::new();
        while let Some((number, candidate)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            round.get(number).map(|candidate| (number, candidate))
        } {
            let run = if stop.load(Ordering::Relaxed) {
                Err(LabError::Interrupted)
            } else {
                line().and_then(|wire| attempt(&candidate.order, laws, patience, wire))
            };
            done.push((number, run));
        }
        done
    };
    let mut runs: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = servers.iter_mut().map(|line| scope.spawn(|| run_some(line))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a run does not panic")).collect()
    });
    runs.sort_by_key(|(number, _)| *number);
    runs.into_iter().map(|(_, run)| run).collect()
}

/// The same with one thing more going wrong.
fn follow(candidate: &Candidate, run: &Attempt, places: &mut Places<'_>, seed: u64) -> Vec<Candidate> {
    if candidate.order.seed != seed {
        return Vec::new();
    }
    let last = candidate.order.schedule.last();
    let more = places.of(&run.events, &run.ties, last.filter(|_| candidate.depth > 0));
    let with = |one: Intervention| {
        let mut order = candidate.order.clone();
        order.schedule.push(one);
        Candidate { order, depth: candidate.depth + 1 }
    };
    more.into_iter().map(with).collect()
}

/// What the order is held against.
fn laws(order: &Order) -> Vec<Law> {
    let of_repair = order.repair.is_some();
    let (lesson, trial) = (&order.lesson, &order.lesson.trial);
    let written: Vec<&Claim> = if of_repair {
        trial.laws_of_repair().collect()
    } else {
        trial.laws_of(&lesson.takes[order.take]).collect()
    };
    let of_programs = of_repair.then_some(Law::Works);
    written.into_iter().cloned().map(Law::Written).chain([Law::Ends]).chain(of_programs).collect()
}
