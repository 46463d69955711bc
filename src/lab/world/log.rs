//! The rows of the log: what a learner steps through.

use crate::lab::time::LabTime;
use crate::lab::worker::WorkerId;

/// A row of the log: which event it shows, and at which step it appeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRow {
    pub step: u32,
    /// When it appeared: a command's row when its answer arrived.
    pub at: LabTime,
    /// The event's place in the journal.
    pub event: usize,
    pub remark: Option<Remark>,
}

/// What the event meant when it happened, in a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    Miss,
    Hit,
    /// The entry says that somebody is filling.
    Claimed,
    Acquired,
    /// The lock exists and has no expiry.
    AcquiredForEver,
    /// An expiry was put on the lock, or a new one.
    Armed,
    /// `NX` found the lock taken.
    Lost(Option<WorkerId>),
    Released,
    /// The comparison failed or the key was gone: nothing was removed.
    NothingRemoved(Option<WorkerId>),
    /// A lock was removed that was somebody else's; `None` for somebody outside the lab.
    RemovedLockOf(Option<WorkerId>),
    /// This many queries run now, and one would do.
    Overlap(usize),
    /// The owner of the lock that just ended is still at work.
    OwnerStillWorks(WorkerId),
    /// It waits for the load that this one does.
    Joined(Option<WorkerId>),
    /// All permits are taken.
    NoPermit,
    /// The answer is from before the last commit.
    Outdated,
    /// The worker never heard of it.
    NeverHeard,
    NotExecuted,
}

impl Remark {
    /// True for what breaks one of the two rules.
    pub fn is_alarming(self) -> bool {
        matches!(self, Self::AcquiredForEver | Self::RemovedLockOf(_) | Self::Overlap(_))
    }

    /// True for rows that say only "not yet" and may be folded when there are many in a row.
    pub fn is_a_retry(self) -> bool {
        matches!(self, Self::Lost(_) | Self::Miss | Self::Claimed | Self::Joined(_) | Self::NoPermit)
    }
}
