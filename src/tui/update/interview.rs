//! Messages in a mock interview.

use std::collections::BTreeSet;

use super::dispatch::{open, pause};
use super::typing;
use crate::drill::{Did, Level};
use crate::lesson::Knobs;
use crate::tui::effect::Effect;
use crate::tui::interviewing::{Interviewing, Stage};
use crate::tui::message::Message;
use crate::tui::model::{Ground, Model};

/// Opens the interview where it was left; one of this level, if one is asked for.
pub(in crate::tui) fn open_interview(model: &mut Model, level: Option<Level>) -> Vec<Effect> {
    pause(model);
    model.popup = None;
    model.ground = Ground::Interview;
    match (level, &model.interviewing) {
        (Some(level), _) => begin(model, level),
        (None, Some(_)) => {}
        (None, None) => choose(model),
    }
    Vec::new()
}

/// Asks for a level; the cursor is on that of the last interview.
fn choose(model: &mut Model) {
    let last = model.learner.progress.interviews.last();
    model.interviewing = Some(Interviewing::choosing(last.map_or(Level::Senior, |last| last.level)));
}

fn begin(model: &mut Model, level: Level) {
    let before = model.learner.progress.interviews.iter().filter(|earlier| earlier.level == level).count();
    model.interviewing = Some(Interviewing::begin(level, before, model.learner.now));
}

pub(super) fn in_interview(model: &mut Model, message: &Message) -> Vec<Effect> {
    let now = model.learner.now;
    let Some(interview) = &mut model.interviewing else { return Vec::new() };
    let points = interview.question().map_or(0, |question| question.points(interview.outcome.level).len());
    match (&mut interview.stage, message) {
        (_, Message::Close) => {
            model.ground = if model.session.is_some() { Ground::Lesson } else { Ground::Map(0) };
        }
        (Stage::Choosing(level), Message::Up) => *level = turned(*level, -1),
        (Stage::Choosing(level), Message::Down) => *level = turned(*level, 1),
        (Stage::Choosing(level), Message::Accept) => {
            let level = *level;
            begin(model, level);
        }
        (Stage::Ready, Message::Accept) => interview.stage = Stage::Answering(now),
        (Stage::Ready, Message::EndInterview) => interview.stage = Stage::Over(0),
        (Stage::Answering(_), Message::Accept) => interview.give(now),
        (Stage::Answering(_), message) => {
            if let Some(request) = typing::request(message) {
                interview.draft.handle(request);
            }
        }
        (Stage::Ticking(said), Message::Digit(digit)) => {
            let point = usize::from(*digit).checked_sub(1).filter(|point| *point < points);
            tick(said, point);
        }
        (Stage::Ticking(_), Message::Up) => interview.scroll.by(-1),
        (Stage::Ticking(_), Message::Down) => interview.scroll.by(1),
        (Stage::Ticking(said), Message::Accept) => {
            let said = std::mem::take(said);
            return answered(interview, &said).into_iter().map(Effect::Note).collect();
        }
        (Stage::Over(at), Message::Up) => *at = at.saturating_sub(1),
        (Stage::Over(at), Message::Down) => {
            *at = (*at + 1).min(interview.outcome.missed.len().saturating_sub(1));
        }
        (Stage::Over(_), Message::Digit(digit)) => {
            let wanted = usize::from(*digit).checked_sub(1);
            return wanted.map_or_else(Vec::new, |wanted| look_again(model, wanted));
        }
        (Stage::Over(at), Message::Accept) => {
            let at = *at;
            return look_again(model, at);
        }
        (Stage::Over(_), Message::Again) => choose(model),
        _ => {}
    }
    Vec::new()
}

fn turned(level: Level, by: isize) -> Level {
    let at = Level::ALL.iter().position(|known| *known == level).unwrap_or(0);
    let at = at.saturating_add_signed(by).min(Level::ALL.len() - 1);
    Level::ALL[at]
}

/// A point that was said, or was not after all.
fn tick(said: &mut BTreeSet<usize>, point: Option<usize>) {
    if let Some(point) = point.filter(|point| !said.remove(point)) {
        said.insert(point);
    }
}

/// A question is done with: what is written down of it.
fn answered(interview: &mut Interviewing, said: &BTreeSet<usize>) -> Option<Did> {
    let question = interview.question()?;
    let flags: Vec<_> =
        interview.given.iter().flat_map(|given| &given.flags).map(|(_, flag)| *flag).collect();
    let did = interview.outcome.answered(question, said, &flags);
    interview.go_on();
    Some(did)
}

/// Opens a lesson of those that show what was missed.
fn look_again(model: &mut Model, at: usize) -> Vec<Effect> {
    let missed = model.interviewing.as_ref().and_then(|interview| interview.outcome.missed.keys().nth(at));
    let lesson = missed.and_then(|slug| model.lessons.iter().position(|lesson| lesson.slug == *slug));
    let seed = model.seed;
    lesson.map_or_else(Vec::new, |lesson| {
        let effects = open(model, lesson, 0, Knobs::new(), seed);
        model.notice = Some("I goes back to what else was missed".to_owned());
        effects
    })
}
