//! What has been learned, on top of everything else.

use ratatui::layout::Rect;

use super::paint::Paint;
use super::popup::window;
use super::prose::Line;
use super::report::{Report, titled};
use crate::tui::model::Model;
use crate::tui::recall::course;
use crate::tui::scroll::Scroll;

/// Columns of the lessons' table, and of the pictures beside it.
const TABLE: u16 = 78;
const PICTURES: u16 = 62;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, model: &Model, scroll: &Scroll) {
    let progress = &model.learner.progress;
    // Two cards with one name are told of where cards are asked.
    let deck = course(&model.lessons, progress).unwrap_or_default();
    let glyphs = paint.glyphs;
    let report = Report { lessons: &model.lessons, deck: &deck, progress, now: model.learner.now, glyphs };
    let table = titled(report.lessons());
    let pictures: Vec<Line> = report.cards().into_iter().flat_map(titled).collect();
    let hint = format!("← → the wish: {} recalled   j k scroll   Esc closes", progress.retention);
    let beside = area.width >= TABLE + PICTURES + 6;
    let (width, columns) = if beside {
        (TABLE + PICTURES + 4, vec![table, pictures])
    } else {
        (TABLE + 4, vec![pictures.into_iter().chain(table).collect()])
    };
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0) as u16;
    let inner = window(paint, area, "progress", &hint, width, rows);
    let out = scroll.out(usize::from(rows), inner.height);
    for (column, lines) in (0..).zip(&columns) {
        let x = inner.x + column * TABLE;
        for (y, line) in (inner.y..inner.bottom()).zip(lines.iter().skip(usize::from(out))) {
            paint.pieces(x, y, line, inner.right().saturating_sub(x));
        }
    }
}
