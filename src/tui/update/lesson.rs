//! Messages in a lesson.

use super::compare::compare_takes;
use super::dispatch::{again, open, pause, reopen};
use super::levers::open_levers;
use super::prompt::open_prompt;
use super::question::{answer, pass_over};
use super::repair::open_repair;
use super::runs::{copy, fork, open_runs, save};
use super::travel::{LOOK_FIRST, back, go, play_pause, previous_beat, stop_at, to_step};
use crate::drill::Standing;
use crate::lesson::Knobs;
use crate::tui::answers::Asking;
use crate::tui::effect::{Effect, Task};
use crate::tui::message::Message;
use crate::tui::model::{Ground, Model, Popup, Saying, Surveying};
use crate::tui::session::{Motion, Pane, Session, Speed, Trouble};

pub(super) fn in_lesson(model: &mut Model, message: &Message, prefixed: bool) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    match message {
        Message::Prefix if prefixed => stop_at(session, 0),
        Message::Prefix => model.prefixed = true,
        Message::Digit(digit) if session.asks() => return answer(session, *digit),
        Message::Digit(digit) => {
            model.count = Some(model.count.unwrap_or(0).saturating_mul(10).saturating_add(u32::from(*digit)));
        }
        Message::Newest => {
            return if let Some(step) = model.count.take() {
                to_step(session, step)
            } else {
                stop_at(session, u32::MAX);
                Vec::new()
            };
        }
        Message::First => stop_at(session, 0),
        Message::Back => back(session),
        Message::PreviousBeat => previous_beat(session),
        Message::PlayPause => return play_pause(model),
        Message::Step => return go(model, Task::Step),
        Message::NextBeat => return go(model, Task::ToBeat),
        Message::Accept if session.focus == Pane::Log && !session.world.log.is_empty() => {
            pause(model);
            model.popup = Some(Popup::Details);
        }
        Message::Accept => return accept(model),
        Message::TakeBack if session.asked().is_some() => {
            session.asking = Asking::Choosing;
        }
        Message::JustShow => return pass_over(session),
        Message::Slower => model.speed = model.speed.slower(),
        Message::Faster => model.speed = model.speed.faster(),
        Message::NormalSpeed => model.speed = Speed::NORMAL,
        Message::Again | Message::AgainWithNewSeed => {
            let fresh = matches!(message, Message::AgainWithNewSeed);
            let seed = if fresh { session.order.seed.wrapping_add(1) } else { session.order.seed };
            return again(model, seed);
        }
        Message::OpenTakes => {
            let take = session.order.take;
            pause(model);
            model.popup = Some(Popup::Takes(take));
        }
        Message::OpenKnobs if session.lesson().knobs.is_empty() => {
            model.notice = Some("this lesson has no knobs to turn".to_owned());
        }
        Message::OpenKnobs => {
            let knobs = session.knobs();
            pause(model);
            model.popup = Some(Popup::Knobs(0, knobs));
        }
        Message::Compare => return compare_takes(model),
        Message::OpenPrompt => return open_prompt(model),
        Message::OpenLevers => return open_levers(model),
        Message::OpenRuns => return open_runs(model),
        Message::OpenRepair => return open_repair(model),
        Message::Fork => return fork(model),
        Message::Copy => return copy(model),
        Message::SaveRun => return save(model),
        Message::Survey => return survey(model),
        Message::OpenSay if session.lesson().study.say.is_none() => {
            model.notice = Some("this lesson has no question to answer aloud".to_owned());
        }
        Message::OpenSay => {
            pause(model);
            model.popup = Some(Popup::Say(Saying::Asked));
        }
        Message::NextLesson => return next_lesson(model),
        Message::NextPane => session.focus = turn(session.focus, 1),
        Message::PreviousPane => session.focus = turn(session.focus, PANES.len() - 1),
        Message::Zoom if session.focus == Pane::Timeline => session.magnified = (session.magnified + 1) % 5,
        Message::Zoom => session.zoomed = !session.zoomed,
        Message::Close => session.zoomed = false,
        Message::Down => scroll(session, 1),
        Message::Up => scroll(session, -1),
        _ => {}
    }
    Vec::new()
}

/// Opens the lesson's survey; one that was made for this lesson is shown as it is, with the knob where it stands now.
fn survey(model: &mut Model) -> Vec<Effect> {
    pause(model);
    let Some(session) = &model.session else { return Vec::new() };
    let lesson = session.lesson().clone();
    let Some(survey) = &lesson.survey else {
        model.notice = Some("this lesson has no survey; C compares its takes".to_owned());
        return Vec::new();
    };
    let knob = session.knobs().get(&survey.knob).copied().unwrap_or_default();
    model.popup = Some(Popup::Survey);
    if let Some(known) = model.surveying.as_mut().filter(|known| known.lesson.slug == lesson.slug) {
        known.knob = knob;
        return Vec::new();
    }
    model.runs += 1;
    let number = model.runs;
    let points = Vec::new();
    model.surveying = Some(Surveying { lesson: lesson.clone(), knob, points, trouble: None, number });
    vec![Effect::Lab(Task::Survey { number, lesson })]
}

const PANES: [Pane; 4] = [Pane::Story, Pane::Program, Pane::Log, Pane::Timeline];

fn turn(pane: Pane, by: usize) -> Pane {
    let at = PANES.iter().position(|known| *known == pane).unwrap_or(0);
    PANES[(at + by) % PANES.len()]
}

fn scroll(session: &mut Session, by: i16) {
    let place = match session.focus {
        Pane::Story | Pane::Timeline => &mut session.story_scroll,
        Pane::Program => &mut session.program_scroll,
        // The log reads upwards from its newest row.
        Pane::Log => return session.scroll_log(-by),
    };
    place.by(by);
}

fn accept(model: &mut Model) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    if let Asking::Sure(_) = session.asking {
        return answer(session, 2);
    }
    if session.asked_what_was_seen().is_some() {
        model.notice = Some(LOOK_FIRST.to_owned());
        return Vec::new();
    }
    let lacking = matches!(session.trouble, Some(Trouble::Lacking { .. }));
    if lacking || (session.is_live() && session.tape.newest().ended) {
        let (take, takes) = (session.order.take, session.lesson().takes.len());
        if take + 1 < takes {
            let (knobs, seed) = (session.order.knobs.clone(), session.order.seed);
            return reopen(model, take + 1, knobs, seed);
        }
        let lesson = session.lesson().clone();
        if lesson.study.say.is_some() && !model.learner.has_said(&lesson) {
            model.popup = Some(Popup::Say(Saying::Asked));
            return Vec::new();
        }
        return next_lesson(model);
    }
    if session.motion == Motion::Paused { play_pause(model) } else { Vec::new() }
}

pub(super) fn next_lesson(model: &mut Model) -> Vec<Effect> {
    let Some(index) = model.lesson_index() else { return Vec::new() };
    let lesson = &model.lessons[index];
    let undone =
        lesson.takes.iter().position(|take| model.learner.take_stand(lesson, &take.name) < Standing::Done);
    if let Some(take) = undone {
        model.popup = Some(Popup::Takes(take));
        model.notice =
            Some("not done yet: a take is when its questions are answered; m is the map".to_owned());
        return Vec::new();
    }
    if index + 1 >= model.lessons.len() {
        model.ground = Ground::Map(index);
        return Vec::new();
    }
    let seed = model.seed;
    open(model, index + 1, 0, Knobs::new(), seed)
}
