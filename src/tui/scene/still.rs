//! A timeline as text, for paper and for pipes.

use super::axis::Axis;
use super::lanes::{self, Frame};
use super::timeline::cast;
use crate::lab::World;
use crate::tui::glyphs::Glyphs;

/// Columns for a lane's name.
const LABEL: usize = 6;

/// The lanes of a run so far, `width` columns wide with at most `room` lanes, under their axis.
pub fn still(world: &World, width: usize, room: usize, glyphs: Glyphs) -> Vec<String> {
    let width = width.saturating_sub(LABEL + 2);
    let axis = Axis::new(world.log.iter().map(|row| row.at), world.now, width, 0);
    let frame = Frame { axis: &axis, now: world.now, width, hidden: 0 };
    let mut drawn = Vec::new();
    if world.has_lock() {
        drawn.push(lanes::lock(world, frame));
    }
    let (alone, crowds, rest) = cast(world, room.saturating_sub(drawn.len() + 1));
    drawn.extend(alone.into_iter().map(|id| lanes::worker(world, id, frame)));
    drawn.extend(crowds.into_iter().map(|which| lanes::crowd(world, which, &rest, frame)));
    drawn.push(lanes::database(world, frame));
    let bar = glyphs.pick("│", "|");
    let mut lines = vec![format!("{:LABEL$} {}", "", ruler(&axis, width, glyphs.pick("╎", "'")))];
    for lane in drawn {
        let cells: String = lane.cells.iter().map(|cell| glyphs.sign(cell.glyph)).collect();
        lines.push(format!("{:>LABEL$} {bar}{}", lane.label, cells.trim_end()));
    }
    lines
}

/// The axis's labels, each behind its tick.
fn ruler(axis: &Axis, width: usize, tick: &str) -> String {
    let mut line = String::new();
    for (column, label) in axis.ticks() {
        let used = line.chars().count();
        if column + 1 >= used && column < width {
            line.push_str(&" ".repeat(column + 1 - used));
            line.push_str(tick);
            line.push_str(&label);
        }
    }
    line
}
