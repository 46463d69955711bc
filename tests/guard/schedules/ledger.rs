//! What the callers of a run asked and got, written down as it happened.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use stampede::guard::{Answer, Error};

/// One question and what became of it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) worker: usize,
    pub(crate) asked: Duration,
    /// The version of the last invalidation that was over when it was asked.
    pub(crate) floor: i64,
    /// When the answer came, and what it was; none for callers that went away or died.
    pub(crate) outcome: Option<(Duration, Result<Answer<i64>, Error>)>,
}

/// One run of a fill, from its start to its end, however it ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FillRun {
    pub(crate) worker: usize,
    pub(crate) began: Duration,
    pub(crate) ended: Option<Duration>,
    pub(crate) fallback: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) calls: Vec<Call>,
    pub(crate) fills: Vec<FillRun>,
    pub(crate) cancelled: usize,
    /// The version that the last invalidation was for which has ended well.
    pub(crate) floor: i64,
    /// What the database held at the end.
    pub(crate) version: i64,
    pub(crate) last_read: Option<Result<Answer<i64>, Error>>,
}

#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Ledger>>);

impl Shared {
    pub(crate) fn write<T>(&self, change: impl FnOnce(&mut Ledger) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
