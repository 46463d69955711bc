//! What only a run shows to be wrong with a lesson.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::order::{Order, run};
use super::told::told;
use super::verdict::Verdict;
use super::watch::Watch;
use crate::lab::{Fact, LabError, Role, Wire, WorkerId, World};
use crate::lesson::{Claim, Lesson, Take};

/// Runs every take as it is written and tells what does not fit: claims that do not hold, beats that never come, options
/// that the run bears out otherwise than they are marked, readers that fail in a take that is right, and takes that are marked as a
/// mistake and break nothing. `wire` gives a line for a take.
///
/// # Errors
/// When a take cannot be run at all.
pub fn audit(
    lesson: &Arc<Lesson>,
    seed: u64,
    mut wire: impl FnMut(usize) -> Result<Box<dyn Wire>, LabError>,
) -> Result<Vec<String>, LabError> {
    let mut complaints = Vec::new();
    let mut verdicts = Vec::new();
    for (index, take) in lesson.takes.iter().enumerate() {
        let order = Order::new(Arc::clone(lesson), index, seed);
        let verdict = run(order, wire(index)?, &AtomicBool::new(false))?;
        look_at(take, &verdict, &mut complaints);
        verdicts.push(verdict);
    }
    for (take, verdict) in lesson.takes.iter().zip(&verdicts).filter(|(take, _)| !take.sound) {
        let mut sound = lesson.takes.iter().filter(|other| other.sound).peekable();
        if sound.peek().is_some() && sound.all(|right| keeps(right, verdict)) {
            let name = &take.name;
            complaints.push(format!(
                "take `{name}` is marked as a mistake, and every claim of the right ones holds in it too"
            ));
        }
    }
    Ok(complaints)
}

fn look_at(take: &Take, verdict: &Verdict, complaints: &mut Vec<String>) {
    let name = &take.name;
    for claim in verdict.claims.iter().take(take.claims.len()).filter(|claim| !claim.holds) {
        complaints.push(format!("take `{name}` claims what does not hold: {}", claim.text));
    }
    let worlds = told(take, &verdict.journal);
    for beat in take.beats.iter().skip(worlds.len()) {
        complaints.push(format!("beat “{}” of `{name}` never comes: its `until` is never true", beat.title));
    }
    for (beat, world) in take.beats.iter().zip(&worlds) {
        if let Some(seen) = &beat.seen {
            let there = seen.count(world);
            if there != 1 {
                complaints.push(format!(
                    "{there} of what may be seen at the end of “{}” in `{name}` is there to be seen; one should be",
                    beat.title
                ));
            }
        }
        let choices = beat.prediction.iter().flat_map(|prediction| &prediction.choices);
        for (number, choice) in (1..).zip(choices) {
            let complaint = match (choice.when.holds(world), choice.right) {
                (true, false) => "comes true, and is not marked right",
                (false, true) => "is marked right, and does not come true",
                _ => continue,
            };
            complaints.push(format!("option {number} of “{}” in `{name}` {complaint}", beat.title));
        }
    }
    let is_reader = |worker: WorkerId| match verdict.journal.first().map(|event| &event.fact) {
        Some(Fact::Began(opening)) => {
            opening.cast.get(worker.index()).is_some_and(|member| member.role == Role::Reader)
        }
        _ => false,
    };
    let failed = verdict.errors().find(|(worker, ..)| take.sound && is_reader(*worker));
    if let Some((worker, line, error)) = failed {
        complaints.push(format!("{worker} fails in `{name}`, which is marked right: {error} (line {line})"));
    }
}

/// True when a run keeps every claim of a take.
fn keeps(take: &Take, verdict: &Verdict) -> bool {
    take.claims.iter().all(|claim| holds(claim, verdict))
}

fn holds(claim: &Claim, verdict: &Verdict) -> bool {
    let mut world = World::default();
    let mut watch = Watch::begin(claim);
    for tick in verdict.journal.chunk_by(|a, b| a.tick == b.tick) {
        for event in tick {
            world.apply(event);
        }
        watch.look(claim, &world);
    }
    watch.holds()
}
