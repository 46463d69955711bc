//! Takes side by side: their lanes on one axis.

use super::axis::Axis;
use super::lanes::{self, Frame, Lane};
use crate::lab::{LabTime, World};

/// An axis that all of these runs fit on, and each run's lanes: the lock if there is room for two, and the database.
pub(crate) fn comparison(worlds: &[&World], width: usize, both: bool) -> (Axis, Vec<Vec<Lane>>) {
    let mut times: Vec<LabTime> =
        worlds.iter().flat_map(|world| world.log.iter().map(|row| row.at)).collect();
    times.sort_unstable();
    let end = times.last().copied().unwrap_or_default();
    let axis = Axis::new(times.into_iter(), end, width, 0);
    let lanes = worlds.iter().map(|world| {
        let frame = Frame { axis: &axis, now: world.now, width, hidden: 0 };
        let lock = (both && world.has_lock()).then(|| lanes::lock(world, frame));
        lock.into_iter().chain([lanes::database(world, frame)]).collect()
    });
    let lanes = lanes.collect();
    (axis, lanes)
}
