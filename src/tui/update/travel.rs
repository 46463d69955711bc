//! Moving through time: the cursor over what is recorded, and the lab where that ends.

use crate::tui::answers::Asking;
use crate::tui::effect::{Effect, Task};
use crate::tui::model::Model;
use crate::tui::scroll::Scroll;
use crate::tui::session::{Motion, Session};

/// Said when something would run past an open question.
const ANSWER_FIRST: &str = "answer first, 1-4: a guess before the run teaches most. s just shows it";

/// Said when something would run past a question about what was seen.
pub(super) const LOOK_FIRST: &str = "look first, then answer, 1-4. s shows what the lesson says";

/// What to say when a question is open.
fn answer_first(session: &Session) -> Option<String> {
    let said = match (session.asked(), session.asked_what_was_seen()) {
        (Some(_), _) => ANSWER_FIRST,
        (None, Some(_)) => LOOK_FIRST,
        (None, None) => return None,
    };
    Some(said.to_owned())
}

pub(super) fn stop_at(session: &mut Session, step: u32) {
    session.motion = Motion::Paused;
    session.story_scroll = Scroll::default();
    session.go_to(step);
}

pub(super) fn back(session: &mut Session) {
    let between = session.now > session.tape.time_of(session.cursor);
    let step = if between { session.cursor } else { session.cursor.saturating_sub(1) };
    stop_at(session, step);
}

pub(super) fn previous_beat(session: &mut Session) {
    let before = session.reached.iter().rev().find(|reached| reached.step < session.cursor);
    let step = before.map_or(0, |reached| reached.step);
    stop_at(session, step);
}

pub(super) fn to_step(session: &mut Session, step: u32) -> Vec<Effect> {
    if step <= session.tape.newest_step() {
        stop_at(session, step);
        return Vec::new();
    }
    session.go_to_head();
    if gate(session) {
        return Vec::new();
    }
    run(session, Task::ToStep(step))
}

/// Has the lab do something at the newest step; in the past the cursor only moves.
pub(super) fn go(model: &mut Model, task: Task) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    session.motion = if session.motion == Motion::Playing { Motion::Paused } else { session.motion };
    if !session.is_live() {
        let next_beat = session.reached.iter().find(|reached| reached.step > session.cursor);
        let step = match task {
            Task::Step => session.cursor + 1,
            _ => next_beat.map_or(u32::MAX, |reached| reached.step),
        };
        stop_at(session, step);
        return Vec::new();
    }
    model.notice = answer_first(session);
    if model.notice.is_some() || gate(session) {
        return Vec::new();
    }
    run(session, task)
}

pub(super) fn play_pause(model: &mut Model) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    match session.motion {
        Motion::Playing | Motion::Running => {
            session.motion = Motion::Paused;
            return Vec::new();
        }
        Motion::Paused => {}
    }
    if session.is_live() {
        model.notice = answer_first(session);
        if model.notice.is_some() || gate(session) {
            return Vec::new();
        }
        if session.tape.newest().ended || session.trouble.is_some() {
            model.notice =
                Some("this run has ended: r runs it again, t chooses another take, m is the map".to_owned());
            return Vec::new();
        }
    }
    session.motion = Motion::Playing;
    session.story_scroll = Scroll::default();
    Vec::new()
}

/// Hands the lab a task, unless it is busy or done.
pub(super) fn run(session: &mut Session, task: Task) -> Vec<Effect> {
    if session.trouble.is_some() || session.tape.newest().ended {
        return Vec::new();
    }
    if session.awaiting {
        session.queued = Some(task);
        return Vec::new();
    }
    session.awaiting = true;
    session.motion = Motion::Running;
    session.story_scroll = Scroll::default();
    vec![Effect::Lab(task)]
}

/// Stops before an open question, and shows it. Returns true when the run may not go on.
pub(super) fn gate(session: &mut Session) -> bool {
    if session.asked_what_was_seen().is_some() {
        session.motion = Motion::Paused;
        return true;
    }
    if session.open_question().is_none() {
        return false;
    }
    session.motion = Motion::Paused;
    if session.asking == Asking::No {
        session.asking = Asking::Choosing;
        session.story_scroll = Scroll::default();
    }
    true
}
