//! The log pane.

use ratatui::layout::Rect;

use super::paint::{Edge, Paint, Piece};
use crate::tui::scene::{Row, RowText, rows};
use crate::tui::session::{Pane, Session};
use crate::tui::theme::Tone;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, edge: Edge, session: &Session) {
    let title = if area.width >= 70 { "redis log   real commands, real replies" } else { "log" };
    let mut right: Vec<Piece> = Vec::new();
    if area.width < 70 && area.height <= 3 {
        right.push(("Tab: program, lock".to_owned(), Tone::Dim));
    }
    if session.log_scroll > 0 {
        right.push((format!("{} rows further down", session.log_scroll), Tone::Accent));
    }
    let inner = paint.pane(area, edge, title, &right, session.focus == Pane::Log);
    let found = rows(session, usize::from(inner.height), usize::from(session.log_scroll));
    let top = inner.bottom().saturating_sub(found.len() as u16);
    let replies = reply_column(paint, &found, inner.width);
    for (y, row) in (top..).zip(&found) {
        line(paint, inner, y, row, replies);
    }
}

/// Replies line up behind the longest command on the screen, as far as there is room.
fn reply_column(paint: &Paint<'_>, rows: &[Row], width: u16) -> u16 {
    let commands = rows.iter().filter_map(|row| match &row.text {
        RowText::Exchange(command, _) => Some(paint.width(command)),
        _ => None,
    });
    if width < 70 { 0 } else { commands.max().unwrap_or(0).min(width * 2 / 5) }
}

fn line(paint: &mut Paint<'_>, inner: Rect, y: u16, row: &Row, replies: u16) {
    let wide = inner.width >= 70;
    let mut x = inner.x;
    let step_width = if wide { 9 } else { 6 };
    let step = if row.step.chars().count() < usize::from(step_width) { row.step.as_str() } else { "..." };
    x += paint.text(
        x,
        y,
        &format!("{step:>width$} ", width = usize::from(step_width) - 1),
        Tone::Dim,
        step_width,
    );
    if wide {
        let at = row.at.map(|at| at.to_string()).unwrap_or_default();
        x += paint.text(x, y, &format!("{:>7} ", at.trim_end_matches(" s")), Tone::Dim, 8);
    }
    let nobody = if row.yours { ("you", Tone::Accent) } else { ("-", Tone::Dim) };
    let who = row.who.map_or_else(|| nobody.0.to_owned(), |id| id.to_string());
    let who_tone = row.who.map_or(nobody.1, |id| Tone::Owner(id.index()));
    x += paint.text(x, y, &format!("{who:<4} "), who_tone, 5);
    let remark = if wide { row.remark.as_str() } else { "" };
    let remark_width = paint.width(remark);
    let end = inner.right().saturating_sub(1);
    let room = end.saturating_sub(x + remark_width + u16::from(remark_width > 0) * 2);
    let alarming = row.tone == Tone::Bad;
    match &row.text {
        RowText::Exchange(command, reply) => {
            let arrow = format!(" → {reply}");
            let reply_width = paint.width(&arrow).min(room / 2);
            let used = paint.text(x, y, command, Tone::Plain, room.saturating_sub(reply_width));
            let reply_at = used.max(replies).min(room.saturating_sub(reply_width));
            let tone = if alarming { Tone::Bad } else { Tone::Strong };
            paint.text(x + reply_at, y, &arrow, tone, room - reply_at);
        }
        RowText::Told(text) => {
            paint.text(x, y, text, if alarming { Tone::Bad } else { row.tone }, room);
        }
        RowText::Next(command) => {
            let used = paint.text(x, y, command, Tone::Dim, room.saturating_sub(7));
            paint.text(x + used, y, "   next", Tone::Accent, 7);
        }
    }
    if remark_width > 0 {
        let tone = if alarming { Tone::Bad } else { Tone::Dim };
        paint.pieces_to(end, y, &[(remark.to_owned(), tone)], remark_width);
    }
}
