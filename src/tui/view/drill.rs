//! Cards: one at a time, in the middle of the screen; at the end, what comes next.

use std::time::Duration;

use ratatui::layout::Rect;

use super::paint::{Edge, Paint, Piece};
use super::prose::{Line, hang, ticked, wrap};
use super::report::{Report, titled};
use super::transport;
use crate::drill::{At, Grade, Memory, spoken};
use crate::tui::drilling::{Drilling, Stage};
use crate::tui::learner::Learner;
use crate::tui::model::Model;
use crate::tui::recall::{Expected, Posed};
use crate::tui::theme::Tone;

/// As wide as prose and timelines are good to read.
const WIDTH: u16 = 78;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, model: &Model, drilling: &Drilling) {
    let queue = drilling.queue(&model.learner.progress, model.learner.now);
    let about = if area.width < 72 { "" } else { "   recall" };
    let name = [(" stampede".to_owned(), Tone::Accent), (about.to_owned(), Tone::Dim)];
    paint.pieces(area.x, area.y, &name, area.width);
    let counted = [
        (format!("{} asked", drilling.asked), Tone::Plain),
        (
            format!(
                "   left: {} learning, {} due, {} new ",
                queue.learning.len() + queue.soon.len(),
                queue.due.len(),
                queue.new.len()
            ),
            Tone::Dim,
        ),
    ];
    paint.pieces_to(area.right(), area.y, &counted, area.width);
    let width = WIDTH.min(area.width);
    let left = area.x + (area.width - width) / 2;
    // On a tall screen a card does not hang from the ceiling.
    let top = area.y + 1 + area.height.saturating_sub(24) / 4;
    let body = Rect::new(left, top, width, area.bottom().saturating_sub(top + 1));
    let (title, mut right, lines) = content(paint, model, drilling, width.saturating_sub(4));
    let height = body.height.saturating_sub(1);
    let out = usize::from(drilling.scroll.out(lines.len(), height));
    right.extend(paint.more(lines.len().saturating_sub(out + usize::from(height))));
    let inner = paint.pane(body, Edge::Rule, &title, &right, true);
    for (y, line) in (inner.y..inner.bottom()).zip(lines.iter().skip(out)) {
        paint.pieces(inner.x + 1, y, line, inner.width.saturating_sub(1));
    }
    transport::hints(paint, Rect::new(area.x, area.bottom() - 1, area.width, 1), model);
}

fn content(
    paint: &Paint<'_>,
    model: &Model,
    drilling: &Drilling,
    width: u16,
) -> (String, Vec<Piece>, Vec<Line>) {
    let mut lines = vec![Line::new()];
    if let Some(trouble) = &drilling.trouble {
        lines.extend(wrap(&ticked(trouble, Tone::Bad), width));
        lines.push(Line::new());
    }
    let Some(card) = &drilling.card else {
        if drilling.stage == Stage::Over {
            lines.extend(over(paint, model, drilling, width));
            return ("done".to_owned(), Vec::new(), lines);
        }
        lines.extend(wrap(&[("one moment: the next card is being run…".to_owned(), Tone::Dim)], width));
        return ("cards".to_owned(), Vec::new(), lines);
    };
    for line in &card.picture {
        lines.push([vec![("  ".to_owned(), Tone::Plain)], line.clone()].concat());
    }
    if !card.picture.is_empty() {
        lines.push(Line::new());
    }
    lines.extend(wrap(&ticked(&card.ask, Tone::Strong), width));
    lines.push(Line::new());
    lines.extend(options(paint, drilling, card, width));
    lines.extend(answer(drilling, card, width));
    lines.extend(grades(&model.learner, drilling, card, width));
    (card.kind.to_owned(), vec![(card.deck.clone(), Tone::Dim)], lines)
}

/// What there is to choose from; after the choice, what of it was right.
fn options(paint: &Paint<'_>, drilling: &Drilling, card: &Posed, width: u16) -> Vec<Line> {
    let told = matches!(drilling.stage, Stage::Told { .. } | Stage::Graded);
    let mut lines = Vec::new();
    for (index, option) in card.options.iter().enumerate() {
        let (mark, tone) = match (&card.expected, &drilling.stage) {
            (Expected::Choice { right, .. }, _) if told && *right == index => {
                (paint.glyphs.pick("✓", "x"), Tone::Good)
            }
            (Expected::Order(_), Stage::Ordering(order)) if order.contains(&index) => ("·", Tone::Dim),
            _ => (" ", Tone::Plain),
        };
        let text = if card.kind == "fix the line" {
            vec![(option.clone(), Tone::Code)]
        } else {
            ticked(option, tone)
        };
        lines.extend(hang(&format!("{mark} {}  ", index + 1), Tone::Accent, &text, width));
    }
    if let Stage::Ordering(order) = &drilling.stage {
        let so_far: Vec<String> = order.iter().map(|step| (step + 1).to_string()).collect();
        lines.push(Line::new());
        lines.push(vec![("your order  ".to_owned(), Tone::Dim), (so_far.join(" "), Tone::Accent)]);
    }
    if !lines.is_empty() {
        lines.push(Line::new());
    }
    lines
}

