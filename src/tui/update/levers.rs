//! What the learner does by hand.

use super::dispatch::pause;
use crate::lab::{Lever, WorkerId};
use crate::tui::effect::{Effect, Task};
use crate::tui::levers::levers;
use crate::tui::message::Message;
use crate::tui::model::{Model, Popup};

/// Said when somebody wants to change what has happened already.
pub(super) const NOT_IN_THE_PAST: &str = "this is the past: End goes to now, f goes on otherwise from here";

/// Opens the list, on a worker that there is something to do about.
pub(super) fn open_levers(model: &mut Model) -> Vec<Effect> {
    pause(model);
    let Some(session) = &model.session else { return Vec::new() };
    if !session.is_live() {
        model.notice = Some(NOT_IN_THE_PAST.to_owned());
        return Vec::new();
    }
    let world = &session.world;
    let works = |id: &WorkerId| world.workers.get(id.index()).is_some_and(crate::lab::Seen::is_active);
    let first = world.lock.owner().filter(works);
    let active = || (0..world.workers.len() as u16).map(WorkerId).find(works);
    model.popup = Some(Popup::Levers(first.or_else(active).unwrap_or(WorkerId(0)), 0));
    Vec::new()
}

pub(super) fn in_levers(model: &mut Model, worker: WorkerId, at: usize, message: &Message) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    let known = levers(&session.world, worker);
    let last = session.world.workers.len().saturating_sub(1) as u16;
    let (worker, at) = match message {
        Message::Down => (worker, (at + 1) % known.len()),
        Message::Up => (worker, (at + known.len() - 1) % known.len()),
        Message::More => (WorkerId((worker.0 + 1).min(last)), at),
        Message::Less => (WorkerId(worker.0.saturating_sub(1)), at),
        Message::Accept => {
            model.popup = None;
            let Some((_, lever)) = known.into_iter().nth(at) else { return Vec::new() };
            return pull(model, lever);
        }
        _ => return Vec::new(),
    };
    model.popup = Some(Popup::Levers(worker, at));
    Vec::new()
}

/// Hands the lab a lever, at the newest step.
pub(super) fn pull(model: &mut Model, lever: Lever) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    if session.trouble.is_some() {
        return Vec::new();
    }
    if session.tape.newest().ended && !matches!(lever, Lever::Type(_)) {
        model.notice =
            Some("this run has ended; r runs it again, f goes on otherwise from a step".to_owned());
        return Vec::new();
    }
    session.go_to_head();
    if session.awaiting {
        session.queued = Some(Task::Act(lever));
        return Vec::new();
    }
    session.awaiting = true;
    vec![Effect::Lab(Task::Act(lever))]
}
