//! Messages while something lies on top.

use std::collections::BTreeSet;

use super::dispatch::{open, reopen};
use super::lesson::next_lesson;
use super::levers::in_levers;
use super::prompt::in_prompt;
use super::repair::in_repair;
use super::runs::in_runs;
use crate::drill::Did;
use crate::lesson::{Knobs, glossary};
use crate::tui::effect::Effect;
use crate::tui::message::Message;
use crate::tui::model::{Model, Popup, Saying};

pub(super) fn in_popup(model: &mut Model, message: &Message) -> Vec<Effect> {
    let page = i16::try_from(model.size.1.saturating_sub(6)).unwrap_or(i16::MAX);
    let Some(popup) = &mut model.popup else { return Vec::new() };
    match (popup, message) {
        (Popup::Repair, message) => return in_repair(model, message),
        (_, Message::Close)
        | (
            Popup::Help(_) | Popup::Progress(_) | Popup::Compare | Popup::Survey | Popup::Details,
            Message::Accept,
        ) => {
            model.popup = None;
        }
        (Popup::Help(scroll) | Popup::Progress(scroll), Message::Down) => scroll.by(1),
        (Popup::Help(scroll) | Popup::Progress(scroll), Message::Up) => scroll.by(-1),
        (Popup::Help(scroll) | Popup::Progress(scroll), Message::PageDown) => scroll.by(page),
        (Popup::Help(scroll) | Popup::Progress(scroll), Message::PageUp) => scroll.by(-page),
        (Popup::Progress(_), Message::Less | Message::More) => {
            let before = model.learner.progress.retention;
            let retention = before.turned(matches!(message, Message::More));
            let wished = (retention != before).then_some(Effect::Note(Did::Wished { retention }));
            return wished.into_iter().collect();
        }
        (Popup::Takes(at), Message::Up | Message::Down | Message::Accept) => {
            let at = *at;
            return in_takes(model, at, message);
        }
        (Popup::Knobs(..), message) => return in_knobs(model, message),
        (Popup::Words(at), Message::Down) => *at = (*at + 1).min(glossary().len() - 1),
        (Popup::Words(at), Message::Up) => *at = at.saturating_sub(1),
        (Popup::Words(at), Message::Accept) => {
            let at = *at;
            return open_lesson_of(model, at);
        }
        (Popup::Details, Message::Up | Message::Down) => {
            let up = matches!(message, Message::Up);
            if let Some(session) = &mut model.session {
                session.scroll_log(if up { 1 } else { -1 });
            }
        }
        (Popup::Say(_), message) => return in_say(model, message),
        (Popup::Prompt(_), message) => return in_prompt(model, message),
        (Popup::Levers(worker, at), message) => {
            let (worker, at) = (*worker, *at);
            return in_levers(model, worker, at, message);
        }
        (Popup::Runs(at), message) => {
            let at = *at;
            return in_runs(model, at, message);
        }
        _ => {}
    }
    Vec::new()
}

/// Opens the lesson that shows a word.
fn open_lesson_of(model: &mut Model, at: usize) -> Vec<Effect> {
    let slug = glossary().get(at).map(|term| term.lesson.as_str());
    let Some(lesson) = model.lessons.iter().position(|lesson| Some(lesson.slug.as_str()) == slug) else {
        return Vec::new();
    };
    let seed = model.seed;
    open(model, lesson, 0, Knobs::new(), seed)
}

/// Asked, then graded by the learner, then on.
fn in_say(model: &mut Model, message: &Message) -> Vec<Effect> {
    let Some(lesson) = model.session.as_ref().map(|session| session.lesson().clone()) else {
        return Vec::new();
    };
    let points = lesson.study.say.as_ref().map_or(0, |say| say.points.len());
    let Some(Popup::Say(saying)) = &mut model.popup else { return Vec::new() };
    match (&mut *saying, message) {
        (Saying::Asked, Message::Accept) => *saying = Saying::Graded(BTreeSet::new()),
        (Saying::Graded(said), Message::Digit(point)) => {
            let ticked = said.remove(point);
            said.extend((!ticked && (1..=points).contains(&usize::from(*point))).then_some(*point));
        }
        (Saying::Graded(said), Message::Accept) => {
            let (said, of) = (u32::try_from(said.len()).unwrap_or(0), u32::try_from(points).unwrap_or(0));
            let mut effects = vec![Effect::Note(Did::Said { lesson: lesson.slug.clone(), points: said, of })];
            model.popup = None;
            let over = model.session.as_ref().is_some_and(|session| session.tape.newest().ended);
            if over {
                effects.extend(next_lesson(model));
            }
            return effects;
        }
        _ => {}
    }
    Vec::new()
}

fn in_takes(model: &mut Model, at: usize, message: &Message) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    let count = session.lesson().takes.len();
    match message {
        Message::Accept => {
            let (knobs, seed) = (session.order.knobs.clone(), session.order.seed);
            return reopen(model, at, knobs, seed);
        }
        Message::Down => model.popup = Some(Popup::Takes((at + 1) % count)),
        _ => model.popup = Some(Popup::Takes((at + count - 1) % count)),
    }
    Vec::new()
}

fn in_knobs(model: &mut Model, message: &Message) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    let lesson = session.lesson().clone();
    let Some(Popup::Knobs(at, values)) = &mut model.popup else { return Vec::new() };
    let count = lesson.knobs.len();
    match message {
        Message::Down => *at = (*at + 1) % count,
        Message::Up => *at = (*at + count - 1) % count,
        Message::Less | Message::More => {
            let knob = &lesson.knobs[*at];
            let step = if matches!(message, Message::More) { knob.step } else { -knob.step };
            if let Some(value) = values.get_mut(&knob.name) {
                *value = (*value + step).clamp(knob.min, knob.max);
            }
        }
        Message::Accept => {
            let (mut knobs, take, seed) = (values.clone(), session.order.take, session.order.seed);
            // What was not turned follows the next take, too.
            let setting = lesson.setting(take);
            knobs.retain(|name, value| setting.get(name) != Some(value));
            return reopen(model, take, knobs, seed);
        }
        _ => {}
    }
    Vec::new()
}
