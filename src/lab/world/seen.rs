//! What is known of one worker: where it stands, what it waits for, and its path through time.

use crate::lab::event::{Quality, Turn};
use crate::lab::time::LabTime;

/// What a worker is busy with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    #[default]
    NotYet,
    /// On its way, with nothing decided.
    Reading,
    /// Somebody else has the lock.
    Waiting,
    /// Wants to query and has no connection of the pool.
    Queued,
    /// Its query runs.
    Querying,
    /// Has the value or the lock, and works with it.
    Working,
    Paused,
    Done,
    Crashed,
}

/// A stretch of time in one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseSpan {
    pub phase: Phase,
    pub from: LabTime,
}

/// A moment worth a sign on a worker's lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub at: LabTime,
    pub sign: Sign,
}

/// The signs, weakest first: where two fall into one cell the stronger is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    Miss,
    Hit,
    Acquired,
    Wrote,
    Renewed,
    /// Removed its own lock.
    Released,
    /// Asked to release, and nothing was removed.
    ReleaseRefused,
    /// Removed somebody else's lock.
    Stole,
    Cut,
    Crashed,
}

/// What a worker waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The answer to a command of this name.
    Reply(String),
    Sleep(LabTime),
    /// A result that travels until then.
    Query(LabTime),
    /// A connection of the pool.
    Pool,
    /// Something of its own process.
    Turn(Turn),
}

/// One worker as the journal shows it.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub phase: Phase,
    /// The line of its program it stands on.
    pub line: Option<u32>,
    pub waits: Option<Wait>,
    /// Its phases in order; each lasts until the next begins.
    pub path: Vec<PhaseSpan>,
    pub marks: Vec<Mark>,
    pub arrived: Option<LabTime>,
    pub served: Option<(LabTime, Quality)>,
    /// An error that its program did not catch.
    pub error: Option<String>,
    pub commands: u32,
    /// It occupies a request thread.
    pub has_thread: bool,
    /// What it was doing when it was paused.
    resumes_as: Phase,
}

impl Seen {
    pub(super) fn enter(&mut self, phase: Phase, now: LabTime) {
        match (self.phase, phase) {
            (Phase::Crashed, _) | (Phase::Paused, Phase::Paused) => return,
            (Phase::Paused, phase) if phase != Phase::Crashed => {
                self.resumes_as = phase;
                return;
            }
            _ => {}
        }
        if self.phase != phase {
            if phase == Phase::Paused {
                self.resumes_as = self.phase;
            }
            self.phase = phase;
            self.path.push(PhaseSpan { phase, from: now });
        }
    }

    /// It waits for this. While its query runs that is what it waits for, whatever a watchdog does beside.
    pub(super) fn wait_for(&mut self, wait: Wait) {
        if self.phase != Phase::Querying {
            self.waits = Some(wait);
        }
    }

    pub(super) fn stop_waiting(&mut self) {
        if self.phase != Phase::Querying {
            self.waits = None;
        }
    }

    pub(super) fn resume(&mut self, now: LabTime) {
        if self.phase == Phase::Paused {
            self.phase = self.resumes_as;
            self.path.push(PhaseSpan { phase: self.phase, from: now });
        }
    }

    pub(super) fn mark(&mut self, at: LabTime, sign: Sign) {
        self.marks.push(Mark { at, sign });
    }

    /// The phase at `at`.
    pub fn phase_at(&self, at: LabTime) -> Phase {
        let begun = self.path.partition_point(|span| span.from <= at);
        begun.checked_sub(1).and_then(|index| self.path.get(index)).map_or(Phase::NotYet, |span| span.phase)
    }

    /// True while it still has something to do.
    pub fn is_active(&self) -> bool {
        !matches!(self.phase, Phase::NotYet | Phase::Done | Phase::Crashed)
    }
}
