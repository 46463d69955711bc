//! The mock interview: a question and its clock, the rubric, and what to look at again.

use std::collections::BTreeSet;
use std::time::Duration;

use ratatui::layout::Rect;

use super::paint::{Edge, Paint, Piece};
use super::prose::{Line, hang, ticked, wrap};
use super::report;
use super::transport;
use super::typed::fold;
use crate::drill::{Interview, Level, spoken};
use crate::tui::interviewing::{Given, Interviewing, Stage};
use crate::tui::model::Model;
use crate::tui::theme::Tone;

/// As wide as prose is good to read.
const WIDTH: u16 = 78;

/// Columns of the clock's bar.
const BAR: usize = 30;

/// Interviews beside which one is put.
const TREND: usize = 4;

/// Rows for an answer that is typed.
const TYPED: usize = 6;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, model: &Model, interview: &Interviewing) {
    let about = if area.width < 72 { "" } else { "   mock interview" };
    let name = [(" stampede".to_owned(), Tone::Accent), (about.to_owned(), Tone::Dim)];
    paint.pieces(area.x, area.y, &name, area.width);
    if !matches!(interview.stage, Stage::Choosing(_)) {
        let level = [(format!("{} ", interview.outcome.level.name()), Tone::Dim)];
        paint.pieces_to(area.right(), area.y, &level, area.width);
    }
    let width = WIDTH.min(area.width);
    let left = area.x + (area.width - width) / 2;
    // On a tall screen a question does not hang from the ceiling.
    let top = area.y + 1 + area.height.saturating_sub(24) / 4;
    let body = Rect::new(left, top, width, area.bottom().saturating_sub(top + 1));
    let text = width.saturating_sub(4);
    let page = match &interview.stage {
        Stage::Choosing(level) => choosing(model, *level, text),
        Stage::Ready | Stage::Answering(_) => asking(paint, model, interview, text),
        Stage::Ticking(said) => ticking(paint, interview, said, text),
        Stage::Over(at) => {
            // All that was missed, or what was missed of the lesson under the cursor.
            let all = over(paint, model, interview, *at, true, text);
            let fits = all.lines.len() < usize::from(body.height);
            if fits { all } else { over(paint, model, interview, *at, false, text) }
        }
    };
    let height = usize::from(body.height.saturating_sub(1));
    // Where room is short, what is to be answered matters more than what stands above it; a rubric is read from its beginning.
    let above = match interview.stage {
        Stage::Ticking(_) => usize::from(interview.scroll.out(page.lines.len(), height as u16)),
        _ => page.needed.unwrap_or(page.lines.len()).saturating_sub(height),
    };
    let more: Vec<Piece> = paint.more(page.lines.len().saturating_sub(above + height)).into_iter().collect();
    let inner = paint.pane(body, Edge::Rule, &page.title, &more, true);
    for (y, line) in (inner.y..inner.bottom()).zip(page.lines.iter().skip(above)) {
        paint.pieces(inner.x + 1, y, line, inner.width.saturating_sub(1));
    }
    if let Some((column, row)) = page.cursor {
        let row = row.saturating_sub(above as u16);
        paint.invert(inner.x + 1 + column, inner.y + row);
    }
    transport::hints(paint, Rect::new(area.x, area.bottom() - 1, area.width, 1), model);
}

/// What stands in the middle of the screen.
struct Page {
    title: String,
    lines: Vec<Line>,
    /// So many of the lines must be seen, if not all.
    needed: Option<usize>,
    /// Where text is typed: column and row.
    cursor: Option<(u16, u16)>,
}

impl Page {
    fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), lines: vec![Line::new()], needed: None, cursor: None }
    }

    fn prose(&mut self, pieces: &[Piece], width: u16) {
        self.lines.extend(wrap(pieces, width));
        self.lines.push(Line::new());
    }
}

