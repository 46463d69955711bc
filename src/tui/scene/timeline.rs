//! The timeline: an axis and the lanes that fit.

use super::axis::Axis;
use super::lanes::{self, Crowd, Frame, Lane};
use crate::lab::{LifeEnd, Phase, Role, WorkerId, World};
use crate::tui::answers::Answer;
use crate::tui::session::Session;

/// Everything the timeline shows.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    pub axis: Axis,
    pub lanes: Vec<Lane>,
    /// The learner's prediction: the column where it begins, its words, and whether it came true.
    pub prediction: Option<(usize, String, Option<bool>)>,
}

/// Columns after an open question in which the outcome is hidden.
const HIDDEN: usize = 9;

/// The timeline of a session, `width` columns wide, with at most `room` lanes.
pub(crate) fn timeline(session: &Session, width: usize, room: usize) -> Timeline {
    let world = &session.world;
    let axis = Axis::new(session.tape.times(session.cursor), session.now, width, session.magnified);
    let hidden = if session.asked().is_some() { HIDDEN } else { 0 };
    let frame = Frame { axis: &axis, now: session.now, width, hidden };
    let mut lanes = Vec::new();
    if world.has_lock() {
        lanes.push(lanes::lock(world, frame));
    }
    let for_workers = room.saturating_sub(lanes.len() + 1);
    let (alone, crowds, rest) = cast(world, for_workers);
    lanes.extend(alone.into_iter().map(|id| lanes::worker(world, id, frame)));
    lanes.extend(crowds.into_iter().map(|which| lanes::crowd(world, which, &rest, frame)));
    lanes.push(lanes::database(world, frame));
    let prediction = prediction(session, &axis);
    Timeline { axis, lanes, prediction }
}

/// Who gets a lane of their own, which crowds are drawn, and who is in them.
pub(super) fn cast(world: &World, room: usize) -> (Vec<WorkerId>, Vec<Crowd>, Vec<WorkerId>) {
    let everybody: Vec<WorkerId> = (0..).map(WorkerId).take(world.workers.len()).collect();
    if everybody.len() <= room {
        return (everybody, Vec::new(), Vec::new());
    }
    let kinds = [Crowd::Waiting, Crowd::Queued, Crowd::Querying, Crowd::Done];
    let occurring =
        |rest: &[WorkerId]| kinds.into_iter().filter(|kind| kind.occurs(world, rest)).collect::<Vec<_>>();
    let crowds = occurring(&everybody).len().min(room.saturating_sub(1)).max(1);
    let mut alone: Vec<WorkerId> = everybody
        .iter()
        .copied()
        .filter(|id| stands_out(world, *id))
        .take(room.saturating_sub(crowds))
        .collect();
    if alone.is_empty() && room > crowds && everybody.len() < 2 * room {
        alone = everybody.iter().copied().take(room - crowds).collect();
    }
    let rest: Vec<WorkerId> = everybody.into_iter().filter(|id| !alone.contains(id)).collect();
    let mut crowds = occurring(&rest);
    crowds.truncate(room.saturating_sub(alone.len()));
    (alone, crowds, rest)
}

/// Holders of the lock, workers in trouble, and those who only look on.
fn stands_out(world: &World, id: WorkerId) -> bool {
    let held = world.lock.lives.iter().any(|life| {
        life.owner == Some(id) || matches!(life.end, Some((_, LifeEnd::Stolen(thief))) if thief == id)
    });
    let in_trouble = world
        .workers
        .get(id.index())
        .is_some_and(|seen| matches!(seen.phase, Phase::Crashed | Phase::Paused) || seen.error.is_some());
    let observes = world.opening.as_ref().and_then(|opening| opening.cast.get(id.index()));
    held || in_trouble || observes.is_some_and(|member| member.role == Role::Observer)
}

/// The answer to the last question at or before the cursor, drawn where the question was asked.
fn prediction(session: &Session, axis: &Axis) -> Option<(usize, String, Option<bool>)> {
    let reached = session.beats_reached();
    let (beat, (choice, _)) = (0..session.answers.predicted.len())
        .rev()
        .filter(|beat| *beat <= reached)
        .find_map(|beat| match session.answers.predicted[beat] {
            Some(Answer::Chosen(choice, sureness)) => Some((beat, (choice, sureness))),
            _ => None,
        })?;
    let prediction = session.take().beats.get(beat)?.prediction.as_ref()?;
    let asked_at =
        beat.checked_sub(1).map_or(0, |before| session.reached.get(before).map_or(0, |reached| reached.step));
    let column = axis.column(session.tape.time_of(asked_at)).unwrap_or(0);
    let settled = session.reached.get(beat).filter(|_| reached > beat);
    let settled = settled.map(|reached| reached.came_true.get(choice) == Some(&true));
    let words = format!("({}) {}", choice + 1, prediction.choices.get(choice)?.text.text(&session.world));
    Some((column, words, settled))
}
