//! Who is to be polled next.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

use crate::lab::worker::WorkerId;

/// The workers for whom something has come that they wait for. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Roster(Arc<Mutex<BTreeSet<WorkerId>>>);

/// One worker's line on it.
struct Call {
    roster: Roster,
    worker: WorkerId,
}

impl Wake for Call {
    fn wake(self: Arc<Self>) {
        self.roster.with(|woken| woken.insert(self.worker));
    }
}

impl Roster {
    fn with<T>(&self, f: impl FnOnce(&mut BTreeSet<WorkerId>) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Wakes this worker: whatever its futures wait for, and from whichever worker that comes.
    pub(super) fn waker(&self, worker: WorkerId) -> Waker {
        Waker::from(Arc::new(Call { roster: self.clone(), worker }))
    }

    /// Strikes a worker off; true when it stood there.
    pub(super) fn strike_off(&self, worker: WorkerId) -> bool {
        self.with(|woken| woken.remove(&worker))
    }

    /// The next one, struck off.
    pub(super) fn next(&self) -> Option<WorkerId> {
        self.with(BTreeSet::pop_first)
    }
}
