//! All keys, from the table, and how to reach the server.

use ratatui::layout::Rect;

use super::paint::{Paint, Piece};
use super::popup::window;
use super::prose::hang;
use crate::tui::keys::{Place, TABLE};
use crate::tui::model::{Ground, Model};
use crate::tui::scroll::Scroll;
use crate::tui::theme::Tone;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, model: &Model, scroll: &Scroll) {
    let width = 74.min(area.width.saturating_sub(2));
    let lines = lines(model, width.saturating_sub(4));
    let hint = "j k PgDn PgUp scroll, Esc closes";
    let inner = window(paint, area, "keys", hint, width, (lines.len() as u16).min(area.height));
    let out = scroll.out(lines.len(), inner.height);
    for (y, line) in (inner.y..inner.bottom()).zip(lines.iter().skip(usize::from(out))) {
        paint.pieces(inner.x, y, line, inner.width);
    }
}

fn lines(model: &Model, width: u16) -> Vec<Vec<Piece>> {
    let mut lines: Vec<Vec<Piece>> = Vec::new();
    if let Some(server) = &model.server {
        lines.push(vec![(
            format!(
                "{} {}; look at it from another terminal:",
                server.name,
                if server.private { "runs for you" } else { "is yours" }
            ),
            Tone::Plain,
        )]);
        lines.push(vec![(format!("  {}", server.reach), Tone::Code)]);
        lines.push(Vec::new());
    }
    // The keys of the place we are in come first.
    let here = match model.ground {
        Ground::Map(_) => [Place::Map].as_slice(),
        Ground::Lesson => &[Place::Lesson, Place::Question],
        Ground::Drill => &[Place::Drill],
        Ground::Interview => &INTERVIEW,
    };
    let elsewhere = PLACES.iter().filter(|place| !here.contains(place));
    for place in here.iter().chain(elsewhere).copied() {
        lines.push(vec![(title(place).to_owned(), Tone::Accent)]);
        for binding in TABLE.iter().filter(|binding| binding.place == place && !binding.help.is_empty()) {
            let text = [(binding.help.to_owned(), Tone::Plain)];
            lines.extend(hang(&format!("  {:<9} ", binding.shown), Tone::Strong, &text, width));
        }
        lines.push(Vec::new());
    }
    lines
}

/// The places of a mock interview.
const INTERVIEW: [Place; 5] = [Place::Level, Place::Interview, Place::Answer, Place::Rubric, Place::Debrief];

/// The order in which the places are told.
const PLACES: [Place; 15] = [
    Place::Map,
    Place::Lesson,
    Place::Question,
    Place::Drill,
    Place::Level,
    Place::Interview,
    Place::Answer,
    Place::Rubric,
    Place::Debrief,
    Place::Everywhere,
    Place::Trouble,
    Place::Popup,
    Place::Prompt,
    Place::Typing,
    Place::Repair,
];

fn title(place: Place) -> &'static str {
    match place {
        Place::Everywhere => "everywhere",
        Place::Map => "on the lesson map",
        Place::Lesson => "in a lesson",
        Place::Question => "while a question is open",
        Place::Trouble => "when the server is gone",
        Place::Popup => "in a list or on this page",
        Place::Prompt => "while a command is typed",
        Place::Repair => "at the workbench",
        Place::Drill => "while cards are asked",
        Place::Level => "before a mock interview",
        Place::Interview => "in a mock interview",
        Place::Answer => "while its clock runs",
        Place::Rubric => "when you tick what you said",
        Place::Debrief => "in its debrief",
        Place::Typing => "in a line that is typed",
        Place::Done => "in a lesson that is done",
    }
}
