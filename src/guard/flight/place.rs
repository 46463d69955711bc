//! The place under a value's key that a fill is for.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::landing::Standing;
use crate::clock::Runtime;
use crate::guard::answer::Stored;
use crate::guard::core::Core;
use crate::guard::entry::{Entry, Kind, Stamp};
use crate::guard::wire::Connection;

/// What a fill began from: its own claim, or an entry that was there. Its result may replace that and nothing else.
///
/// A claim that is dropped without a result is taken away in a task of its own, so that nobody waits for it; if that
/// does not arrive, it ends with the lease.
pub(super) struct Place<C: Connection, R: Runtime> {
    core: Arc<Core<C, R>>,
    key: Bytes,
    stamp: Stamp,
    /// There is a value, if an old one.
    holds_value: bool,
    /// There is a claim of one's own, to be taken away.
    is_claim: bool,
}

impl<C: Connection, R: Runtime> Place<C, R> {
    pub(super) fn new(core: &Arc<Core<C, R>>, key: &Bytes, basis: &Entry) -> Self {
        Self {
            core: Arc::clone(core),
            key: key.clone(),
            stamp: basis.stamp(),
            holds_value: basis.kind == Kind::Value,
            is_claim: basis.kind == Kind::Claim,
        }
    }

    pub(super) fn holds_value(&self) -> bool {
        self.holds_value
    }

    /// The claim, for the watchdog to keep.
    pub(super) fn claim(&self) -> Option<(&Bytes, &Stamp)> {
        self.is_claim.then_some((&self.key, &self.stamp))
    }

    /// There is no claim after all.
    pub(super) fn disown(mut self) {
        self.is_claim = false;
    }

    /// Puts a result here, if the place is still as it was; whatever it is like, when that is not `checked`.
    pub(super) async fn put(mut self, entry: &Entry, checked: bool) -> Stored {
        let done = if checked {
            self.core.store.replace(&self.key, &self.stamp, Some(entry)).await
        } else {
            self.core.store.put(&self.key, entry).await.map(|()| true)
        };
        match done {
            Ok(true) => {
                self.is_claim = false;
                self.core.memory.keep(&self.key, entry);
                Stored::Yes
            }
            Ok(false) => {
                self.is_claim = false;
                self.core.metrics.stores_refused.add(1);
                Stored::Refused
            }
            Err(trouble) => {
                tracing::debug!(%trouble, "a value was not stored");
                self.core.metrics.stores_failed.add(1);
                Stored::Failed
            }
        }
    }

    /// Notes in the entry that is here when a refresh may be tried again.
    pub(super) async fn postpone(self, retry_at: Duration) {
        if let Err(trouble) = self.core.store.postpone(&self.key, &self.stamp, retry_at).await {
            tracing::debug!(%trouble, "a refresh was not postponed");
        }
    }

    /// Takes away what the fill began from: there is no such thing any more.
    pub(super) async fn empty(mut self) -> Standing {
        match self.core.store.replace(&self.key, &self.stamp, None).await {
            Ok(still) => {
                self.is_claim = false;
                if still { Standing::Current } else { Standing::Outdated }
            }
            Err(_) => Standing::Unknown,
        }
    }

    /// Takes a claim away and leaves anything else.
    pub(super) async fn leave(self) -> Standing {
        if self.is_claim { self.empty().await } else { Standing::Unknown }
    }
}

impl<C: Connection, R: Runtime> Drop for Place<C, R> {
    fn drop(&mut self) {
        if !self.is_claim {
            return;
        }
        let (core, key, stamp) = (Arc::clone(&self.core), self.key.clone(), self.stamp.clone());
        self.core.runtime.spawn(async move {
            let _ = core.store.replace(&key, &stamp, None).await;
        });
    }
}
