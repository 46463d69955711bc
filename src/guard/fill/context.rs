//! What a fill can see and say.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::guard::lease::Lease;
use crate::guard::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

/// A fill's line to the guard: it reports progress, learns of a lost lease, and says what is to become of its value.
///
/// Clones speak for the same fill.
#[derive(Clone, Debug)]
pub struct Fill {
    pulse: Pulse,
    /// `None` for a fill without a lock.
    lease: Option<watch::Receiver<Lease>>,
    wishes: Arc<Mutex<Wishes>>,
}

/// Counts the reports of progress.
#[derive(Clone, Debug, Default)]
pub(in crate::guard) struct Pulse(Arc<AtomicU64>);

/// What the fill said of its value.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::guard) struct Wishes {
    pub(in crate::guard) do_not_cache: bool,
    pub(in crate::guard) fresh_for: Option<Duration>,
    pub(in crate::guard) keep_for: Option<Duration>,
}

impl Pulse {
    pub(in crate::guard) fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Fill {
    pub(in crate::guard) fn new(pulse: Pulse, lease: Option<watch::Receiver<Lease>>) -> Self {
        Self { pulse, lease, wishes: Arc::default() }
    }

    pub(in crate::guard) fn wishes(&self) -> Wishes {
        *self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wish(&self, change: impl FnOnce(&mut Wishes)) {
        change(&mut self.wishes.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Says that the work goes on. With [`Renewal::WithProgress`](crate::guard::Renewal::WithProgress) the lease is
    /// prolonged only as long as this is called at least once in every third of its term.
    pub fn progress(&self) {
        self.pulse.0.fetch_add(1, Ordering::Relaxed);
    }

    /// True once the lease has ended: another process may be computing the same value by now. The value of this fill is
    /// still wanted; if a newer one is stored first, it is not stored.
    pub fn is_lease_lost(&self) -> bool {
        self.lease.as_ref().is_some_and(|lease| *lease.borrow() == Lease::Lost)
    }

    /// Waits until the lease is lost; for ever, if it never is. Cancel safe.
    pub async fn lease_lost(&self) {
        let Some(mut lease) = self.lease.clone() else { return std::future::pending().await };
        if lease.wait_for(|lease| *lease == Lease::Lost).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// True when there is no lock: Redis is down, or somebody else took too long.
    pub fn is_fallback(&self) -> bool {
        self.lease.is_none()
    }

    /// The caller gets the value, and so do those who share its load; it is not stored.
    pub fn do_not_cache(&self) {
        self.wish(|wishes| wishes.do_not_cache = true);
    }

    /// This value is fresh for `time`, instead of [`Expiry::soft`](crate::guard::Expiry::soft). Not jittered.
    pub fn fresh_for(&self, time: Duration) {
        self.wish(|wishes| wishes.fresh_for = Some(time));
    }

    /// This value is kept for `time`, instead of [`Expiry::hard`](crate::guard::Expiry::hard). Not jittered; at least as
    /// long as it is fresh.
    pub fn keep_for(&self, time: Duration) {
        self.wish(|wishes| wishes.keep_for = Some(time));
    }
}
