//! The question to answer aloud, and what a good answer has.

use ratatui::layout::Rect;

use super::paint::Paint;
use super::popup::window;
use super::prose::{Line, hang, ticked, wrap};
use crate::lesson::Say;
use crate::tui::model::Saying;
use crate::tui::theme::Tone;

/// As wide as prose is good to read.
const WIDTH: u16 = 68;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, say: &Say, saying: &Saying) {
    let width = WIDTH.min(area.width.saturating_sub(2)).saturating_sub(6);
    let lines = content(paint, say, saying, width);
    let hint = match saying {
        Saying::Asked => "Enter: what a good answer has   Esc: later",
        Saying::Graded(_) => "1-5: what you said   Enter: go on",
    };
    let inner = window(paint, area, "say it", hint, WIDTH, lines.len() as u16);
    for (y, line) in (inner.y..inner.bottom()).zip(&lines) {
        paint.pieces(inner.x, y, line, inner.width);
    }
}

fn content(paint: &Paint<'_>, say: &Say, saying: &Saying, width: u16) -> Vec<Line> {
    let mut lines = wrap(&[(say.question.clone(), Tone::Strong)], width);
    lines.push(Line::new());
    let Saying::Graded(said) = saying else {
        let how = "Answer aloud, in a minute, as if somebody had asked you. Then be honest.".to_owned();
        lines.extend(wrap(&[(how, Tone::Plain)], width));
        return lines;
    };
    for (number, point) in (1..).zip(&say.points) {
        let (mark, tone) = if said.contains(&number) {
            (paint.glyphs.pick("✓", "x"), Tone::Good)
        } else {
            (paint.glyphs.pick("·", "-"), Tone::Dim)
        };
        lines.extend(hang(&format!("{mark} {number}  "), tone, &ticked(point, Tone::Plain), width));
    }
    lines.push(Line::new());
    let score = format!("{} of {}", said.len(), say.points.len());
    lines.push(vec![(score, if said.len() == say.points.len() { Tone::Good } else { Tone::Accent })]);
    lines
}
