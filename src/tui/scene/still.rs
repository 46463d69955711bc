//! A timeline as text, for paper and for pipes.

use super::axis::Axis;
use super::lanes::{self, Frame, Lane};
use super::timeline::cast;
use crate::lab::World;
use crate::tui::glyphs::Glyphs;
use crate::tui::theme::Tone;

/// Columns for a lane's name.
const LABEL: usize = 6;

/// The lanes of a run so far, `width` columns wide with at most `room` lanes, under their axis.
pub fn still(world: &World, width: usize, room: usize, glyphs: Glyphs) -> Vec<String> {
    let plain = |line: Vec<(String, Tone)>| line.into_iter().map(|(text, _)| text).collect::<String>();
    let lines = toned(world, width, room, glyphs).into_iter();
    lines.map(|line| plain(line).trim_end().to_owned()).collect()
}

/// The same in the tones of the screen.
pub(in crate::tui) fn toned(
    world: &World,
    width: usize,
    room: usize,
    glyphs: Glyphs,
) -> Vec<Vec<(String, Tone)>> {
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
    let axis = format!("{:LABEL$} {}", "", ruler(&axis, width, glyphs.pick("╎", "'")));
    let line = |lane: Lane| {
        let mut line = vec![
            (format!("{:>LABEL$} ", lane.label), lane.tone),
            (glyphs.pick("│", "|").to_owned(), Tone::Border),
        ];
        let of_one_tone = lane.cells.chunk_by(|one, next| one.tone == next.tone);
        line.extend(of_one_tone.map(|cells| {
            (cells.iter().map(|cell| glyphs.sign(cell.glyph)).collect::<String>(), cells[0].tone)
        }));
        line
    };
    [vec![(axis, Tone::Dim)]].into_iter().chain(drawn.into_iter().map(line)).collect()
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
