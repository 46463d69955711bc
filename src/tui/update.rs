//! The one place that changes the model.
//!
//! Pure: a message and a model go in, the model is changed and effects come out. Looking back never makes an effect;
//! that is how stepping back sends nothing to Redis.

use std::time::Duration;

use super::effect::{Effect, Task};
use super::host::Report;
use super::message::Message;
use super::model::{Ground, Model, Popup};
use super::session::{Answer, Asking, Motion, Pane, Reached, Session, Speed, Sureness, Trouble};
use crate::judge::Order;
use crate::lab::Span;
use crate::lesson::Knobs;

/// Said when something would run past an open question.
const ANSWER_FIRST: &str = "answer first, 1-4: a guess before the run teaches most. s just shows it";

/// Takes a message in.
pub(super) fn update(model: &mut Model, message: Message) -> Vec<Effect> {
    let by_key = !matches!(message, Message::Passed(_) | Message::Lab(_) | Message::Resized(..));
    if by_key {
        model.notice = None;
    }
    if !matches!(message, Message::Digit(_) | Message::Newest | Message::Passed(_) | Message::Lab(_)) {
        model.count = None;
    }
    let prefixed = std::mem::take(&mut model.prefixed);
    match message {
        Message::Quit => return vec![Effect::Quit],
        Message::Suspend => return vec![Effect::Suspend],
        Message::Redraw => return vec![Effect::Redraw],
        Message::Resized(width, height) => model.size = (width, height),
        Message::NextTheme => model.theme = model.theme.next(),
        Message::OpenHelp => model.popup = Some(Popup::Help(0)),
        Message::Lab(report) => return hear(model, report),
        Message::Passed(wall) => return pass(model, wall),
        Message::OpenMap => {
            pause(model);
            model.popup = None;
            model.ground = Ground::Map(model.lesson_index().unwrap_or(0));
        }
        message if model.popup.is_some() => return in_popup(model, &message),
        message => {
            return match model.ground {
                Ground::Map(at) => on_map(model, at, &message),
                Ground::Lesson => in_lesson(model, &message, prefixed),
            };
        }
    }
    Vec::new()
}

/// Opens a take and asks the lab for it.
pub(super) fn open(model: &mut Model, lesson: usize, take: usize, knobs: Knobs, seed: u64) -> Vec<Effect> {
    let Some(lesson) = model.lessons.get(lesson).cloned() else { return Vec::new() };
    model.runs += 1;
    model.progress.begin(&lesson);
    let order = Order { lesson, take, knobs, seed, prefix: model.prefix.clone() };
    let mut session = Session::new(order.clone(), model.runs);
    if let Some(old) = &model.session {
        session.focus = old.focus;
        session.zoomed = old.zoomed;
    }
    session.awaiting = true;
    model.session = Some(session);
    model.ground = Ground::Lesson;
    model.popup = None;
    vec![Effect::Lab(Task::Begin { run: model.runs, order })]
}

fn pause(model: &mut Model) {
    if let Some(session) = &mut model.session
        && session.motion == Motion::Playing
    {
        session.motion = Motion::Paused;
    }
}

// --- popups --------------------------------------------------------------------------------------------------

fn in_popup(model: &mut Model, message: &Message) -> Vec<Effect> {
    let page = model.size.1.saturating_sub(6);
    let Some(popup) = &mut model.popup else { return Vec::new() };
    match (popup, message) {
        (_, Message::Close) | (Popup::Help(_), Message::Accept) => model.popup = None,
        (Popup::Help(scroll), Message::Down) => *scroll += 1,
        (Popup::Help(scroll), Message::Up) => *scroll = scroll.saturating_sub(1),
        (Popup::Help(scroll), Message::PageDown) => *scroll += page,
        (Popup::Help(scroll), Message::PageUp) => *scroll = scroll.saturating_sub(page),
        (Popup::Takes(at), Message::Up | Message::Down | Message::Accept) => {
            let at = *at;
            return in_takes(model, at, message);
        }
        (Popup::Knobs(..), message) => return in_knobs(model, &message.clone()),
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
            let lesson = model.lesson_index().unwrap_or(0);
            return open(model, lesson, at, knobs, seed);
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
            let value = values.entry(knob.name.clone()).or_insert(knob.default);
            let step = if matches!(message, Message::More) { knob.step } else { -knob.step };
            // From an end of the range the first step leads back onto the grid of steps.
            *value = (*value + step).clamp(knob.min, knob.max);
        }
        Message::Accept => {
            let (knobs, take, seed) = (values.clone(), session.order.take, session.order.seed);
            let lesson = model.lesson_index().unwrap_or(0);
            return open(model, lesson, take, knobs, seed);
        }
        _ => {}
    }
    Vec::new()
}

