//! What lies on top of a lesson: the list of takes, and the knobs.

use ratatui::layout::Rect;

use super::header::mark_of;
use super::paint::{Edge, Paint, Piece};
use crate::lesson::Knobs;
use crate::tui::model::Model;
use crate::tui::session::Session;
use crate::tui::theme::Tone;

/// A box in the middle of the screen, with room for these rows and a line of hints.
pub(super) fn window(
    paint: &mut Paint<'_>,
    area: Rect,
    title: &str,
    hint: &str,
    width: u16,
    rows: u16,
) -> Rect {
    let width = width.min(area.width.saturating_sub(2));
    let height = (rows + 4).min(area.height.saturating_sub(2));
    let place =
        Rect::new(area.x + (area.width - width) / 2, area.y + (area.height - height) / 2, width, height);
    paint.clear(place);
    let inner = paint.pane(place, Edge::Box, title, &[], true);
    if inner.height > 0 {
        paint.text(inner.x + 1, inner.bottom() - 1, hint, Tone::Dim, inner.width.saturating_sub(2));
    }
    Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height.saturating_sub(2))
}

pub(super) fn takes(paint: &mut Paint<'_>, area: Rect, model: &Model, session: &Session, at: usize) {
    let lesson = session.lesson();
    let hint = "Enter plays it from the start, Esc closes";
    let inner = window(paint, area, "takes", hint, 62, lesson.takes.len() as u16);
    for (y, (index, take)) in (inner.y..inner.bottom()).zip(lesson.takes.iter().enumerate()) {
        let (mark, mark_tone) = mark_of(model.learner.take_stand(lesson, &take.name));
        let here = index == at;
        let row: Vec<Piece> = vec![
            (if here { "▸ " } else { "  " }.to_owned(), Tone::Accent),
            (format!("{mark} "), mark_tone),
            (format!("{:<34} ", take.title), if here { Tone::Strong } else { Tone::Plain }),
            if take.sound {
                ("the right way".to_owned(), Tone::Good)
            } else {
                ("goes wrong".to_owned(), Tone::Dim)
            },
        ];
        paint.pieces(inner.x, y, &row, inner.width);
    }
}

pub(super) fn knobs(paint: &mut Paint<'_>, area: Rect, session: &Session, at: usize, values: &Knobs) {
    let lesson = session.lesson();
    let setting = lesson.setting(session.order.take);
    let hint = "← → turn, Enter starts again with these, Esc leaves them";
    let inner = window(paint, area, "knobs", hint, 62, lesson.knobs.len() as u16);
    for (y, (index, knob)) in (inner.y..inner.bottom()).zip(lesson.knobs.iter().enumerate()) {
        let value = values.get(&knob.name).copied().unwrap_or(knob.default);
        let here = index == at;
        let row: Vec<Piece> = vec![
            (if here { "▸ " } else { "  " }.to_owned(), Tone::Accent),
            (format!("{:<20} ", knob.label), if here { Tone::Strong } else { Tone::Plain }),
            (
                format!("{value:>6} {:<3}", knob.unit),
                if setting.get(&knob.name) == Some(&value) { Tone::Plain } else { Tone::Accent },
            ),
        ];
        let used = paint.pieces(inner.x, y, &row, inner.width);
        let room = inner.width.saturating_sub(used + 1).min(18);
        let part = value.abs_diff(knob.min);
        paint.bar(inner.x + used + 1, y, room, part, knob.max.abs_diff(knob.min).max(1), Tone::Accent);
    }
}
