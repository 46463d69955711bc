//! What must hold in every run, whatever goes wrong.

use std::collections::BTreeMap;
use std::time::Duration;

use stampede::guard::{Provenance, Stored};
use stampede::lab::{Bytes, Event, Fact, Harm};

use super::ledger::FillRun;
use super::schedule::Schedule;
use super::stage::{Play, options};
use crate::support::ms;

const LOCK: &str = "lock:product:123";

/// # Errors
/// The law that does not hold, in words.
pub(crate) fn check(schedule: &Schedule, run: &Play) -> Result<(), String> {
    locks_end_and_are_deleted_by_their_owners(&run.events)?;
    nobody_waits_for_ever(schedule, run)?;
    one_fill_at_a_time(run)?;
    permits_hold(run)?;
    nothing_older_than_an_invalidation(schedule, run)?;
    at_last_all_is_well(schedule, run)
}

fn locks_end_and_are_deleted_by_their_owners(events: &[Event]) -> Result<(), String> {
    // Who has put which token into the lock.
    let mut owners = BTreeMap::<Bytes, _>::new();
    for event in events {
        let Fact::Executed { effects, .. } = &event.fact else { continue };
        for change in effects {
            let endless = change.after.as_ref().is_some_and(|entry| entry.deadline.is_none());
            if endless {
                return Err(format!("at {} `{}` has no end", event.at, change.key));
            }
            if change.key.as_str() != Some(LOCK) {
                continue;
            }
            match (&change.before, &change.after) {
                (Some(before), after) if after.as_ref().is_none_or(|after| after.value != before.value) => {
                    let owner = owners.get(&before.value).copied().flatten();
                    if owner != event.worker {
                        return Err(format!(
                            "at {} {:?} removed the lock of {owner:?}",
                            event.at, event.worker
                        ));
                    }
                }
                (None, Some(after)) => {
                    owners.insert(after.value.clone(), event.worker);
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// A caller who leads waits for its fill at most for as long as that may hold the lock; others for as long as the options
/// say; and each command that Redis does not answer costs its limit. Standing still is not the guard's doing.
fn nobody_waits_for_ever(schedule: &Schedule, run: &Play) -> Result<(), String> {
    let options = options(schedule.config);
    let paused: Duration = schedule
        .faults
        .iter()
        .map(|fault| match fault.harm {
            Harm::Pause(_, span) => Duration::from_micros(span.as_micros()),
            _ => Duration::ZERO,
        })
        .sum();
    let commands = ms(250) * 8;
    let limit = options.losers.wait * 2 + options.lease.max_hold + commands + paused;
    for call in &run.ledger.calls {
        if let Some((answered, _)) = call.outcome {
            let waited = answered.saturating_sub(call.asked);
            if waited > limit {
                return Err(format!("{call:?} waited for {waited:?}, and {limit:?} is the limit"));
            }
        }
    }
    let dead = |worker: usize| {
        run.events.iter().any(|event| {
            matches!(event.fact, Fact::Crashed) && event.worker.is_some_and(|id| id.index() == worker)
        })
    };
    let unanswered =
        run.ledger.calls.iter().filter(|call| call.outcome.is_none() && !dead(call.worker)).count();
    if unanswered > run.ledger.cancelled {
        return Err(format!("{unanswered} callers never got an answer"));
    }
    Ok(())
}

/// Two fills at once are allowed only where a lease has ended, or one has gone without a lock.
fn one_fill_at_a_time(run: &Play) -> Result<(), String> {
    let ends: Vec<Duration> = run
        .events
        .iter()
        .filter(|event| match &event.fact {
            Fact::Expired { key } => key.as_str() == Some(LOCK),
            Fact::FailedOver { lost } => lost.iter().any(|change| change.key.as_str() == Some(LOCK)),
            _ => false,
        })
        .map(|event| Duration::from_micros(event.at.as_micros()))
        .collect();
    let fills: Vec<&FillRun> = run.ledger.fills.iter().filter(|fill| !fill.fallback).collect();
    for (index, one) in fills.iter().enumerate() {
        for other in &fills[index + 1..] {
            let overlap = one.ended.is_none_or(|ended| other.began < ended);
            let excused = ends.iter().any(|end| (one.began..=other.began).contains(end));
            if overlap && !excused {
                return Err(format!("{one:?} and {other:?} ran at once, and no lease had ended"));
            }
        }
    }
    Ok(())
}

/// No process runs more fills at once than its guard has permits.
fn permits_hold(run: &Play) -> Result<(), String> {
    for fill in &run.ledger.fills {
        let beside = run.ledger.fills.iter().filter(|other| {
            other.worker == fill.worker
                && other.began <= fill.began
                && other.ended.is_none_or(|ended| ended > fill.began)
        });
        if beside.count() > 2 {
            return Err(format!("more than two fills at once with {fill:?}"));
        }
    }
    Ok(())
}

/// Who asks after an invalidation has ended gets nothing older, unless told that it is stale, or comes past
/// the cache.
fn nothing_older_than_an_invalidation(schedule: &Schedule, run: &Play) -> Result<(), String> {
    // A reply that comes too late for the guard's own limit is no event.
    let slow = schedule.faults.iter().any(|fault| matches!(fault.harm, Harm::RedisSlow(..)));
    for call in &run.ledger.calls {
        let Some((_, Ok(answer))) = &call.outcome else { continue };
        let is_told = matches!(answer.provenance, Provenance::Stale { .. } | Provenance::Fallback { .. });
        if !is_told && answer.value < call.floor {
            return Err(format!("{call:?} got a version from before the invalidation"));
        }
        let lost = matches!(answer.provenance, Provenance::Recomputed { stored: Stored::Failed, .. });
        if lost && !slow && run.events.iter().all(|event| !is_trouble(&event.fact)) {
            return Err(format!("{call:?} was not stored, and nothing was wrong"));
        }
    }
    Ok(())
}

fn is_trouble(fact: &Fact) -> bool {
    use stampede::lab::Heard;
    matches!(fact, Fact::Answered { heard: Heard::TimedOut | Heard::Disconnected, .. } | Fact::Paused { .. })
}

/// When the faults are over, the next read is fresh.
fn at_last_all_is_well(schedule: &Schedule, run: &Play) -> Result<(), String> {
    // A writer that died between its commit and its invalidation leaves the old value for as long as it lives: that is
    // what an outbox is for.
    let writer_died = schedule.faults.iter().any(|fault| fault.harm == Harm::Crash(super::stage::WRITER));
    match &run.ledger.last_read {
        Some(Ok(answer)) if answer.value == run.ledger.version || writer_died => Ok(()),
        other => Err(format!("the last read is {other:?}, and the database has {}", run.ledger.version)),
    }
}
