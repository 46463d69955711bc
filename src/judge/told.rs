//! A run told again: the world at the end of each of its beats.

use crate::lab::{Event, World};
use crate::lesson::Take;

/// The world at the end of each beat that the run reached, in order.
pub fn told(take: &Take, journal: &[Event]) -> Vec<World> {
    let mut world = World::default();
    let mut reached = Vec::new();
    for tick in journal.chunk_by(|a, b| a.tick == b.tick) {
        let mut stepped = false;
        for event in tick {
            stepped |= world.apply(event);
        }
        // A beat ends where a step ends; several may end with the last.
        while let Some(beat) = take.beats.get(reached.len()).filter(|_| stepped)
            && beat.until.holds(&world)
        {
            reached.push(world.clone());
            if !world.ended {
                break;
            }
        }
    }
    reached
}
