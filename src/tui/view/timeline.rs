//! The timeline pane: axis, lanes, and the learner's prediction under them.

use ratatui::layout::Rect;

use super::layout::Class;
use super::paint::{Edge, Paint, Piece};
use crate::tui::answers::Answer;
use crate::tui::glyphs::Glyph;
use crate::tui::scene::{Lane, Timeline, timeline};
use crate::tui::session::{Pane, Session};
use crate::tui::theme::Tone;

/// Columns for a lane's name.
const LABEL: u16 = 8;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, edge: Edge, class: Class, session: &Session) {
    let state = match class {
        Class::Huge => 22,
        Class::Wide => 20,
        _ => 6,
    };
    let chrome = if edge == Edge::Box { 3 } else { 0 };
    let width = usize::from(area.width.saturating_sub(LABEL + 1 + state + chrome));
    let legend = if class >= Class::Wide { legend_rows(area) } else { 0 };
    let frame_rows = 2 + u16::from(edge == Edge::Box) + legend;
    let has_prediction = shows_prediction(session);
    let room = area.height.saturating_sub(frame_rows + u16::from(has_prediction));
    let scene = timeline(session, width, usize::from(room));
    let title = format!("timeline  {}/col", scene.axis.per_column());
    let inner = paint.pane(area, edge, &title, &place(session), session.focus == Pane::Timeline);
    let left = inner.x + LABEL;
    axis(paint, left + 1, inner.y, &scene, class, session);
    let mut y = inner.y + 1;
    for lane in scene.lanes.iter().take(usize::from(room)) {
        if y >= inner.bottom() {
            break;
        }
        paint.text(inner.x, y, &format!("{:>7} ", lane.label), lane.tone, LABEL);
        lane_cells(paint, left, y, lane);
        end_of_lane(paint, left + 1 + width as u16, y, lane, state);
        y += 1;
    }
    if has_prediction && y < inner.bottom() {
        you(paint, inner, y, &scene);
        y += 1;
    }
    if legend > 0 {
        draw_legend(paint, inner, y.max(inner.bottom().saturating_sub(legend)));
    }
}

/// A lane's cells behind the bar at `left`.
pub(super) fn lane_cells(paint: &mut Paint<'_>, left: u16, y: u16, lane: &Lane) {
    paint.text(left, y, paint.glyphs.pick("│", "|"), Tone::Border, 1);
    for (column, cell) in (0..).zip(&lane.cells) {
        paint.put(left + 1 + column, y, paint.glyphs.sign(cell.glyph), cell.tone);
    }
}

/// True when a lane is kept for the learner's prediction.
pub(super) fn shows_prediction(session: &Session) -> bool {
    session.asked().is_none()
        && session.answers.predicted.iter().flatten().any(|answer| matches!(answer, Answer::Chosen(..)))
}

fn legend_rows(area: Rect) -> u16 {
    if area.height >= 10 { 2 } else { 0 }
}

/// Time, step and beat, for the right end of the title.
pub(super) fn place(session: &Session) -> Vec<Piece> {
    let beats = session.take().beats.len();
    vec![
        (format!("t {}", session.now), Tone::Strong),
        (format!("   step {}", session.cursor), Tone::Plain),
        (format!("   beat {}/{beats}", session.beats_reached()), Tone::Dim),
    ]
}

fn axis(paint: &mut Paint<'_>, x: u16, y: u16, scene: &Timeline, class: Class, session: &Session) {
    let tick = paint.glyphs.pick("╎", "'");
    let now = scene.axis.column(session.now);
    // The cursor's mark covers no label: one that it would stand in is left away, but for its own column.
    let covered = |column: usize, label: &str| {
        now.is_some_and(|now| now > column && now <= column + label.chars().count())
    };
    for (column, label) in scene.axis.ticks().into_iter().filter(|(column, label)| !covered(*column, label)) {
        paint.text(x + column as u16, y, &format!("{tick}{label}"), Tone::Dim, paint.width(&label) + 1);
    }
    if let Some(column) = now {
        paint.text(x + column as u16, y, paint.glyphs.pick("▾", "v"), Tone::Accent, 1);
    }
    if class >= Class::Standard {
        let width = scene.lanes.first().map_or(0, |lane| lane.cells.len()) as u16;
        paint.text(x + width + 1, y, if class >= Class::Wide { "line state" } else { "line" }, Tone::Dim, 12);
    }
}

fn end_of_lane(paint: &mut Paint<'_>, x: u16, y: u16, lane: &Lane, room: u16) {
    let mover = if lane.moves_next { paint.glyphs.pick("▸", ">") } else { " " };
    let tone = if lane.moves_next { Tone::Accent } else { Tone::Plain };
    paint.text(x + 1, y, &format!("{mover}{}", lane.line), tone, room.saturating_sub(1).min(5));
    if room > 8 {
        paint.text(x + 6, y, &lane.state, Tone::Dim, room.saturating_sub(6));
    }
}

/// The prediction, drawn over the time it was about.
fn you(paint: &mut Paint<'_>, inner: Rect, y: u16, scene: &Timeline) {
    paint.text(inner.x, y, "    you ", Tone::Accent, LABEL);
    paint.text(inner.x + LABEL, y, paint.glyphs.pick("│", "|"), Tone::Border, 1);
    let Some((column, words, settled)) = &scene.prediction else { return };
    let (mark, tone) = match settled {
        None => ("", Tone::Accent),
        Some(true) => (" ✓", Tone::Good),
        Some(false) => (" ✗ not so", Tone::Bad),
    };
    let text = format!("{} {words}", paint.glyphs.pick("▸", ">"));
    let room = inner.width.saturating_sub(LABEL + 1);
    let length = (paint.width(&text) + paint.width(mark)).min(room);
    // It begins where the question was asked, or as far left as it must to fit.
    let at = (*column as u16).min(room - length);
    let used = paint.text(
        inner.x + LABEL + 1 + at,
        y,
        &text,
        Tone::Accent,
        length.saturating_sub(paint.width(mark)),
    );
    paint.text(inner.x + LABEL + 1 + at + used, y, mark, tone, paint.width(mark));
}

fn draw_legend(paint: &mut Paint<'_>, inner: Rect, y: u16) {
    let signs: [&[(Glyph, &str)]; 2] = [
        &[
            (Glyph::Miss, "miss"),
            (Glyph::Hit, "hit"),
            (Glyph::Acquired, "got lock"),
            (Glyph::Owned, "query, owns lock"),
            (Glyph::Unowned, "query WITHOUT lock"),
            (Glyph::Waiting, "waiting"),
        ],
        &[
            (Glyph::Wrote, "wrote"),
            (Glyph::Released, "deleted"),
            (Glyph::Refused, "release refused"),
            (Glyph::Crashed, "crash"),
            (Glyph::Cut, "connection lost"),
            (Glyph::Endless, "never ends"),
        ],
    ];
    for (row, signs) in (y..inner.bottom()).zip(signs) {
        let mut x = inner.x + 2;
        for (glyph, meaning) in signs {
            let text = format!("{} {meaning}", paint.glyphs.sign(*glyph));
            x += 3 + paint.text(x, row, &text, Tone::Dim, inner.right().saturating_sub(x));
        }
    }
}
