//! A mistake in a lesson that is being written.

use ratatui::layout::Rect;

use super::paint::Paint;
use super::popup::window;
use crate::tui::theme::Tone;

/// As wide as a lesson's lines are.
const WIDTH: u16 = 110;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, mistake: &str) {
    let lines = mistake.lines().count() as u16;
    let inner = window(
        paint,
        area,
        "a mistake in the lesson",
        "goes away when it is mended   Esc closes",
        WIDTH,
        lines,
    );
    for (y, line) in (inner.y..inner.bottom()).zip(mistake.lines()) {
        paint.text(inner.x, y, line, Tone::Plain, inner.width);
    }
}
