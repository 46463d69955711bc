//! The guard inside the lab: every crash point, every lost reply, every pause, every cancelled await, and random
//! combinations of them by seed, held against the laws.
//!
//! A schedule that breaks one prints a line that replays it.

mod laws;
mod ledger;
mod schedule;
mod stage;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stampede::lab::{Fact, Harm, LabTime, Moment, Nth, Span, WorkerId};

use crate::scene::{KEY, LOCK};
use schedule::{Cancel, Schedule};
use stage::{Play, READERS, play};

/// Runs a schedule and holds it against the laws; tells how it went.
fn examine(schedule: &Schedule) -> Play {
    let run = play(schedule);
    if let Err(law) = laws::check(schedule, &run) {
        panic!(
            "{law}\nreplay it: STAMPEDE_SCHEDULE='{schedule}' cargo test --test guard replay -- --nocapture\n{}",
            run.story()
        );
    }
    run
}

fn harms(worker: WorkerId) -> Vec<Harm> {
    vec![
        Harm::Crash(worker),
        Harm::LoseReply(worker),
        Harm::DropConnection(worker),
        Harm::Pause(worker, Span::from_millis(200)),
        Harm::Pause(worker, Span::from_millis(4_000)),
    ]
}

/// The moments of every command that the workers send in `run`; the last reader is left in peace.
fn moments(run: &Play) -> Vec<(WorkerId, Moment)> {
    let mut sent = std::collections::BTreeMap::<(WorkerId, String), u32>::new();
    let mut found = Vec::new();
    for event in &run.events {
        let (Some(worker), Fact::Sent { command, .. }) = (event.worker, &event.fact) else { continue };
        if worker > stage::WRITER {
            continue;
        }
        let nth = sent.entry((worker, command.name())).or_default();
        *nth += 1;
        let which = Nth { name: command.name(), nth: *nth };
        found.push((worker, Moment::Before(which.clone())));
        found.push((worker, Moment::Executed(which.clone())));
        found.push((worker, Moment::After(which)));
    }
    found
}

#[test]
fn nothing_goes_wrong_when_nothing_goes_wrong() {
    for config in 0..schedule::CONFIGS {
        for seed in 0..50 {
            let run = examine(&Schedule::calm(config, seed));
            assert!(run.ledger.calls.iter().all(|call| call.outcome.is_some()), "everybody is answered");
            assert_eq!(run.ledger.floor, 13, "both writes were invalidated");
        }
    }
}

#[test]
fn every_single_fault_at_every_command() {
    // All of them take minutes; unless asked to, take one of ten, another one of ten in every configuration.
    let all = std::env::var("STAMPEDE_SCHEDULES").is_ok_and(|many| many == "all");
    let (mut examined, mut number) = (0, 0);
    for config in 0..schedule::CONFIGS {
        number += 1;
        let calm = Schedule::calm(config, 1);
        let run = examine(&calm);
        for (worker, moment) in moments(&run) {
            for harm in harms(worker) {
                // A reply can be lost, and a command be cut off, only where there is one.
                let fits = match harm {
                    Harm::LoseReply(_) => matches!(moment, Moment::Executed(_)),
                    _ => true,
                };
                number += 1;
                if fits && (all || number % 10 == 0) {
                    examine(&calm.with(harm, moment.clone()));
                    examined += 1;
                }
            }
        }
    }
    eprintln!("{examined} schedules with one fault");
    assert!(examined > 900, "{examined}");
}

#[test]
fn every_await_cancelled() {
    let mut examined = 0;
    for config in 0..schedule::CONFIGS {
        for (worker, caller) in [(0, 0), (0, 1), (1, 0)] {
            for polls in 1.. {
                let cancel = Cancel { worker, caller, polls };
                let run = examine(&Schedule { cancel: Some(cancel), ..Schedule::calm(config, 2) });
                examined += 1;
                if run.ledger.cancelled == 0 {
                    break;
                }
            }
        }
    }
    eprintln!("{examined} schedules with one cancelled caller");
    assert!(examined > 100, "{examined}");
}

