//! The runs of a lesson: going on otherwise from a step, going back to an earlier run, and what is kept of one.

use super::compare::compare_runs;
use super::dispatch::begin;
use crate::judge::{Order, acts};
use crate::lab::{Intervention, Journal};
use crate::tui::answers::Answers;
use crate::tui::effect::{Effect, Task};
use crate::tui::files::FileTask;
use crate::tui::message::Message;
use crate::tui::model::{Model, Popup};
use crate::tui::scene::row_as_typed;
use crate::tui::session::{Pane, Session};

/// Begins a run and goes on to a step, through all beats and questions on the way: those were there before.
pub(in crate::tui) fn begin_at(model: &mut Model, order: Order, step: u32, answers: &Answers) -> Vec<Effect> {
    let effects = begin(model, order);
    if let Some(session) = &mut model.session {
        session.queued = (step > 0).then_some(Task::Replay(step));
        session.answers.recall(answers);
    }
    effects
}

/// The same run up to the step on the screen, to be gone on with otherwise.
pub(super) fn fork(model: &mut Model) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    if session.trouble.is_some() {
        return Vec::new();
    }
    let (step, answers) = (session.cursor, session.answers.clone());
    let order = Order { schedule: arranged_with(session, session.world.events), ..session.order.clone() };
    let effects = begin_at(model, order, step, &answers);
    model.notice =
        Some(format!("a new run, the same up to step {step}: ! ; e go on otherwise. L lists the runs"));
    effects
}

/// What was arranged for a run, with all that was done by hand in its first so many events.
fn arranged_with(session: &Session, events: usize) -> Vec<Intervention> {
    let arranged = session.order.schedule.iter().filter(|one| !matches!(one, Intervention::Act(_)));
    arranged.cloned().chain(acts(session.tape.events().iter().take(events))).collect()
}

pub(super) fn open_runs(model: &mut Model) -> Vec<Effect> {
    super::dispatch::pause(model);
    if model.kept.is_empty() {
        model.notice = Some("this is the first run of the lesson; r, e, t and f make more".to_owned());
    } else {
        model.popup = Some(Popup::Runs(model.kept.len() - 1));
    }
    Vec::new()
}

pub(super) fn in_runs(model: &mut Model, at: usize, message: &Message) -> Vec<Effect> {
    let count = model.kept.len();
    match message {
        Message::Down => model.popup = Some(Popup::Runs((at + 1) % count)),
        Message::Up => model.popup = Some(Popup::Runs((at + count - 1) % count)),
        Message::Compare => return compare_runs(model),
        Message::Accept => {
            let kept = model.kept.remove(at);
            let step = kept.tape.newest_step();
            let order = Order { schedule: arranged_with(&kept, usize::MAX), ..kept.order.clone() };
            return begin_at(model, order, step, &kept.answers);
        }
        _ => {}
    }
    Vec::new()
}

/// Puts a line on the clipboard: the row of the log as one would type it, or what reproduces the state on the screen.
pub(super) fn copy(model: &mut Model) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    let row = (session.focus == Pane::Log).then(|| row_as_typed(session)).flatten();
    let line = match row {
        Some(row) => row,
        None if session.order.repair.is_some() => {
            model.notice =
                Some("a run of your own program does not fit a line: X saves it as a file".to_owned());
            return Vec::new();
        }
        None => {
            let order =
                Order { schedule: arranged_with(session, session.world.events), ..session.order.clone() };
            format!("{} --step {}", order.line(), session.cursor)
        }
    };
    model.notice = Some(format!("copied: {line}"));
    vec![Effect::Copy(line)]
}

/// Saves the journal as far as it is recorded.
pub(super) fn save(model: &mut Model) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    let mut journal = Journal::default();
    journal.append(session.tape.events().iter().cloned());
    let mut text = Vec::new();
    if journal.write(&mut text).is_err() {
        return Vec::new();
    }
    let (number, take, seed) = (session.lesson().number(), &session.take().name, session.order.seed);
    let stem = format!("stampede-{number:02}-{take}-seed{seed}");
    vec![Effect::File(FileTask::SaveRun { stem, text: String::from_utf8_lossy(&text).into_owned() })]
}
