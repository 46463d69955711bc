//! Runs side by side.

use std::sync::Arc;

use super::dispatch::pause;
use crate::judge::Order;
use crate::tui::effect::{Effect, Task};
use crate::tui::model::{Comparison, Model, Popup, Side};
use crate::tui::session::Session;

/// Runs all takes of the lesson beside each other, with the knobs that were turned and the same seed.
pub(super) fn compare_takes(model: &mut Model) -> Vec<Effect> {
    pause(model);
    let Some(session) = &model.session else { return Vec::new() };
    model.runs += 1;
    let (lesson, number, seed) = (session.lesson().clone(), model.runs, session.order.seed);
    // What was done by hand, or tried by the judge, belongs to one take.
    let plain = Order { schedule: Vec::new(), repair: None, ..session.order.clone() };
    let orders = (0..lesson.takes.len()).map(|take| Order { take, ..plain.clone() }).collect();
    let sides = vec![Side::Running; lesson.takes.len()];
    let names = lesson.takes.iter().map(|take| (take.title.clone(), take.sound)).collect();
    model.comparison = Some(Comparison { lesson, seed, sides, names, number });
    model.popup = Some(Popup::Compare);
    vec![Effect::Lab(Task::Compare { number, orders })]
}

/// Puts the kept runs and the one on the screen side by side, each as far as it went.
pub(super) fn compare_runs(model: &mut Model) -> Vec<Effect> {
    let Some(session) = &model.session else { return Vec::new() };
    model.runs += 1;
    let (lesson, seed) = (session.lesson().clone(), session.order.seed);
    let runs = || model.kept.iter().chain([session]);
    let sides = runs().map(|run| Side::Ran(Arc::new(run.tape.newest().clone()))).collect();
    let names = runs().map(|run| (name(run), run.take().sound)).collect();
    model.comparison = Some(Comparison { lesson, seed, sides, names, number: model.runs });
    model.popup = Some(Popup::Compare);
    Vec::new()
}

fn name(run: &Session) -> String {
    format!("{} {}", run.run, run.take().title)
}
