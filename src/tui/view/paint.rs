//! The brush: text, rules and boxes on a buffer, in a theme and a set of glyphs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use crate::tui::glyphs::Glyphs;
use crate::tui::theme::{Theme, Tone};

pub(super) struct Paint<'a> {
    pub(super) buffer: &'a mut Buffer,
    pub(super) theme: &'a Theme,
    pub(super) glyphs: Glyphs,
}

/// Text that is cut shows that it was, where there is room for more than that.
const SHORTEST_CUT: u16 = 4;

/// A piece of text in one tone.
pub(super) type Piece = (String, Tone);

/// How a pane is set apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// A line above, with titles in it.
    Rule,
    /// A box around.
    Box,
}

impl Paint<'_> {
    pub(super) fn style(&self, tone: Tone) -> Style {
        self.theme.style(tone)
    }

    /// Writes text, cut to `width` columns, and returns how many it took.
    pub(super) fn text(&mut self, x: u16, y: u16, text: &str, tone: Tone, width: u16) -> u16 {
        if width == 0 || y >= self.buffer.area.bottom() || x >= self.buffer.area.right() {
            return 0;
        }
        let text = self.glyphs.plain(text.to_owned());
        let style = self.style(tone);
        let whole = text.width() <= usize::from(width);
        let fitting = if whole || width < SHORTEST_CUT { width } else { width - 1 };
        let (end, _) = self.buffer.set_stringn(x, y, &text, usize::from(fitting), style);
        if fitting == width {
            return end.saturating_sub(x);
        }
        self.buffer.set_stringn(end, y, self.glyphs.pick("…", "~"), 1, style);
        (end + 1).saturating_sub(x)
    }

    /// Writes pieces one after another within `width` columns; returns how many they took.
    pub(super) fn pieces(&mut self, x: u16, y: u16, pieces: &[Piece], width: u16) -> u16 {
        let mut used = 0;
        for (text, tone) in pieces {
            used += self.text(x + used, y, text, *tone, width.saturating_sub(used));
        }
        used
    }

    /// Writes pieces so that they end at column `right`.
    pub(super) fn pieces_to(&mut self, right: u16, y: u16, pieces: &[Piece], width: u16) {
        let length: u16 = pieces.iter().map(|(text, _)| self.width(text)).sum();
        let length = length.min(width);
        self.pieces(right.saturating_sub(length), y, pieces, length);
    }

    pub(super) fn width(&self, text: &str) -> u16 {
        self.glyphs.plain(text.to_owned()).width() as u16
    }

    pub(super) fn put(&mut self, x: u16, y: u16, sign: char, tone: Tone) {
        let style = self.style(tone);
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_char(sign).set_style(style);
        }
    }

    /// Marks a cell as where the next character goes.
    pub(super) fn invert(&mut self, x: u16, y: u16) {
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_style(Style::new().add_modifier(Modifier::REVERSED));
        }
    }

    /// How much is scrolled out below, and the key that brings it; nothing for nothing.
    pub(super) fn more(&self, below: usize) -> Option<Piece> {
        (below > 0).then(|| (format!("  j{}{below}", self.glyphs.pick("▾", "v")), Tone::Accent))
    }

    /// Empties an area, for what lies on top.
    pub(super) fn clear(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                }
            }
        }
    }

    /// Draws a pane's edge with its titles and returns the room inside.
    pub(super) fn pane(
        &mut self,
        area: Rect,
        edge: Edge,
        title: &str,
        right: &[Piece],
        focused: bool,
    ) -> Rect {
        if area.width < 4 || area.height == 0 {
            return Rect::new(area.x, area.y, 0, 0);
        }
        let tone = if focused { Tone::Focus } else { Tone::Border };
        let (h, v) = (self.glyphs.pick("─", "-"), self.glyphs.pick("│", "|"));
        self.text(area.x, area.y, &h.repeat(usize::from(area.width)), tone, area.width);
        let title_tone = if focused { Tone::Accent } else { Tone::Strong };
        let start = area.x + if edge == Edge::Box { 2 } else { 1 };
        self.text(start, area.y, &format!(" {title} "), title_tone, area.width.saturating_sub(4));
        self.beside_title(area, title, right);
        if edge == Edge::Rule {
            return Rect::new(area.x, area.y + 1, area.width, area.height - 1);
        }
        let corners = [
            (area.x, area.y, self.glyphs.pick("┌", "+")),
            (area.right() - 1, area.y, self.glyphs.pick("┐", "+")),
            (area.x, area.bottom() - 1, self.glyphs.pick("└", "+")),
            (area.right() - 1, area.bottom() - 1, self.glyphs.pick("┘", "+")),
        ];
        for y in area.y + 1..area.bottom().saturating_sub(1) {
            self.text(area.x, y, v, tone, 1);
            self.text(area.right() - 1, y, v, tone, 1);
        }
        self.text(area.x, area.bottom() - 1, &h.repeat(usize::from(area.width)), tone, area.width);
        for (x, y, corner) in corners {
            self.text(x, y, corner, tone, 1);
        }
        // A blank column keeps text off the right edge.
        Rect::new(area.x + 1, area.y + 1, area.width - 3, area.height.saturating_sub(2))
    }

    /// Writes pieces at the right end of a title row. Where room is short the last ones are left away whole.
    fn beside_title(&mut self, area: Rect, title: &str, right: &[Piece]) {
        let taken = self.width(title) + 8;
        let length = |pieces: &[Piece]| pieces.iter().map(|(text, _)| self.width(text)).sum::<u16>();
        let fitting = (0..=right.len()).rev().find(|count| taken + length(&right[..*count]) <= area.width);
        let Some(pieces @ [_, ..]) = fitting.map(|count| &right[..count]) else { return };
        let blank = (" ".to_owned(), Tone::Plain);
        let pieces = [std::slice::from_ref(&blank), pieces, std::slice::from_ref(&blank)].concat();
        let length = length(&pieces);
        self.pieces_to(area.right().saturating_sub(2), area.y, &pieces, length);
    }

    /// A bar of `width` columns, filled to `part` of `whole` in eighths of a column.
    pub(super) fn bar(&mut self, x: u16, y: u16, width: u16, part: u64, whole: u64, tone: Tone) {
        let eighths = (u64::from(width) * 8 * part.min(whole)).checked_div(whole).unwrap_or(0);
        for column in 0..width {
            let left = eighths.saturating_sub(u64::from(column) * 8);
            let sign = match (left, self.glyphs) {
                (0, _) => self.glyphs.pick("·", "."),
                (8.., Glyphs::Unicode) => "█",
                (_, Glyphs::Ascii) => "#",
                (left, Glyphs::Unicode) => ["▏", "▎", "▍", "▌", "▋", "▊", "▉"][left as usize - 1],
            };
            let tone = if left == 0 { Tone::Dim } else { tone };
            self.text(x + column, y, sign, tone, 1);
        }
    }
}
