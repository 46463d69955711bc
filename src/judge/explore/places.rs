//! Where in a run something could go wrong.

use std::collections::{BTreeMap, BTreeSet};

use crate::lab::{Event, Fact, Fault, Harm, Intervention, Moment, Nth, Phase, QUERY, Span, WorkerId, World};
use crate::lesson::Trouble;

/// A pause in which others get a few commands in.
const SHORT: Span = Span::from_millis(20);

/// A pause that outlasts a lease is this many times as long.
const OUTLASTS: (u64, u64) = (6, 5);

/// The longest pause: one for ever would be a crash.
const LONGEST: Span = Span::from_secs(60);

/// Of many things that are due at once, so many are tried as the first.
const RIVALS: usize = 4;

/// What has been tried somewhere already: the trouble, the worker and its line, and the world but for its time.
pub(super) type Seen = BTreeSet<(String, u64)>;

/// Looks for places where something could go wrong, and remembers which were alike.
pub(super) struct Places<'a> {
    pub(super) spared: &'a [Trouble],
    pub(super) seen: Seen,
    /// Longer than any lease.
    pub(super) pause: Span,
}

impl Places<'_> {
    /// Everything that could go wrong beside what a schedule has already, in the order in which it would happen.
    pub(super) fn of(
        &mut self,
        events: &[Event],
        ties: &[usize],
        last: Option<&Intervention>,
    ) -> Vec<Intervention> {
        let mut found = Vec::new();
        let mut world = World::default();
        let mut sent: Vec<BTreeMap<String, u32>> = Vec::new();
        let mut commands = BTreeMap::new();
        let mut queued = BTreeSet::new();
        // A fault is added behind the last one, and behind ties: each combination in one order only.
        let mut behind = last.is_none() || matches!(last, Some(Intervention::Tie { .. }));
        for event in events {
            world.apply(event);
            if let Fact::Began(opening) = &event.fact {
                sent = vec![BTreeMap::new(); opening.cast.len()];
            }
            behind |= is_trouble(&event.fact);
            let Some(id) = event.worker else { continue };
            let mut count = |name: &str| {
                let count = sent.get_mut(id.index())?.entry(name.to_owned()).or_default();
                *count += 1;
                Some(Nth { name: name.to_owned(), nth: *count })
            };
            let moments: Vec<Moment> = match &event.fact {
                Fact::Sent { call, command } => {
                    let Some(nth) = count(&command.name()) else { continue };
                    commands.insert(*call, nth.clone());
                    vec![Moment::Before(nth)]
                }
                Fact::Executed { call, .. } => {
                    commands.get(call).cloned().map(Moment::Executed).into_iter().collect()
                }
                Fact::Answered { call, .. } => {
                    commands.get(call).cloned().map(Moment::After).into_iter().collect()
                }
                Fact::QueryQueued { query, .. } => {
                    queued.insert(*query);
                    count(QUERY).map(Moment::Before).into_iter().collect()
                }
                Fact::QueryStarted { query, .. } if queued.contains(query) => Vec::new(),
                Fact::QueryStarted { .. } => count(QUERY).map(Moment::Before).into_iter().collect(),
                Fact::QueryFinished { .. } => {
                    let nth = sent.get(id.index()).and_then(|sent| sent.get(QUERY)).copied().unwrap_or(1);
                    vec![Moment::After(Nth { name: QUERY.to_owned(), nth: nth.max(1) })]
                }
                _ => Vec::new(),
            };
            if !behind {
                continue;
            }
            for moment in moments {
                for harm in self.harms(id, &moment) {
                    let fault = Fault { harm, when: moment.clone() };
                    if self.is_new(&fault, id, &world) {
                        found.push(Intervention::Fault(fault));
                    }
                }
            }
        }
        let follows = matches!(last, None | Some(Intervention::Tie { .. }));
        if follows && !self.spared.contains(&Trouble::Tie) {
            let from = if let Some(Intervention::Tie { nth, .. }) = last { nth + 1 } else { 0 };
            for (nth, rivals) in ties.iter().enumerate().skip(from) {
                found.extend((1..*rivals.min(&RIVALS)).map(|first| Intervention::Tie { nth, first }));
            }
        }
        found
    }

    /// What can happen to a worker at such a moment.
    fn harms(&self, id: WorkerId, moment: &Moment) -> Vec<Harm> {
        let query = matches!(moment, Moment::Before(nth) | Moment::Executed(nth) | Moment::After(nth) if nth.name == QUERY);
        let possible = match moment {
            Moment::Before(_) if query => vec![(Trouble::Crash, Harm::Crash(id))],
            Moment::Before(_) => {
                vec![(Trouble::Crash, Harm::Crash(id)), (Trouble::Drop, Harm::DropConnection(id))]
            }
            Moment::Executed(_) => vec![
                (Trouble::Crash, Harm::Crash(id)),
                (Trouble::LoseReply, Harm::LoseReply(id)),
                (Trouble::Drop, Harm::DropConnection(id)),
            ],
            Moment::After(_) => vec![
                (Trouble::Crash, Harm::Crash(id)),
                (Trouble::Pause, Harm::Pause(id, SHORT)),
                (Trouble::Pause, Harm::Pause(id, self.pause)),
            ],
            Moment::At(_) => Vec::new(),
        };
        possible
            .into_iter()
            .filter(|(trouble, _)| !self.spared.contains(trouble))
            .map(|(_, harm)| harm)
            .collect()
    }

    /// False when the same has been tried for a worker on the same line, in a world that differs in nothing but the time.
    fn is_new(&mut self, fault: &Fault, id: WorkerId, world: &World) -> bool {
        let kind = match &fault.when {
            Moment::Before(nth) => format!("before {}", nth.name),
            Moment::Executed(nth) => format!("executed {}", nth.name),
            Moment::After(nth) => format!("after {}", nth.name),
            Moment::At(_) => String::new(),
        };
        self.seen.insert((format!("{} {kind} {id}", fault.harm), state(world)))
    }
}

/// A pause that outlasts every lease of a run.
pub(super) fn long_pause(world: &World) -> Span {
    let longest = world.lock.lives.iter().filter_map(crate::lab::Life::full).max();
    let lease = longest.unwrap_or(Span::from_secs(5)).as_micros();
    Span::from_micros((lease * OUTLASTS.0 / OUTLASTS.1).min(LONGEST.as_micros()))
}

/// True for what a fault leaves in a journal.
fn is_trouble(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Crashed
            | Fact::ConnectionDropped
            | Fact::ReplyLost { .. }
            | Fact::Paused { .. }
            | Fact::AnswerLost { .. }
    )
}

/// A number for everything in a world that a program or a law could tell apart, but for its time.
fn state(world: &World) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    for worker in &world.workers {
        let retrying = worker.phase == Phase::Waiting;
        (worker.phase, worker.served.is_some(), worker.error.is_some()).hash(&mut hasher);
        // Whoever polls goes round and round its loop.
        if !retrying {
            worker.line.hash(&mut hasher);
        }
    }
    world.lock.owner().hash(&mut hasher);
    world.lock.is_immortal().hash(&mut hasher);
    for (key, entry) in &world.keys {
        (key.as_slice(), entry.value.as_slice(), entry.deadline.is_some()).hash(&mut hasher);
    }
    (world.database.in_flight, world.database.hits, world.database.commits).hash(&mut hasher);
    world.outcomes.answered().hash(&mut hasher);
    hasher.finish()
}