#[test]
fn an_outage_at_any_time() {
    for config in 0..schedule::CONFIGS {
        for at in (0..2_500).step_by(97) {
            for lasts in [30, 700, 3_000] {
                let when = Moment::At(LabTime::from_micros(at * 1_000));
                examine(&Schedule::calm(config, 3).with(Harm::RedisDown(Span::from_millis(lasts)), when));
            }
        }
    }
}

#[test]
fn a_failover_or_a_slow_server_at_any_time() {
    let keys = |keys: &[&str]| Harm::Failover(keys.iter().map(|key| (*key).into()).collect());
    let slow = |trip, lasts| Harm::RedisSlow(Span::from_millis(trip), Span::from_millis(lasts));
    let harms =
        [keys(&[KEY]), keys(&[LOCK]), keys(&[KEY, LOCK]), slow(120, 900), slow(400, 900), slow(1_200, 2_000)];
    for config in 0..schedule::CONFIGS {
        for (harm, at) in harms.iter().cycle().zip((0..2_500).step_by(31)) {
            let when = Moment::At(LabTime::from_micros(at * 1_000));
            examine(&Schedule::calm(config, 4).with(harm.clone(), when));
        }
    }
}

#[test]
fn random_combinations_of_faults() {
    let base = std::env::var("STAMPEDE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let many = match std::env::var("STAMPEDE_SCHEDULES") {
        Ok(all) if all == "all" => 5_000,
        many => many.ok().and_then(|many| many.parse().ok()).unwrap_or(500),
    };
    for seed in base..base + many {
        examine(&random(seed));
    }
}

/// Up to four faults, at commands that the calm run of the same seed sends or at any time.
fn random(seed: u64) -> Schedule {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let config = chance.random_range(0..schedule::CONFIGS);
    let mut schedule = Schedule::calm(config, seed);
    let moments = moments(&play(&schedule));
    for _ in 0..chance.random_range(1..=4) {
        let (worker, moment) = moments[chance.random_range(0..moments.len())].clone();
        let harms = harms(worker);
        let harm = harms[chance.random_range(0..harms.len())].clone();
        let at = Moment::At(LabTime::from_micros(chance.random_range(0..3_000_000)));
        schedule = match chance.random_range(0..4) {
            0 => schedule.with(Harm::RedisDown(Span::from_millis(chance.random_range(1..2_000))), at),
            1 => schedule.with(harm, at),
            _ => schedule.with(harm, moment),
        };
    }
    if chance.random_range(0..3) == 0 {
        let worker = chance.random_range(0..READERS);
        schedule.cancel = Some(Cancel { worker, caller: 0, polls: chance.random_range(1..12) });
    }
    schedule
}

#[test]
fn a_run_is_the_same_twice_and_on_every_server() {
    for seed in [1, 77, 4_711] {
        let schedule = random(seed);
        let first = play(&schedule).events;
        for server in crate::servers::servers() {
            let again = stage::play_on(&schedule, &server).events;
            assert!(again == first, "another journal for {schedule} on {:?}", server.identity());
        }
    }
}

/// Replays the schedule in `STAMPEDE_SCHEDULE`, and tells its story.
#[test]
fn replay() {
    let Ok(line) = std::env::var("STAMPEDE_SCHEDULE") else { return };
    let schedule: Schedule = line.parse().expect("a schedule");
    let run = play(&schedule);
    eprintln!("{}", run.story());
    laws::check(&schedule, &run).expect("the laws hold");
}

#[test]
fn a_schedule_reads_back_as_it_is_written() {
    for seed in 0..200 {
        let schedule = random(seed);
        assert_eq!(schedule.to_string().parse::<Schedule>().unwrap(), schedule);
    }
}
