//! Earlier runs of the lesson.

use ratatui::layout::Rect;

use super::paint::{Paint, Piece};
use super::popup::window;
use crate::tui::session::Session;
use crate::tui::theme::Tone;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, kept: &[Session], at: usize) {
    let hint = "Enter goes back to it   C compares all   Esc closes";
    let inner = window(paint, area, "runs of this lesson", hint, 72, kept.len() as u16);
    for (y, (index, run)) in (inner.y..inner.bottom()).zip(kept.iter().enumerate()) {
        let here = index == at;
        let row: Vec<Piece> = vec![
            (if here { paint.glyphs.pick("▸ ", "> ") } else { "  " }.to_owned(), Tone::Accent),
            (
                format!("{:>3} {:<22} ", run.run, run.take().title),
                if here { Tone::Strong } else { Tone::Plain },
            ),
            (format!("seed {:<4} step {:<4} ", run.order.seed, run.tape.newest_step()), Tone::Plain),
            (what_differs(run), Tone::Dim),
        ];
        paint.pieces(inner.x, y, &row, inner.width);
    }
}

/// What makes it another run than the lesson's own.
fn what_differs(run: &Session) -> String {
    let setting = run.lesson().setting(run.order.take);
    let knobs = run.order.knobs.iter().filter(|(name, value)| setting.get(*name) != Some(*value));
    let mut words: Vec<String> = knobs.map(|(name, value)| format!("{name}={value}")).collect();
    let by_hand = crate::judge::acts(run.tape.events().iter()).count();
    if by_hand > 0 {
        words.push(format!("{by_hand} by hand"));
    }
    if run.order.repair.is_some() {
        words.push("your program".to_owned());
    }
    words.join(" ")
}
