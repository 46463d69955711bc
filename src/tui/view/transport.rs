//! The bottom lines: how time runs, and what the keys do here.

use ratatui::layout::Rect;

use super::layout::Class;
use super::paint::{Paint, Piece};
use crate::tui::keys::{Place, TABLE};
use crate::tui::model::{Ground, Model};
use crate::tui::session::{Motion, Session};
use crate::tui::theme::Tone;

pub(super) fn bar(paint: &mut Paint<'_>, area: Rect, class: Class, model: &Model, session: &Session) {
    let pick = |unicode, ascii| paint.glyphs.pick(unicode, ascii).to_owned();
    let (motion, tone) = match session.motion {
        Motion::Paused => (pick("‖ paused ", "= paused "), Tone::Plain),
        Motion::Playing => (pick("▶ playing", "> playing"), Tone::Accent),
        Motion::Running => (pick("▶ running", "> running"), Tone::Accent),
    };
    let speed = format!("{:<6}", model.speed);
    let pieces: Vec<Piece> = if class <= Class::Compact {
        vec![
            (pick(" ‹ step  ", " < step  "), Tone::Dim),
            (motion, tone),
            (pick("  step ›  ", "  step >  "), Tone::Dim),
            (speed, Tone::Plain),
        ]
    } else {
        vec![
            (pick(" « beat  ‹ step   ", " << beat  < step   "), Tone::Dim),
            (motion, tone),
            (pick("   step ›  beat »   ", "   step >  beat >>   "), Tone::Dim),
            (speed, Tone::Plain),
        ]
    };
    let used = paint.pieces(area.x, area.y, &pieces, area.width);
    let label = format!(" {}", session.tape.time_of(session.tape.newest_step()));
    let room = area.width.saturating_sub(used + paint.width(&label) + 2);
    scrubber(paint, area.x + used, area.y, room, session);
    paint.text(area.x + used + room, area.y, &label, Tone::Dim, paint.width(&label));
}

/// Where the cursor stands among the steps so far, with the beats as marks.
fn scrubber(paint: &mut Paint<'_>, x: u16, y: u16, width: u16, session: &Session) {
    if width < 8 {
        return;
    }
    let newest = session.tape.newest_step().max(1);
    let inside = u64::from(width - 3);
    let column = |step: u32| 1 + (u64::from(step) * inside / u64::from(newest)) as u16;
    let here = column(session.cursor.min(newest));
    paint.text(x, y, paint.glyphs.pick("├", "|"), Tone::Border, 1);
    for offset in 1..width - 1 {
        let (sign, tone) = if offset <= here { ("─", Tone::Plain) } else { ("·", Tone::Dim) };
        let sign =
            if paint.glyphs == crate::tui::glyphs::Glyphs::Ascii && sign == "─" { "-" } else { sign };
        paint.text(x + offset, y, sign, tone, 1);
    }
    for reached in &session.reached {
        paint.text(x + column(reached.step), y, paint.glyphs.pick("┼", "+"), Tone::Dim, 1);
    }
    paint.text(x + here, y, paint.glyphs.pick("●", "o"), Tone::Accent, 1);
    paint.text(x + width - 1, y, paint.glyphs.pick("┤", "|"), Tone::Border, 1);
}

/// The hint of the key that shows all keys.
const ALL_KEYS: &str = "keys";

/// The hints: a notice, if there is one, or the keys of this place from the table.
pub(super) fn hints(paint: &mut Paint<'_>, area: Rect, model: &Model) {
    if let Some(notice) = &model.notice {
        paint.text(area.x + 1, area.y, notice, Tone::Accent, area.width.saturating_sub(2));
        return;
    }
    if let Some(count) = model.count {
        paint.text(area.x + 1, area.y, &format!("{count}  G goes to that step"), Tone::Accent, area.width);
        return;
    }
    let places = model.places();
    if model.popup.is_some() {
        return;
    }
    // A question hides the keys that wait for its answer.
    let asking = places.contains(&Place::Question);
    let troubled = places.contains(&Place::Trouble);
    let hinted = places.iter().flat_map(|place| TABLE.iter().filter(move |binding| binding.place == *place));
    let mut x = area.x + 1;
    // Where all the others are told stays in sight, unless it is typed.
    let all = [("?".to_owned(), Tone::Accent), (format!(" {ALL_KEYS}"), Tone::Dim)];
    if places.contains(&Place::Everywhere) {
        paint.pieces_to(area.right().saturating_sub(1), area.y, &all, area.width);
    }
    let right = area.right().saturating_sub(ALL_KEYS.len() as u16 + 5);
    for binding in hinted.filter(|binding| !binding.hint.is_empty() && binding.hint != ALL_KEYS) {
        if troubled && binding.place == Place::Lesson {
            continue;
        }
        if matches!(model.ground, Ground::Map(_)) && binding.hint == "map" {
            continue;
        }
        if asking
            && matches!(binding.place, Place::Lesson | Place::Done)
            && !matches!(binding.hint, "pane" | "step")
        {
            continue;
        }
        let key = binding.shown.split(' ').next().unwrap_or(binding.shown);
        let width = paint.width(key) + paint.width(binding.hint) + 1;
        if x + width > right {
            break;
        }
        x += paint.pieces(
            x,
            area.y,
            &[(key.to_owned(), Tone::Accent), (format!(" {}", binding.hint), Tone::Dim)],
            width,
        );
        x += 3;
    }
}
