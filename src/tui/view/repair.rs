//! The workbench: the learner's program, and what the judge has to say of it.

use ratatui::layout::{Constraint, Layout, Rect};

use super::paint::{Edge, Paint};
use super::prose::{Line, hang, ticked, wrap};
use crate::judge::{Counterexample, Progress};
use crate::lesson::Repair;
use crate::tui::learner::Score;
use crate::tui::model::Model;
use crate::tui::theme::Tone;
use crate::tui::workbench::{Verdict, Workbench};

/// As wide as prose is good to read.
const WIDEST: u16 = 88;

/// Columns for the program: as wide as programs are, with a margin for numbers.
const PROGRAM: u16 = 49;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, model: &Model, bench: &Workbench) {
    let Some(repair) = bench.repair() else { return };
    paint.clear(area);
    let title = format!("repair  {}", bench.lesson.title);
    let right = [(bench.path.display().to_string(), Tone::Dim)];
    let inner = paint.pane(area, Edge::Box, &title, &right, true);
    let [body, hint] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(inner);
    let sides = [Constraint::Length(PROGRAM.min(body.width / 2 + 6)), Constraint::Fill(1)];
    let [left, right] = Layout::horizontal(sides).areas(body);
    let right = Rect::new(right.x + 1, right.y, right.width.saturating_sub(1).min(WIDEST), right.height);
    let lines = told(paint, model, bench, repair, right.width);
    let hidden = (lines.len() as u16).saturating_sub(right.height);
    // Both sides are scrolled at once; of the program, half a page stays in sight.
    let source = if bench.shows_solution { Some(&repair.solution.source) } else { bench.source.as_ref() };
    let longest = source.map_or(0, |source| source.lines().count() + usize::from(right.height / 2));
    let out = bench.scroll.out(longest.max(lines.len()), right.height);
    program(paint, left, bench, source, usize::from(out));
    for (y, line) in (right.y..right.bottom()).zip(lines.iter().skip(usize::from(out.min(hidden)))) {
        paint.pieces(right.x, y, line, right.width);
    }
    let keys = match &model.notice {
        Some(notice) => notice.as_str(),
        None => "E edit   c judge   i hint   s solution   x anew   Enter shows what broke it   Esc",
    };
    let tone = if model.notice.is_some() { Tone::Accent } else { Tone::Dim };
    paint.text(hint.x + 1, hint.y, keys, tone, hint.width.saturating_sub(1));
}

fn program(paint: &mut Paint<'_>, area: Rect, bench: &Workbench, source: Option<&String>, out: usize) {
    let Some(source) = source else {
        paint.text(area.x + 1, area.y, "there is no program yet: E writes one", Tone::Dim, area.width);
        return;
    };
    let error = bench.error.as_ref().filter(|_| !bench.shows_solution);
    let mut y = area.y;
    let most = source.lines().count().saturating_sub(usize::from(area.height / 2));
    for (number, text) in (1_u32..).zip(source.lines()).skip(out.min(most)) {
        if y >= area.bottom() {
            return;
        }
        let wrong = error.is_some_and(|(line, _)| *line == number);
        let tone = if wrong { Tone::Bad } else { Tone::Dim };
        let used = paint.text(area.x, y, &format!("{number:>3} "), tone, 4);
        let (code, comment) = text.find("--").map_or((text, ""), |at| text.split_at(at));
        let room = area.width.saturating_sub(used);
        let code = paint.text(area.x + used, y, code, Tone::Code, room);
        paint.text(area.x + used + code, y, comment, Tone::Dim, room.saturating_sub(code));
        y += 1;
        if let Some((_, message)) = error.filter(|_| wrong) {
            let text = hang("    ^ ", Tone::Bad, &[(message.clone(), Tone::Bad)], area.width);
            for (row, line) in (y..area.bottom()).zip(&text) {
                paint.pieces(area.x, row, line, area.width);
                y += 1;
            }
        }
    }
}

/// What there is to say, newest first: the verdict, the hints, and below them the task with its laws.
fn told(paint: &Paint<'_>, model: &Model, bench: &Workbench, repair: &Repair, width: u16) -> Vec<Line> {
    let mut lines = Vec::new();
    match (&bench.judging, &bench.verdict) {
        (Some(judging), _) => lines.extend(wrap(&[(progress(judging.progress), Tone::Accent)], width)),
        (None, Some(verdict)) => lines.extend(verdict_lines(bench, verdict, width)),
        (None, None) => {}
    }
    if let Some(Score { queries, solution }) = model.learner.score(&bench.lesson) {
        let of = solution.map(|solution| format!("; the solution makes {solution}")).unwrap_or_default();
        lines
            .extend(wrap(&[(format!("your best: {queries} queries over all seeds{of}"), Tone::Good)], width));
    }
    if bench.shows_solution {
        lines.push(vec![("On the left: the model solution.".to_owned(), Tone::Accent)]);
    }
    for (number, hint) in (1..).zip(repair.hints.iter().take(bench.hints)) {
        lines.extend(hang(&format!("hint {number}  "), Tone::Accent, &ticked(hint, Tone::Plain), width));
    }
    if !lines.is_empty() {
        lines.push(Line::new());
    }
    lines.extend(wrap(&ticked(&repair.task, Tone::Plain), width));
    lines.push(Line::new());
    lines.push(vec![("Whatever goes wrong:".to_owned(), Tone::Dim)]);
    let world = crate::lab::World::default();
    for law in bench.lesson.trial.laws_of_repair() {
        let text = without_measures(&law.text.text(&world));
        lines.extend(hang(paint.glyphs.pick("· ", "- "), Tone::Dim, &[(text, Tone::Plain)], width));
    }
    lines
}

fn progress(progress: Progress) -> String {
    let Progress { tried, known, depth } = progress;
    let what = match depth {
        0 => "seeds".to_owned(),
        1 => "one thing goes wrong".to_owned(),
        n => format!("{n} things go wrong"),
    };
    format!("the judge tries {tried} of {known} schedules: {what} …")
}

fn verdict_lines(bench: &Workbench, verdict: &Verdict, width: u16) -> Vec<Line> {
    let mut lines = Vec::new();
    let stale = bench.source.as_ref() != Some(&verdict.source);
    let found = match &verdict.outcome {
        Err(why) => return wrap(&[(why.clone(), Tone::Bad)], width),
        Ok(found) => found,
    };
    match &found.counterexample {
        None => {
            let text = format!("Your fix survives {found}.");
            lines.extend(wrap(&[(text, Tone::Good)], width));
        }
        Some(Counterexample { order, breach }) => {
            lines.extend(wrap(&[(format!("BROKEN: {}", breach.text), Tone::Bad)], width));
            let how = if order.schedule.is_empty() { "as it stands" } else { "when this goes wrong, too:" };
            lines.extend(wrap(&[(format!("at step {}, {how}", breach.step), Tone::Plain)], width));
            for one in &order.schedule {
                lines.extend(hang("  ", Tone::Plain, &[(one.to_string(), Tone::Strong)], width));
            }
            lines.push(vec![("Enter plays it up to there.".to_owned(), Tone::Dim)]);
        }
    }
    if stale {
        lines.push(vec![("(you have changed it since)".to_owned(), Tone::Dim)]);
    }
    lines
}

/// A law without the number in brackets that says how a run has done.
fn without_measures(text: &str) -> String {
    match (text.find(" ("), text.rfind(')')) {
        (Some(from), Some(to)) if from < to => {
            let (before, rest) = text.split_at(from);
            format!("{before}{}", rest.get(to - from + 1..).unwrap_or_default())
        }
        _ => text.to_owned(),
    }
}
