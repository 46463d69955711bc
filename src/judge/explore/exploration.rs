//! What an exploration found.

use std::fmt;

use super::attempt::Breach;
use crate::judge::order::Order;

/// How far an exploration is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Schedules that have been run.
    pub tried: usize,
    /// Schedules that are known so far, those that have been run among them.
    pub known: usize,
    /// How many things go wrong in those that are being run now.
    pub depth: usize,
}

/// A schedule that breaks a law, as short as it could be made.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// Runs it again.
    pub order: Order,
    pub breach: Breach,
}

/// What came of trying a program.
#[derive(Clone, Debug)]
pub struct Exploration {
    pub progress: Progress,
    /// Every schedule with at most so many things going wrong was tried; `None` when not even all seeds were.
    pub exhausted: Option<usize>,
    pub counterexample: Option<Counterexample>,
    /// What the runs in which nothing went wrong cost: queries, over all seeds.
    pub queries: usize,
}

impl Exploration {
    pub fn survives(&self) -> bool {
        self.counterexample.is_none()
    }

    /// How many things go wrong in the schedule that breaks a law.
    pub fn length(&self) -> Option<usize> {
        Some(self.counterexample.as_ref()?.order.schedule.len())
    }
}

/// `all 412 schedules`, or `2000 schedules, every single fault among them`.
impl fmt::Display for Exploration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Progress { tried, known, .. } = self.progress;
        if tried == known {
            return write!(f, "all {tried} schedules");
        }
        write!(f, "{tried} schedules")?;
        match self.exhausted {
            None => f.write_str(", not even all seeds"),
            Some(0) => f.write_str(", not every single fault among them"),
            Some(1) => f.write_str(", every single fault among them"),
            Some(n) => write!(f, ", every {n} faults together among them"),
        }
    }
}
