//! The learner's own line to Redis: what was said, what is being typed, and what is known of it.

use ratatui::layout::Rect;

use super::paint::{Edge, Paint};
use super::prose::{Line, wrap};
use crate::tui::prompt::Prompt;
use crate::tui::scene::{Said, transcript};
use crate::tui::session::Session;
use crate::tui::theme::Tone;

/// Rows of the pane: enough for a few exchanges, and the lanes stay in sight.
const HEIGHT: u16 = 11;

/// What stands before the line.
const SIGN: &str = "redis> ";

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, session: &Session, prompt: &Prompt) {
    let height = (HEIGHT + area.height / 8).min(area.height);
    let place = Rect::new(area.x, area.bottom() - height, area.width, height);
    paint.clear(place);
    let at = [(format!("at {}", session.now), Tone::Dim)];
    let inner = paint.pane(place, Edge::Box, "prompt", &at, true);
    if inner.height < 4 {
        return;
    }
    let inner = Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(1), inner.height);
    let (said, line, hints) = (inner.height - 3, inner.bottom() - 3, inner.bottom() - 2);
    let lines = spoken(session, prompt, inner.width);
    let first = lines.len().saturating_sub(usize::from(said));
    let shown = &lines[first..];
    for (y, line) in (line - shown.len() as u16..line).zip(shown) {
        paint.pieces(inner.x, y, line, inner.width);
    }
    input(paint, Rect::new(inner.x, line, inner.width, 1), prompt);
    hint(paint, Rect::new(inner.x, hints, inner.width, 2), prompt);
}

fn spoken(session: &Session, prompt: &Prompt, width: u16) -> Vec<Line> {
    let mut lines: Vec<Line> = transcript(session)
        .into_iter()
        .map(|said| match said {
            Said::Typed(command) => vec![(SIGN.to_owned(), Tone::Dim), (command, Tone::Code)],
            Said::Answered(reply) => vec![(reply, Tone::Strong)],
        })
        .collect();
    for told in &prompt.told {
        lines.extend(wrap(&[(told.clone(), Tone::Accent)], width));
    }
    lines
}

/// The line, scrolled so that the cursor is in it.
fn input(paint: &mut Paint<'_>, area: Rect, prompt: &Prompt) {
    let used = paint.text(area.x, area.y, SIGN, Tone::Accent, area.width);
    let room = area.width.saturating_sub(used);
    let scroll = prompt.input.visual_scroll(usize::from(room.saturating_sub(1)));
    let text: String = prompt.input.value().chars().skip(scroll).collect();
    paint.text(area.x + used, area.y, &text, Tone::Code, room);
    let cursor = prompt.input.visual_cursor().max(scroll) - scroll;
    paint.invert(area.x + used + cursor as u16, area.y);
}

fn hint(paint: &mut Paint<'_>, area: Rect, prompt: &Prompt) {
    let (first, second) = match prompt.entry() {
        Some(entry) => {
            (entry.syntax.clone(), format!("{}   since {}, {}", entry.does, entry.since, entry.cost))
        }
        None => (
            "Tab completes, ↑ brings back, help COMMAND explains, Esc closes".to_owned(),
            "What you send enters the run as yours, and everything after reacts.".to_owned(),
        ),
    };
    paint.text(area.x, area.y, &first, Tone::Plain, area.width);
    paint.text(area.x, area.y + 1, &second, Tone::Dim, area.width);
}
