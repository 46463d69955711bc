//! What can be done by hand.

use ratatui::layout::Rect;

use super::paint::{Paint, Piece};
use super::popup::window;
use crate::lab::{Phase, WorkerId};
use crate::tui::levers::levers;
use crate::tui::session::Session;
use crate::tui::theme::Tone;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, session: &Session, worker: WorkerId, at: usize) {
    let known = levers(&session.world, worker);
    let hint = "← → another worker   Enter does it now   Esc closes";
    let inner = window(paint, area, "let something go wrong", hint, 60, known.len() as u16 + 2);
    let phase = session.world.workers.get(worker.index()).map(|seen| seen.phase).unwrap_or_default();
    let head: Vec<Piece> = vec![
        (format!("{worker}  "), Tone::Owner(worker.index())),
        (phase_words(phase).to_owned(), Tone::Plain),
    ];
    paint.pieces(inner.x, inner.y, &head, inner.width);
    for (y, (index, (text, _))) in (inner.y + 2..inner.bottom()).zip(known.iter().enumerate()) {
        let here = index == at;
        let marker = if here { paint.glyphs.pick("▸ ", "> ") } else { "  " };
        paint.text(inner.x, y, marker, Tone::Accent, 2);
        paint.text(
            inner.x + 2,
            y,
            text,
            if here { Tone::Strong } else { Tone::Plain },
            inner.width.saturating_sub(2),
        );
    }
}

fn phase_words(phase: Phase) -> &'static str {
    match phase {
        Phase::NotYet => "has not arrived yet",
        Phase::Reading => "is on its way",
        Phase::Waiting => "waits for the lock",
        Phase::Queued => "waits for a connection of the pool",
        Phase::Querying => "waits for its query",
        Phase::Working => "works",
        Phase::Paused => "stands still",
        Phase::Done => "is done",
        Phase::Crashed => "has crashed",
    }
}