fn answer(drilling: &Drilling, card: &Posed, width: u16) -> Vec<Line> {
    let (Stage::Told { known }, mut lines) = (&drilling.stage, Vec::new()) else {
        let ask = match card.expected {
            Expected::Spoken(_) => "Say it aloud. Enter shows the answer.",
            Expected::Choice { .. } => "Which? A number answers.",
            Expected::Order(_) => "Type the numbers in the right order. Backspace takes one back.",
        };
        return vec![vec![(ask.to_owned(), Tone::Dim)]];
    };
    match known {
        Some(true) => lines.push(vec![("right".to_owned(), Tone::Good)]),
        Some(false) => lines.push(vec![("not so".to_owned(), Tone::Bad)]),
        None => {}
    }
    match &card.expected {
        Expected::Spoken(told) => {
            for line in told.lines() {
                lines.extend(wrap(&ticked(line, Tone::Good), width));
            }
        }
        Expected::Choice { because, .. } => lines.extend(wrap(&ticked(because, Tone::Plain), width)),
        Expected::Order(order) => {
            for (number, step) in (1..).zip(order) {
                let text = ticked(&card.options[*step], Tone::Plain);
                lines.extend(hang(&format!("{number}. "), Tone::Dim, &text, width));
            }
        }
    }
    lines.push(Line::new());
    lines
}

/// How well it was known, and when each answer would bring it up again.
fn grades(learner: &Learner, drilling: &Drilling, card: &Posed, width: u16) -> Vec<Line> {
    match drilling.stage {
        Stage::Told { known: Some(false) } => {
            let back = learner.progress.due(&card.id).map_or_else(String::new, |due| {
                let wait = Duration::from_mins(due.0.saturating_sub(learner.now.0).div_ceil(60_000));
                format!(" This one comes back in {}.", spoken(wait))
            });
            wrap(&[(format!("Enter: the next card.{back}"), Tone::Accent)], width)
        }
        Stage::Told { known } => {
            let memory = learner.progress.cards.get(&card.id).and_then(|known| known.memory);
            let mut pieces = vec![("how well? ".to_owned(), Tone::Strong)];
            let words = ["not at all", "hardly", "well", "easily"];
            for ((number, grade), word) in (1..).zip(Grade::ALL).zip(words) {
                let next = Memory::graded(memory.as_ref(), learner.now, grade, learner.progress.retention);
                pieces.push((if number > 1 { " · " } else { "" }.to_owned(), Tone::Dim));
                pieces.push((format!("{number}"), Tone::Accent));
                pieces.push((format!(" {word} "), Tone::Plain));
                pieces.push((wait(learner.now, next.due), Tone::Dim));
            }
            if known == Some(true) {
                pieces.push((" · Enter: well".to_owned(), Tone::Dim));
            }
            wrap(&pieces, width)
        }
        _ => Vec::new(),
    }
}

/// How long, as short as can be.
fn wait(now: At, due: At) -> String {
    let minutes = due.0.saturating_sub(now.0).div_ceil(60_000);
    match minutes {
        0..120 => format!("{minutes}m"),
        120..2880 => format!("{}h", minutes.div_ceil(60)),
        _ => format!("{}d", minutes.div_ceil(1440)),
    }
}

/// What was done, and what comes up on the next days.
fn over(paint: &Paint<'_>, model: &Model, drilling: &Drilling, width: u16) -> Vec<Line> {
    let said = match drilling.asked {
        0 => "Nothing is due, and today's new cards are done.".to_owned(),
        asked => format!("Asked: {asked}, recalled: {}.", drilling.recalled),
    };
    let mut lines = wrap(&[(said, Tone::Strong)], width);
    lines.push(Line::new());
    let report = Report {
        lessons: &model.lessons,
        deck: &drilling.deck,
        progress: &model.learner.progress,
        now: model.learner.now,
        glyphs: paint.glyphs,
    };
    lines.extend([report.forecast(), report.recalled()].into_iter().flatten().flat_map(titled));
    lines.push(vec![("p: all about progress".to_owned(), Tone::Dim)]);
    lines
}
