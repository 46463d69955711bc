//! Messages at the workbench: the learner's repair, judged.

use std::sync::Arc;

use super::dispatch::pause;
use super::runs::begin_at;
use crate::drill::Did;
use crate::judge::{Exploration, Progress};
use crate::tui::answers::Answers;
use crate::tui::effect::{Effect, Task};
use crate::tui::files::FileTask;
use crate::tui::message::Message;
use crate::tui::model::{Model, Popup};
use crate::tui::session::{Breach, Pane};
use crate::tui::workbench::{Judging, TRIES, Verdict, Workbench};

pub(super) fn open_repair(model: &mut Model) -> Vec<Effect> {
    pause(model);
    let Some(lesson) = model.session.as_ref().map(|session| session.lesson().clone()) else {
        return Vec::new();
    };
    let Some(repair) = &lesson.trial.repair else {
        model.notice = Some("this lesson has nothing to repair".to_owned());
        return Vec::new();
    };
    let given = repair.program.source.clone();
    let known = model.workbench.take().filter(|known| known.lesson.slug == lesson.slug);
    let bench = known.unwrap_or_else(|| Workbench::new(Arc::clone(&lesson), &model.state));
    let path = bench.path.clone();
    model.workbench = Some(bench);
    model.popup = Some(Popup::Repair);
    vec![Effect::File(FileTask::Open { path, given })]
}

pub(super) fn in_repair(model: &mut Model, message: &Message) -> Vec<Effect> {
    let (seed, prefix) = (model.seed, model.prefix.clone());
    let Some(bench) = &mut model.workbench else { return Vec::new() };
    match message {
        Message::Close => {
            let judging = bench.judging.take().is_some();
            model.popup = None;
            if judging {
                model.notice = Some("the judge has stopped".to_owned());
                return vec![Effect::Lab(Task::StopJudging)];
            }
        }
        Message::Edit => return vec![Effect::Edit(bench.path.clone())],
        Message::Judge if bench.judging.is_some() || bench.error.is_some() => {}
        Message::Judge => {
            let Some(order) = bench.order(seed, &prefix) else { return Vec::new() };
            model.runs += 1;
            bench.judging = Some(Judging { number: model.runs, progress: Progress::default() });
            return vec![Effect::Lab(Task::Judge { number: model.runs, order })];
        }
        Message::Hint => {
            let all = bench.repair().map_or(0, |repair| repair.hints.len());
            bench.hints = (bench.hints + 1).min(all);
        }
        Message::Solution if bench.may_see_solution() => bench.shows_solution = !bench.shows_solution,
        Message::Solution => {
            let missing = TRIES - bench.tried.len();
            let tries =
                if missing == 1 { "one honest try".to_owned() } else { format!("{missing} honest tries") };
            model.notice =
                Some(format!("the solution opens after {tries} more: change the program, c judges it"));
        }
        Message::Reset => {
            let given = bench.repair().map(|repair| repair.program.source.clone()).unwrap_or_default();
            let path = bench.path.clone();
            return vec![Effect::File(FileTask::Reset { path, given })];
        }
        Message::Down => bench.scroll.by(1),
        Message::Up => bench.scroll.by(-1),
        Message::Accept => return play_counterexample(model),
        _ => {}
    }
    Vec::new()
}

/// Plays the shortest schedule that breaks the program, up to the step where the law broke.
fn play_counterexample(model: &mut Model) -> Vec<Effect> {
    let verdict = model.workbench.as_ref().and_then(|bench| bench.verdict.as_ref());
    let found = verdict.and_then(|verdict| verdict.outcome.as_ref().ok());
    let Some(counterexample) = found.and_then(|found| found.counterexample.clone()) else {
        return Vec::new();
    };
    let step = counterexample.breach.step;
    let effects = begin_at(model, counterexample.order, step, &Answers::default());
    if let Some(session) = &mut model.session {
        session.breach = Some(Breach { step, law: counterexample.breach.text });
        session.focus = Pane::Story;
        session.zoomed = false;
    }
    effects
}

/// The learner's program, as it is in its file.
pub(super) fn read(model: &mut Model, source: String) {
    if let Some(bench) = &mut model.workbench {
        bench.read(source);
    }
}

/// How far the judge is.
pub(super) fn explored(model: &mut Model, number: u32, progress: Progress) {
    let judging = model.workbench.as_mut().and_then(|bench| bench.judging.as_mut());
    if let Some(judging) = judging.filter(|judging| judging.number == number) {
        judging.progress = progress;
    }
}

/// What the judge found.
pub(super) fn judged(
    model: &mut Model,
    number: u32,
    source: String,
    outcome: Result<Arc<Exploration>, String>,
    solution: Option<usize>,
) -> Vec<Effect> {
    let bench = model
        .workbench
        .as_mut()
        .filter(|bench| bench.judging.is_some_and(|judging| judging.number == number));
    let Some(bench) = bench else { return Vec::new() };
    let survived = outcome.as_ref().ok().filter(|found| found.survives());
    let queries = survived.map(|found| found.queries as u64);
    bench.judged(Verdict { source, outcome });
    let Some(queries) = queries else { return Vec::new() };
    let (lesson, solution) = (bench.lesson.slug.clone(), solution.map(|queries| queries as u64));
    let best = model.learner.score(&bench.lesson).map(|best| best.queries);
    let better = best.is_none_or(|best| queries < best);
    better.then_some(Effect::Note(Did::Repaired { lesson, queries, solution })).into_iter().collect()
}
