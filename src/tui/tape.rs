//! A journal to scrub through: where its steps end, and the world at any of them.
//!
//! Worlds are kept at regular distances, so that going back folds a few hundred events and not all of them.

use crate::lab::{Event, Journal, LabTime, World};

/// A world is kept after this many events.
const KEEP_EVERY: usize = 512;

/// The recorded part of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Tape {
    journal: Journal,
    newest: World,
    /// For each step, from 0: how many events lead up to its end, and when that was.
    ends: Vec<(usize, LabTime)>,
    kept: Vec<World>,
    /// The tick that brought the newest step.
    tick: u32,
}

impl Tape {
    pub(super) fn events(&self) -> &[Event] {
        self.journal.events()
    }

    /// The number of the newest step.
    pub(super) fn newest_step(&self) -> u32 {
        self.ends.len().saturating_sub(1) as u32
    }

    pub(super) fn newest(&self) -> &World {
        &self.newest
    }

    /// When a step ended.
    pub(super) fn time_of(&self, step: u32) -> LabTime {
        self.ends.get(step as usize).map_or(LabTime::START, |(_, at)| *at)
    }

    /// When each step up to this one ended.
    pub(super) fn times(&self, step: u32) -> impl Iterator<Item = LabTime> + '_ {
        self.ends.iter().take(step as usize + 1).map(|(_, at)| *at)
    }

    /// The last step that had ended at `at`.
    pub(super) fn step_at(&self, at: LabTime) -> u32 {
        self.ends.partition_point(|(_, end)| *end <= at).saturating_sub(1) as u32
    }

    /// Takes in what the lab wrote. A step ends with the last event of the tick that brought it; what comes after,
    /// up to the next step, only leads up to that one.
    pub(super) fn extend(&mut self, events: Vec<Event>) {
        let start = self.journal.len();
        self.journal.append(events);
        for (index, event) in self.journal.events().iter().enumerate().skip(start) {
            self.newest.apply(event);
            let step = self.newest.step as usize;
            if self.ends.len() <= step {
                self.ends.push((index + 1, event.at));
                self.tick = event.tick;
            } else if event.tick == self.tick
                && let Some(end) = self.ends.last_mut()
            {
                end.0 = index + 1;
            }
            if self.newest.events.is_multiple_of(KEEP_EVERY) {
                self.kept.push(self.newest.clone());
            }
        }
    }

    /// The world at the end of `step`.
    pub(super) fn world_at(&self, step: u32) -> World {
        let Some((count, _)) = self.ends.get(step as usize) else { return self.newest.clone() };
        let mut world = match count / KEEP_EVERY {
            0 => World::default(),
            chunk => self.kept[chunk.min(self.kept.len()) - 1].clone(),
        };
        for event in &self.journal.events()[world.events..*count] {
            world.apply(event);
        }
        world
    }
}