// --- the map -------------------------------------------------------------------------------------------------

fn on_map(model: &mut Model, at: usize, message: &Message) -> Vec<Effect> {
    let last = model.lessons.len().saturating_sub(1);
    match message {
        Message::Down => model.ground = Ground::Map((at + 1).min(last)),
        Message::Up => model.ground = Ground::Map(at.saturating_sub(1)),
        Message::First => model.ground = Ground::Map(0),
        Message::Newest => model.ground = Ground::Map(last),
        Message::Close if model.session.is_some() => model.ground = Ground::Lesson,
        Message::Accept if model.lesson_index() == Some(at) => model.ground = Ground::Lesson,
        Message::Accept => {
            let seed = model.seed;
            return open(model, at, 0, Knobs::new(), seed);
        }
        _ => {}
    }
    Vec::new()
}

// --- the lesson ----------------------------------------------------------------------------------------------

fn in_lesson(model: &mut Model, message: &Message, prefixed: bool) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    match message {
        Message::Prefix if prefixed => stop_at(session, 0),
        Message::Prefix => model.prefixed = true,
        Message::Digit(digit) => match session.asked() {
            Some(_) => return answer(session, *digit),
            None => {
                model.count =
                    Some(model.count.unwrap_or(0).saturating_mul(10).saturating_add(u32::from(*digit)));
            }
        },
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
            let (take, knobs) = (session.order.take, session.order.knobs.clone());
            let seed = if fresh { session.order.seed.wrapping_add(1) } else { session.order.seed };
            let lesson = model.lesson_index().unwrap_or(0);
            return open(model, lesson, take, knobs, seed);
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
        Pane::Log => {
            session.log_scroll = session.log_scroll.saturating_add_signed(-by);
            return;
        }
    };
    *place = place.saturating_add_signed(by);
}

fn stop_at(session: &mut Session, step: u32) {
    session.motion = Motion::Paused;
    session.story_scroll = 0;
    session.go_to(step);
}

fn back(session: &mut Session) {
    let between = session.now > session.tape.time_of(session.cursor);
    let step = if between { session.cursor } else { session.cursor.saturating_sub(1) };
    stop_at(session, step);
}

fn previous_beat(session: &mut Session) {
    let before = session.reached.iter().rev().find(|reached| reached.step < session.cursor);
    let step = before.map_or(0, |reached| reached.step);
    stop_at(session, step);
}

fn to_step(session: &mut Session, step: u32) -> Vec<Effect> {
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

/// Stops before an open question, and shows it. Returns true when the run may not go on.
fn gate(session: &mut Session) -> bool {
    if session.open_question().is_none() {
        return false;
    }
    session.motion = Motion::Paused;
    if session.asking == Asking::No {
        session.asking = Asking::Choosing;
        session.story_scroll = 0;
    }
    true
}

/// Has the lab do something at the newest step; in the past the cursor only moves.
fn go(model: &mut Model, task: Task) -> Vec<Effect> {
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
    if session.asked().is_some() {
        model.notice = Some(ANSWER_FIRST.to_owned());
        return Vec::new();
    }
    if gate(session) {
        return Vec::new();
    }
    run(session, task)
}

/// Hands the lab a task, unless it is busy or done.
fn run(session: &mut Session, task: Task) -> Vec<Effect> {
    if session.trouble.is_some() || session.tape.newest().ended {
        return Vec::new();
    }
    if session.awaiting {
        session.queued = Some(task);
        return Vec::new();
    }
    session.awaiting = true;
    session.motion = Motion::Running;
    session.story_scroll = 0;
    vec![Effect::Lab(task)]
}

fn play_pause(model: &mut Model) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    match session.motion {
        Motion::Playing | Motion::Running => {
            session.motion = Motion::Paused;
            return Vec::new();
        }
        Motion::Paused => {}
    }
    if session.is_live() {
        if session.asked().is_some() {
            model.notice = Some(ANSWER_FIRST.to_owned());
            return Vec::new();
        }
        if gate(session) {
            return Vec::new();
        }
        if session.tape.newest().ended || session.trouble.is_some() {
            model.notice =
                Some("this run has ended: r runs it again, t chooses another take, m is the map".to_owned());
            return Vec::new();
        }
    }
    session.motion = Motion::Playing;
    session.story_scroll = 0;
    Vec::new()
}