fn choosing(model: &Model, chosen: Level, width: u16) -> Page {
    let mut page = Page::new("mock interview");
    page.prose(&[("What are you interviewed for?".to_owned(), Tone::Strong)], width);
    for level in Level::ALL {
        let before: Vec<_> =
            model.learner.progress.interviews.iter().filter(|earlier| earlier.level == level).collect();
        let questions = Interview::shipped().questions(level, before.len());
        let points: usize = questions.iter().map(|question| question.points(level).len()).sum();
        let here = level == chosen;
        let last =
            before.last().map_or(String::new(), |last| format!("last time {:.0} %", last.share() * 100.0));
        page.lines.push(vec![
            (if here { "▸ " } else { "  " }.to_owned(), Tone::Accent),
            (format!("{:<11}", level.name()), if here { Tone::Strong } else { Tone::Plain }),
            (format!("{} questions, {points:>2} points   ", questions.len()), Tone::Dim),
            (last, Tone::Plain),
        ]);
    }
    page.needed = Some(page.lines.len());
    page.lines.push(Line::new());
    let how = "First the question of the course: in 20 seconds, in a minute, in five. Then follow-ups. Say each answer \
               aloud, or type it. Afterwards you tick what you said: nobody else does.";
    page.prose(&[(how.to_owned(), Tone::Plain)], width);
    page
}

fn page_of_question(interview: &Interviewing) -> Page {
    Page::new(format!("question {} of {}", interview.at + 1, interview.count()))
}

fn asking(paint: &Paint<'_>, model: &Model, interview: &Interviewing, width: u16) -> Page {
    let mut page = page_of_question(interview);
    let Some(question) = interview.question() else { return page };
    page.prose(&ticked(&question.ask, Tone::Strong), width);
    let running = interview.running(model.learner.now);
    for (index, limit) in question.limits().enumerate() {
        let given = interview.given.get(index);
        page.lines.push(match (given, running) {
            (Some(given), _) => clock(paint, limit, given.took, false),
            (None, Some(running)) if index == interview.given.len() => clock(paint, limit, running, true),
            _ => vec![(format!("  in {:<12}", spoken(limit)), Tone::Dim)],
        });
    }
    page.lines.push(Line::new());
    if let Some(given) = interview.given.last() {
        page.lines.extend(flags(given, width));
    }
    if running.is_none() {
        let limit = interview.limit().unwrap_or_default();
        let ready = format!("Enter starts the clock: {}.", spoken(limit));
        page.prose(&[(ready, Tone::Accent)], width);
        return page;
    }
    page.prose(&[("Say it aloud, or type it. Enter: done.".to_owned(), Tone::Dim)], width);
    let folded = fold(interview.draft.value(), interview.draft.cursor(), width.saturating_sub(2));
    let first = folded.lines.len().saturating_sub(TYPED).min(usize::from(folded.cursor.1));
    let row = page.lines.len() + usize::from(folded.cursor.1) - first;
    page.cursor = Some((folded.cursor.0 + 2, row as u16));
    for line in folded.lines.into_iter().skip(first).take(TYPED) {
        page.lines.push(vec![("  ".to_owned(), Tone::Plain), (line, Tone::Code)]);
    }
    page
}

/// How long an answer takes, beside how long it may.
fn clock(paint: &Paint<'_>, limit: Duration, took: Duration, running: bool) -> Line {
    let late = took.as_secs() > limit.as_secs();
    let tone = match (running, late) {
        (true, false) => Tone::Accent,
        (false, false) => Tone::Good,
        (_, true) => Tone::Bad,
    };
    let share = (took.as_secs_f64() / limit.as_secs_f64()).min(1.0);
    let judged = match (running, late) {
        (true, true) => "over time",
        (true, false) => "",
        (false, true) => "too long",
        (false, false) => "in time",
    };
    let (full, rest) = report::bar(paint.glyphs, share, BAR);
    vec![
        (if running { "▸ " } else { "  " }.to_owned(), Tone::Accent),
        (format!("in {:<12}", spoken(limit)), if running { Tone::Strong } else { Tone::Plain }),
        (format!("{:>2}:{:02} ", took.as_secs() / 60, took.as_secs() % 60), Tone::Plain),
        (full, tone),
        (rest, Tone::Dim),
        (format!(" {judged}"), tone),
    ]
}

