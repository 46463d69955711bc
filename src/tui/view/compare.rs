//! Takes side by side: lanes above, numbers below.

use ratatui::layout::Rect;

use super::paint::{Edge, Paint};
use super::timeline::lane_cells;
use crate::judge::table;
use crate::lab::World;
use crate::tui::model::{Comparison, Side};
use crate::tui::scene::comparison;
use crate::tui::theme::Tone;

/// The width of a figure with the gap before it.
const FIGURE: u16 = 7;

/// Columns for a take's name.
fn name_width(area: Rect) -> u16 {
    if area.width >= 100 { 24 } else { 13 }
}

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, comparison: &Comparison) {
    paint.clear(area);
    let right = [(format!("seed {}   same knobs", comparison.seed), Tone::Dim)];
    let title = format!("compare  {}", comparison.lesson.title);
    let inner = paint.pane(area, Edge::Box, &title, &right, true);
    let inner = Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height);
    let takes = comparison.sides.len() as u16;
    let table_rows = takes + 2;
    let room = inner.height.saturating_sub(table_rows + 3);
    let y = lanes(paint, Rect { height: room + 1, ..inner }, comparison, room >= takes * 2);
    let below = Rect::new(inner.x, y + 1, inner.width, inner.bottom().saturating_sub(y + 1));
    numbers(paint, below, comparison);
    let hint = if comparison.is_done() { "Esc closes" } else { "running…   Esc closes" };
    paint.text(inner.x, inner.bottom().saturating_sub(1), hint, Tone::Dim, inner.width);
}

fn worlds(comparison: &Comparison) -> Vec<&World> {
    comparison.sides.iter().filter_map(world).collect()
}

fn world(side: &Side) -> Option<&World> {
    match side {
        Side::Ran(world) => Some(world),
        Side::Running | Side::Lacking(_) => None,
    }
}

/// Draws the lanes and returns the row after the last.
fn lanes(paint: &mut Paint<'_>, area: Rect, sides: &Comparison, both: bool) -> u16 {
    let worlds = worlds(sides);
    let name = name_width(area);
    let width = usize::from(area.width.saturating_sub(name + 2));
    let (axis, lanes) = comparison(&worlds, width, both);
    let left = area.x + name + 1;
    for (column, label) in axis.ticks() {
        let tick = paint.glyphs.pick("╎", "'");
        paint.text(left + column as u16, area.y, &format!("{tick}{label}"), Tone::Dim, 10);
    }
    let mut y = area.y + 1;
    let mut lanes = lanes.iter();
    for ((title, sound), side) in sides.names.iter().zip(&sides.sides) {
        if y >= area.bottom() {
            break;
        }
        let tone = if *sound { Tone::Good } else { Tone::Plain };
        paint.text(area.x, y, title, tone, name);
        match side {
            Side::Running => {
                paint.text(left, y, "…", Tone::Dim, 3);
                y += 1;
            }
            Side::Lacking(reason) => {
                paint.text(left, y, reason, Tone::Dim, width as u16);
                y += 1;
            }
            Side::Ran(_) => {
                for lane in lanes.next().into_iter().flatten() {
                    lane_cells(paint, left - 1, y, lane);
                    y += 1;
                }
            }
        }
    }
    y
}

fn numbers(paint: &mut Paint<'_>, area: Rect, sides: &Comparison) {
    let (heads, rows) = table(&worlds(sides));
    let name = name_width(area);
    let fit = usize::from(area.width.saturating_sub(name) / FIGURE);
    for (column, head) in (0..).zip(heads.iter().take(fit)) {
        paint.text(area.x + name + column * FIGURE, area.y, &format!("{head:>7}"), Tone::Dim, FIGURE);
    }
    let mut rows = rows.iter();
    for (y, ((title, sound), side)) in
        (area.y + 1..area.bottom().saturating_sub(1)).zip(sides.names.iter().zip(&sides.sides))
    {
        let tone = if *sound { Tone::Good } else { Tone::Plain };
        paint.text(area.x, y, title, tone, name);
        if let Side::Ran(_) = side {
            for (column, figure) in (0..).zip(rows.next().into_iter().flatten().take(fit)) {
                paint.text(area.x + name + column * FIGURE, y, &format!("{figure:>7}"), Tone::Strong, FIGURE);
            }
        }
    }
}
