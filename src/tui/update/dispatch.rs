//! Which part of the app a message is for.

use super::drill::{heard, in_drill, noted, open_cards};
use super::interview::{in_interview, open_interview};
use super::lesson::in_lesson;
use super::map::on_map;
use super::news::{hear, pass};
use super::popup::in_popup;
use super::reload::reload;
use crate::drill::Did;
use crate::judge::Order;
use crate::lab::Intervention;
use crate::lesson::Knobs;
use crate::tui::effect::{Effect, Task};
use crate::tui::files::FileReport;
use crate::tui::message::Message;
use crate::tui::model::{Ground, Model, Popup};
use crate::tui::scroll::Scroll;
use crate::tui::session::{Motion, Session};

/// Takes a message in.
pub(in crate::tui) fn update(model: &mut Model, message: Message) -> Vec<Effect> {
    let by_key = message.is_key();
    if by_key {
        model.notice = None;
    }
    if by_key && !matches!(message, Message::Digit(_) | Message::Newest) {
        model.count = None;
    }
    let prefixed = by_key && std::mem::take(&mut model.prefixed);
    match message {
        Message::Quit => return vec![Effect::Quit],
        Message::Suspend => return vec![Effect::Suspend],
        Message::Redraw => return vec![Effect::Redraw],
        Message::Resized(width, height) => model.size = (width, height),
        Message::NextTheme => model.theme = model.theme.next(),
        Message::OpenWords => {
            pause(model);
            model.popup = Some(Popup::Words(0));
        }
        Message::OpenHelp => model.popup = Some(Popup::Help(Scroll::default())),
        Message::Lab(report) => return hear(model, report),
        Message::File(report) => read(model, report),
        Message::Reloaded(lessons) => return reload(model, lessons),
        Message::Heard(entries) => return heard(model, &entries),
        Message::BegunAnew(progress) => {
            model.learner.progress = *progress;
            model.notice =
                Some("another program has begun anew; what there was is kept beside it".to_owned());
        }
        Message::Ticked => {}
        Message::Noted { entries, trouble } => {
            let mut effects = heard(model, &entries);
            model.notice = trouble.or_else(|| model.notice.take());
            effects.extend(noted(model));
            return effects;
        }
        Message::OpenCards => return open_cards(model),
        Message::OpenInterview => return open_interview(model, None),
        Message::OpenProgress => {
            pause(model);
            model.popup = Some(Popup::Progress(Scroll::default()));
        }
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
                Ground::Drill => in_drill(model, &message),
                Ground::Interview => in_interview(model, &message),
            };
        }
    }
    Vec::new()
}

/// Runs the same once more, with nothing done by hand.
pub(super) fn again(model: &mut Model, seed: u64) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    let mut order = Order { seed, ..session.order.clone() };
    order.schedule.retain(|one| !matches!(one, Intervention::Act(_)));
    begin(model, order)
}

/// Opens another take, or other knobs or another seed, of the lesson being played.
pub(super) fn reopen(model: &mut Model, take: usize, knobs: Knobs, seed: u64) -> Vec<Effect> {
    let Some(lesson) = model.lesson_index() else { return Vec::new() };
    open(model, lesson, take, knobs, seed)
}

/// Opens a take and asks the lab for it.
pub(super) fn open(model: &mut Model, lesson: usize, take: usize, knobs: Knobs, seed: u64) -> Vec<Effect> {
    let Some(lesson) = model.lessons.get(lesson).cloned() else { return Vec::new() };
    let order = Order { knobs, prefix: model.prefix.clone(), ..Order::new(lesson, take, seed) };
    begin(model, order)
}

/// Begins a run and asks the lab for it.
pub(in crate::tui) fn begin(model: &mut Model, order: Order) -> Vec<Effect> {
    model.runs += 1;
    let mut session = Session::new(order.clone(), model.runs);
    if let Some(old) = model.session.take() {
        session.focus = old.focus;
        session.zoomed = old.zoomed;
        keep(model, old, &order);
    }
    session.awaiting = true;
    model.session = Some(session);
    model.ground = Ground::Lesson;
    model.popup = None;
    let opened = (order.lesson.slug.clone(), order.lesson.takes[order.take].name.clone());
    let mut effects = Vec::new();
    if model.learner.progress.last.as_ref() != Some(&opened) {
        effects.push(Effect::Note(Did::Opened { lesson: opened.0, take: opened.1 }));
    }
    effects.push(Effect::Lab(Task::Begin { run: model.runs, order }));
    effects
}

/// Of the runs of a lesson so many are kept.
const KEPT: usize = 12;

/// Keeps a run that got anywhere, until another lesson is opened.
fn keep(model: &mut Model, old: Session, next: &Order) {
    if old.lesson().slug != next.lesson.slug {
        model.kept.clear();
    } else if old.tape.newest_step() > 0 {
        model.kept.push(old);
        if model.kept.len() > KEPT {
            model.kept.remove(0);
        }
    }
}

/// Takes in what came of a file.
fn read(model: &mut Model, report: FileReport) {
    match report {
        FileReport::Program(source) => super::repair::read(model, source),
        FileReport::Told(text) => model.notice = Some(text),
    }
}

pub(super) fn pause(model: &mut Model) {
    if let Some(session) = &mut model.session
        && session.motion == Motion::Playing
    {
        session.motion = Motion::Paused;
    }
}