fn flags(given: &Given, width: u16) -> Vec<Line> {
    let mut lines = Vec::new();
    for (phrase, flag) in &given.flags {
        let text = [(format!("“{phrase}”"), Tone::Strong), (format!(": {}", flag.because), Tone::Plain)];
        lines.extend(hang("red flag  ", Tone::Bad, &text, width));
    }
    if !lines.is_empty() {
        let honest = "Words are matched here; nothing is understood.".to_owned();
        lines.extend([vec![(honest, Tone::Dim)], Line::new()]);
    }
    lines
}

fn ticking(paint: &Paint<'_>, interview: &Interviewing, said: &BTreeSet<usize>, width: u16) -> Page {
    let mut page = page_of_question(interview);
    let Some(question) = interview.question() else { return page };
    page.prose(&ticked(&question.ask, Tone::Dim), width);
    if let Some(given) = interview.given.last() {
        page.lines.extend(flags(given, width));
    }
    page.prose(
        &[("Which of these did you say? A number ticks, Enter goes on.".to_owned(), Tone::Strong)],
        width,
    );
    let points = question.points(interview.outcome.level);
    for (index, point) in points.iter().enumerate() {
        let (mark, tone) = if said.contains(&index) {
            (paint.glyphs.pick("✓", "x"), Tone::Good)
        } else {
            (paint.glyphs.pick("·", "-"), Tone::Dim)
        };
        let text = ticked(&point.text, Tone::Plain);
        page.lines.extend(hang(&format!("{mark} {}  ", index + 1), tone, &text, width));
    }
    page.lines.push(Line::new());
    let tone = if said.len() == points.len() { Tone::Good } else { Tone::Accent };
    page.lines.push(vec![(format!("{} of {}", said.len(), points.len()), tone)]);
    page
}

fn over(
    paint: &Paint<'_>,
    model: &Model,
    interview: &Interviewing,
    at: usize,
    all: bool,
    width: u16,
) -> Page {
    let mut page = Page::new("debrief");
    let outcome = &interview.outcome;
    if outcome.of == 0 {
        page.prose(&[("Nothing was answered; nothing is kept.".to_owned(), Tone::Plain)], width);
        return page;
    }
    page.prose(&[(outcome.score(), Tone::Strong)], width);
    page.lines.extend(report::trend(paint.glyphs, &model.learner.progress, Some(outcome.level), TREND));
    page.lines.push(Line::new());
    if outcome.missed.is_empty() {
        page.prose(&[("Nothing was missed.".to_owned(), Tone::Good)], width);
        return page;
    }
    page.lines.push(vec![
        ("look again".to_owned(), Tone::Strong),
        ("   a number, or Enter, opens the lesson".to_owned(), Tone::Dim),
    ]);
    let lesson = |slug: &str| model.lessons.iter().find(|lesson| lesson.slug == slug);
    let titles = outcome.missed.keys().filter_map(|slug| lesson(slug));
    let longest = titles.map(|lesson| paint.width(&lesson.title)).max().unwrap_or(0);
    for (index, (slug, what)) in outcome.missed.iter().enumerate() {
        let Some(lesson) = lesson(slug) else { continue };
        let here = index == at;
        page.lines.push(vec![
            (if here { "▸ " } else { "  " }.to_owned(), Tone::Accent),
            (format!("{}  ", index + 1), Tone::Accent),
            (format!("lesson {:>2}  ", lesson.number()), Tone::Dim),
            (lesson.title.clone(), if here { Tone::Strong } else { Tone::Plain }),
            (" ".repeat(usize::from(longest - paint.width(&lesson.title))), Tone::Plain),
            (format!("   {} missed", what.len()), Tone::Dim),
        ]);
        if here || all {
            let mark = format!("       {} ", paint.glyphs.pick("·", "-"));
            for what in what {
                page.lines.extend(hang(&mark, Tone::Dim, &ticked(what, Tone::Plain), width));
            }
        }
        if here {
            page.needed = Some(page.lines.len());
        }
    }
    page
}
