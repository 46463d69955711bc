//! The words of the course, and what the chosen one means.

use ratatui::layout::Rect;

use super::paint::Paint;
use super::popup::window;
use super::prose::wrap;
use crate::lesson::glossary;
use crate::tui::theme::Tone;

/// As wide as prose is good to read.
const WIDTH: u16 = 68;

/// Columns for the list of words.
const LIST: u16 = 26;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, at: usize) {
    let terms = glossary();
    let rows = (terms.len() as u16).min(area.height.saturating_sub(6));
    let inner = window(paint, area, "words", "Enter: the lesson that shows it   Esc closes", WIDTH, rows);
    let height = usize::from(inner.height);
    let first = at.saturating_sub(height / 2).min(terms.len().saturating_sub(height));
    for (y, (index, term)) in (inner.y..inner.bottom()).zip(terms.iter().enumerate().skip(first)) {
        let here = index == at;
        let marker = if here { paint.glyphs.pick("▸ ", "> ") } else { "  " };
        paint.text(inner.x, y, marker, Tone::Accent, 2);
        paint.text(inner.x + 2, y, &term.word, if here { Tone::Strong } else { Tone::Plain }, LIST - 3);
    }
    let Some(term) = terms.get(at) else { return };
    let (x, width) = (inner.x + LIST, inner.width.saturating_sub(LIST));
    let mut lines = wrap(&[(term.word.clone(), Tone::Strong)], width);
    lines.push(Vec::new());
    lines.extend(wrap(&[(term.text.clone(), Tone::Plain)], width));
    lines.push(Vec::new());
    lines.extend(wrap(&[(format!("lesson {}", term.lesson), Tone::Dim)], width));
    for (y, line) in (inner.y..inner.bottom()).zip(&lines) {
        paint.pieces(x, y, line, width);
    }
}
