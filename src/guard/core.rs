//! What all calls of one guard share.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Semaphore;

use super::entry::{Memory, Store};
use super::flight::{Flights, Reads};
use super::lease::{Release, Sizing};
use super::metrics::Metrics;
use super::naming::Naming;
use super::options::Options;
use super::wire::{Connection, Known, Link, ServerClock, Trouble};
use crate::clock::Runtime;

/// What all calls of one guard share.
pub(super) struct Core<C, R> {
    pub(super) runtime: R,
    pub(super) link: Arc<Link<C, R>>,
    /// The link for renewals: a large value under way on the other must not hold one up.
    pub(super) renewals: Link<C, R>,
    pub(super) store: Store<C, R>,
    pub(super) clock: ServerClock,
    pub(super) naming: Naming,
    pub(super) options: Arc<Options>,
    pub(super) largest: usize,
    /// The bulkhead: how many fills may run in this process at once.
    pub(super) permits: Arc<Semaphore>,
    pub(super) flights: Arc<Flights>,
    pub(super) reads: Reads,
    pub(super) memory: Memory,
    pub(super) sizing: Sizing,
    pub(super) release: Release,
    pub(super) metrics: Arc<Metrics>,
}

impl<C: Connection, R: Runtime> Core<C, R> {
    /// The server's time. Asks for it when it is not known, and in a task of its own when it is not known well.
    pub(super) async fn server_time(self: &Arc<Self>) -> Result<Duration, Trouble> {
        match self.clock.at(self.runtime.now()) {
            Known::Yes(time) => Ok(time),
            Known::No => Box::pin(self.clock.ask(&self.link, &self.runtime)).await,
            Known::Aged(time) => {
                let core = Arc::clone(self);
                self.runtime.spawn(async move {
                    let _ = core.clock.ask(&core.link, &core.runtime).await;
                });
                Ok(time)
            }
        }
    }

    /// A number from 0 (excluded) to 1. 32 bits: a finer one could be so near to zero that its logarithm runs wild.
    pub(super) fn chance(&self) -> f64 {
        (f64::from(self.runtime.random() as u32) + 1.0) / (f64::from(u32::MAX) + 1.0)
    }

    /// Gives a lock back. That it is no longer one's own is counted, and no error: the value comes first.
    pub(super) async fn release(&self, lock: &Bytes, token: &str) {
        match self.release.release(&self.link, lock, token).await {
            Ok(true) => {}
            Ok(false) => self.metrics.refused_releases.add(1),
            Err(trouble) => tracing::debug!(%trouble, "a lock was not released and ends with its lease"),
        }
    }
}