fn accept(model: &mut Model) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    if let Asking::Sure(_) = session.asking {
        return answer(session, 2);
    }
    if session.is_live() && session.tape.newest().ended {
        let (take, takes) = (session.order.take, session.lesson().takes.len());
        if take + 1 < takes {
            let (knobs, seed) = (session.order.knobs.clone(), session.order.seed);
            let lesson = model.lesson_index().unwrap_or(0);
            return open(model, lesson, take + 1, knobs, seed);
        }
        return next_lesson(model);
    }
    if session.motion == Motion::Paused { play_pause(model) } else { Vec::new() }
}

fn next_lesson(model: &mut Model) -> Vec<Effect> {
    let Some(index) = model.lesson_index() else { return Vec::new() };
    let stand = model.progress.stand(&model.lessons[index]);
    if stand < super::progress::Stand::Watched {
        model.notice =
            Some("this lesson has takes you have not seen to the end (t); m goes to the map".to_owned());
        return Vec::new();
    }
    if index + 1 >= model.lessons.len() {
        model.ground = Ground::Map(index);
        return Vec::new();
    }
    let seed = model.seed;
    open(model, index + 1, 0, Knobs::new(), seed)
}

// --- questions -----------------------------------------------------------------------------------------------

fn answer(session: &mut Session, digit: u8) -> Vec<Effect> {
    let Some((beat, prediction)) = session.asked() else { return Vec::new() };
    let choices = prediction.choices.len();
    match session.asking {
        Asking::Choosing if usize::from(digit) <= choices => {
            session.asking = Asking::Sure(usize::from(digit) - 1);
        }
        Asking::Sure(choice) => {
            let sureness = match digit {
                1 => Sureness::Guess,
                2 => Sureness::ThinkSo,
                3 => Sureness::Certain,
                _ => return Vec::new(),
            };
            session.answers[beat] = Some(Answer::Chosen(choice, sureness));
            session.asking = Asking::No;
            session.motion = Motion::Playing;
        }
        _ => {}
    }
    Vec::new()
}

fn pass_over(session: &mut Session) -> Vec<Effect> {
    if let Some((beat, _)) = session.asked() {
        session.answers[beat] = Some(Answer::PassedOver);
        session.asking = Asking::No;
        session.motion = Motion::Playing;
    }
    Vec::new()
}

// --- time and news -------------------------------------------------------------------------------------------

/// Wall time passed while playing.
fn pass(model: &mut Model, wall: Duration) -> Vec<Effect> {
    let factor = model.speed.factor();
    let Some(session) = &mut model.session else { return Vec::new() };
    if session.motion != Motion::Playing {
        return Vec::new();
    }
    let target = session.now + Span::from_micros((wall.as_micros() as f64 * factor) as u64);
    if session.is_live() {
        if session.awaiting {
            return Vec::new();
        }
        session.awaiting = true;
        return vec![Effect::Lab(Task::Advance(target))];
    }
    // Playing back what is on the tape, with the same stops.
    let next_beat = session.reached.iter().find(|reached| reached.step > session.cursor).copied();
    let step = session.tape.step_at(target);
    match next_beat {
        Some(Reached { step: beat }) if step >= beat => stop_at(session, beat),
        _ if target >= session.head => session.go_to_head(),
        _ => session.show(step.max(session.cursor), target),
    }
    Vec::new()
}

fn hear(model: &mut Model, report: Report) -> Vec<Effect> {
    let Some(session) = &mut model.session else { return Vec::new() };
    match report {
        Report::Began { run, server, events } if run == session.run => {
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
            let newest = session.tape.newest_step();
            session.reached.extend(beats.iter().map(|_| Reached { step: newest }));
            session.head = session.head.max(now);
            if was_live {
                follow(session, at_rest, !beats.is_empty());
            }
            if session.is_over() {
                let answered = session.all_answered();
                model.progress.end(&session.order.lesson.clone(), session.order.take, answered);
            }
        }
        Report::Failed { run, message, hint } if run == session.run => {
            session.awaiting = false;
            session.motion = Motion::Paused;
            session.trouble = Some(Trouble { message, hint });
        }
        // News of a run that has been left.
        _ => {}
    }
    // The lab is free for what was asked for meanwhile, unless a question has come up.
    match session.queued.take() {
        Some(task) if session.awaiting => session.queued = Some(task),
        Some(task) if !gate(session) => return run(session, task),
        _ => {}
    }
    Vec::new()
}

/// Brings the cursor along with the lab.
fn follow(session: &mut Session, at_rest: bool, beat: bool) {
    let stops = beat || session.tape.newest().ended;
    session.go_to_head();
    if stops || (at_rest && session.motion == Motion::Running) {
        session.motion = Motion::Paused;
    }
}
