//! A row of the log at length.

use ratatui::layout::Rect;

use super::paint::{Paint, Piece};
use super::popup::window;
use super::prose::{Line, hang, wrap};
use crate::tui::scene::Details;
use crate::tui::theme::Tone;

/// As wide as a command is good to read.
const WIDTH: u16 = 74;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, details: &Details) {
    let width = WIDTH.min(area.width.saturating_sub(2)).saturating_sub(6);
    let lines = lines(details, width);
    let hint = "j k: the row above or below   Esc closes";
    let inner = window(paint, area, "row of the log", hint, WIDTH, lines.len() as u16);
    for (y, line) in (inner.y..inner.bottom()).zip(&lines) {
        paint.pieces(inner.x, y, line, inner.width);
    }
}

fn lines(details: &Details, width: u16) -> Vec<Line> {
    let mut lines = wrap(&[(details.place.clone(), Tone::Dim)], width);
    lines.push(Line::new());
    lines.extend(wrap(&[(details.what.clone(), Tone::Code)], width));
    if let Some(means) = details.means {
        lines.extend(wrap(&[(means.to_owned(), Tone::Plain)], width));
    }
    lines.push(Line::new());
    let mut said = |label: &str, text: &str, tone: Tone| {
        let text: Vec<Piece> = vec![(text.to_owned(), tone)];
        lines.extend(hang(&format!("{label:<8}"), Tone::Dim, &text, width));
    };
    if let Some(reply) = &details.reply {
        said("reply", reply, Tone::Strong);
    }
    for (key, before, after) in &details.changes {
        said("key", key, Tone::Plain);
        said("before", before, Tone::Plain);
        said("after", after, Tone::Good);
    }
    if let Some(remark) = &details.remark {
        said("so", remark, Tone::Accent);
    }
    lines
}
