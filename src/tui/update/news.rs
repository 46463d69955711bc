//! Wall time that passed, and what the lab has to say.

use std::sync::Arc;
use std::time::Duration;

use super::drill::posed;
use super::repair::{explored, judged};
use super::travel::{gate, run, stop_at};
use crate::drill::{Confidence, Did, Standing};
use crate::judge::Point;
use crate::lab::{Span, World};
use crate::tui::answers::{Answer, Sureness};
use crate::tui::effect::{Effect, Task};
use crate::tui::host::Report;
use crate::tui::learner::Learner;
use crate::tui::model::{Model, Side};
use crate::tui::session::{Motion, Session, Trouble};

/// Wall time passed while playing.
pub(super) fn pass(model: &mut Model, wall: Duration) -> Vec<Effect> {
    let factor = model.speed.factor();
    let Some(session) = &mut model.session else { return Vec::new() };
    if session.motion != Motion::Playing {
        return Vec::new();
    }
    let target = session.now + Span::from_micros((wall.as_micros() as f64 * factor) as u64);
    if session.is_live() {
        if session.trouble.is_some() || session.tape.newest().ended || gate(session) {
            session.motion = Motion::Paused;
            return Vec::new();
        }
        if session.awaiting {
            return Vec::new();
        }
        session.awaiting = true;
        return vec![Effect::Lab(Task::Advance(target))];
    }
    // Playing back what is on the tape, with the same stops.
    let next_beat = session.reached.iter().map(|reached| reached.step).find(|step| *step > session.cursor);
    let step = session.tape.step_at(target);
    match next_beat {
        Some(beat) if step >= beat => stop_at(session, beat),
        _ if target >= session.head => session.go_to_head(),
        _ => session.show(step.max(session.cursor), target),
    }
    Vec::new()
}

pub(super) fn hear(model: &mut Model, report: Report) -> Vec<Effect> {
    let report = match report {
        Report::Compared { number, take, outcome } => {
            compared(model, number, take, outcome);
            return Vec::new();
        }
        Report::Surveyed { number, point } => {
            surveyed(model, number, point);
            return Vec::new();
        }
        Report::Explored { number, progress } => {
            explored(model, number, progress);
            return Vec::new();
        }
        Report::Judged { number, source, outcome, best } => {
            return judged(model, number, source, outcome, best);
        }
        Report::Posed { number, id, card } => return posed(model, number, &id, card),
        report => report,
    };
    let Some(session) = &mut model.session else { return Vec::new() };
    let mut notes = Vec::new();
    match report {
        Report::Began { run, server, events } if run == session.run => {
            session.server = Some(server.clone());
            model.server = Some(server);
            session.awaiting = false;
            session.tape.extend(events);
            session.go_to(0);
        }
        Report::Progress { run, events, now, beats, at_rest } if run == session.run => {
            let was_live = session.is_live();
            session.tape.extend(events);
            if at_rest {
                session.awaiting = false;
            }
            for step in &beats {
                session.reach(*step);
                notes.extend(predicted(session));
            }
            session.head = session.head.max(now);
            if was_live {
                follow(session, at_rest, !beats.is_empty());
            }
            // A run of the learner's own program shows nothing of the take.
            if session.is_over() && session.order.repair.is_none() {
                notes.extend(watched(session, &model.learner, session.all_answered()));
                notes.extend(reached(session, &model.learner));
            }
        }
        Report::Failed { run, message, hint } if run == session.run => {
            session.awaiting = false;
            session.motion = Motion::Paused;
            session.trouble = Some(Trouble::Stopped { message, hint });
        }
        Report::Unavailable { run, reason } if run == session.run => {
            session.awaiting = false;
            session.motion = Motion::Paused;
            session.trouble = Some(Trouble::Lacking { reason });
            // Nobody can be asked to see what cannot be shown.
            notes.extend(watched(session, &model.learner, true));
        }
        // News of a run that has been left.
        _ => {}
    }
    // The lab is free for what was asked for meanwhile, unless a question has come up.
    match session.queued.take() {
        Some(task) if session.awaiting => session.queued = Some(task),
        // These are not held up by a question.
        Some(task @ (Task::Replay(_) | Task::Act(_))) => {
            session.awaiting = true;
            session.motion = if matches!(task, Task::Replay(_)) { Motion::Running } else { session.motion };
            notes.push(Effect::Lab(task));
        }
        Some(task) if !gate(session) => notes.extend(run(session, task)),
        _ => {}
    }
    notes
}

/// What the beat just reached says of the learner's prediction; once a run, and not where knobs were turned.
fn predicted(session: &mut Session) -> Option<Effect> {
    let beat = session.reached.len().checked_sub(1)?;
    let Some(Some(Answer::Chosen(choice, sureness))) = session.answers.predicted.get(beat).copied() else {
        return None;
    };
    if !session.answers.told.insert(beat) || !session.order.is_as_written() {
        return None;
    }
    let confidence = match sureness {
        Sureness::Guess => Confidence::Guess,
        Sureness::ThinkSo => Confidence::ThinkSo,
        Sureness::Certain => Confidence::Certain,
    };
    Some(Effect::Note(Did::Predicted {
        lesson: session.lesson().slug.clone(),
        take: session.take().name.clone(),
        beat: u32::try_from(beat + 1).ok()?,
        confidence,
        right: session.reached[beat].came_true.get(choice) == Some(&true),
    }))
}

/// The take was played to its last beat: to be written down when that is more than was known.
fn watched(session: &Session, learner: &Learner, answered: bool) -> Option<Effect> {
    let standing = if answered { Standing::Done } else { Standing::Watched };
    let (lesson, take) = (session.lesson().slug.clone(), session.take().name.clone());
    let more = learner.take_stand(session.lesson(), &take) < standing;
    more.then_some(Effect::Note(Did::Watched { lesson, take, answered }))
}

/// The goals of the take that this run has reached, and no run before it.
fn reached(session: &Session, learner: &Learner) -> Vec<Effect> {
    let (lesson, world) = (session.lesson(), session.tape.newest());
    let goals = lesson.study.goals.iter().enumerate().filter(|(index, goal)| {
        world.ended
            && goal.take == session.order.take
            && goal.when.holds(world)
            && !learner.has_reached(lesson, *index)
    });
    let note = |goal: usize| Did::Reached {
        lesson: lesson.slug.clone(),
        goal: u32::try_from(goal + 1).unwrap_or(0),
    };
    goals.map(|(index, _)| Effect::Note(note(index))).collect()
}

/// One more take of the comparison has ended.
fn compared(model: &mut Model, number: u32, take: usize, outcome: Result<Box<World>, String>) {
    // The answer to a comparison that has been closed is nobody's.
    let current = model.comparison.as_mut().filter(|comparison| comparison.number == number);
    if let Some(side) = current.and_then(|comparison| comparison.sides.get_mut(take)) {
        *side = outcome.map_or_else(Side::Lacking, |world| Side::Ran(Arc::from(world)));
    }
}

/// One more point of the survey.
fn surveyed(model: &mut Model, number: u32, point: Result<Point, String>) {
    let current = model.surveying.as_mut().filter(|surveying| surveying.number == number);
    if let Some(surveying) = current {
        match point {
            Ok(point) => surveying.points.push(point),
            Err(trouble) => surveying.trouble = Some(trouble),
        }
    }
}

/// Brings the cursor along with the lab.
fn follow(session: &mut Session, at_rest: bool, beat: bool) {
    let stops = beat || session.tape.newest().ended;
    session.go_to_head();
    if stops || (at_rest && session.motion == Motion::Running) {
        session.motion = Motion::Paused;
    }
}
