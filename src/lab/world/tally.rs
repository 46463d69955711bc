//! Numbers that add up over a run.

use std::collections::{BTreeSet, VecDeque};

use crate::lab::event::Quality;
use crate::lab::time::{LabTime, Span};

/// The database's numbers.
#[derive(Clone, Debug, Default)]
pub struct DatabaseTally {
    /// Queries that ran.
    pub hits: usize,
    pub in_flight: usize,
    pub peak: usize,
    /// Waiting for a connection.
    pub queued: usize,
    pub queue_peak: usize,
    pub failed: usize,
    /// The longest that a query took, or will have taken.
    pub longest: Option<Span>,
    /// Changes that were committed.
    pub commits: usize,
    /// How often the number in flight changed, for the lane: time in microseconds and the number since then.
    pub history: Vec<(u64, usize)>,
}

/// The lock's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockTally {
    pub acquired: usize,
    /// Attempts that found it taken.
    pub lost: usize,
    /// Attempts to release it.
    pub releases: usize,
    /// Attempts that removed nothing.
    pub refused: usize,
    /// Releases that removed somebody else's lock.
    pub of_others: usize,
    /// Leases that ran out.
    pub expired: usize,
    pub extended: usize,
    /// Acquisitions while another's lease was still valid.
    pub admitted_early: usize,
}

/// How readers were answered.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    pub fresh: usize,
    pub stale: usize,
    pub degraded: usize,
    pub failed: usize,
    /// Answers with a value from before the last commit, whatever was said of them.
    pub outdated: usize,
    /// Readers that crashed or ended without an answer.
    pub unanswered: usize,
    /// How long each answered reader waited, in order of answering.
    waits: Vec<Span>,
}

impl Outcomes {
    pub fn answered(&self) -> usize {
        self.fresh + self.stale + self.degraded + self.failed
    }

    pub(super) fn add(&mut self, quality: Quality, wait: Span) {
        match quality {
            Quality::Fresh => self.fresh += 1,
            Quality::Stale => self.stale += 1,
            Quality::Degraded => self.degraded += 1,
            Quality::Failed => self.failed += 1,
        }
        self.waits.push(wait);
    }

    /// The wait that `percent` of the answered readers did not exceed (nearest rank); `None` before the first.
    pub fn percentile(&self, percent: usize) -> Option<Span> {
        let mut waits = self.waits.clone();
        waits.sort_unstable();
        let rank = (waits.len() * percent).div_ceil(100).max(1);
        waits.get(rank - 1).copied()
    }
}

/// The request threads of all processes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadTally {
    pub held: usize,
    pub peak: usize,
    /// Requests that wait for one.
    pub queued: usize,
    pub queue_peak: usize,
}

/// Health checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProbeTally {
    pub sent: usize,
    /// Those without an answer in time.
    pub failed: usize,
}

/// Commands that were sent to Redis.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    pub commands: usize,
    /// The most within any second.
    pub busiest_second: usize,
    last_second: VecDeque<LabTime>,
}

impl Traffic {
    pub(super) fn add(&mut self, now: LabTime) {
        self.commands += 1;
        self.last_second.push_back(now);
        while self.last_second.front().is_some_and(|at| now.since(*at) >= Span::from_secs(1)) {
            self.last_second.pop_front();
        }
        self.busiest_second = self.busiest_second.max(self.last_second.len());
    }
}

/// The two rules that every screen shows, and the steps at which they were broken.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// One fill per key at a time: broken when a query starts while another runs.
    pub one_fill: BTreeSet<u32>,
    /// Nobody frees another owner's lock.
    pub own_lock_only: BTreeSet<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let mut outcomes = Outcomes::default();
        assert_eq!(outcomes.percentile(50), None);
        for millis in [30, 10, 20, 40] {
            outcomes.add(Quality::Fresh, Span::from_millis(millis));
        }
        assert_eq!(outcomes.percentile(50), Some(Span::from_millis(20)));
        assert_eq!(outcomes.percentile(99), Some(Span::from_millis(40)));
    }
}
