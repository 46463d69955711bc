//! The guard itself.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::builder::Builder;
use super::core::Core;
use super::entry::{Codec, Json, Raw};
use super::error::{Error, SourceError};
use super::fill::{Fill, Filler};
use super::metrics::Snapshot;
use super::request::Request;
use super::wire::Connection;
use crate::clock::{Runtime, Tokio};

/// A cache whose expensive values are recomputed by one caller at a time, in one process of all that share a Redis.
///
/// Clones are the same guard. See the [module's documentation](super) for what it does and when not to use it.
pub struct Guard<C: Connection, R: Runtime = Tokio> {
    core: Arc<Core<C, R>>,
}

impl<C: Connection> Guard<C> {
    /// Begins a guard on a connection, with the defaults of [`Options`](super::Options) and [`Builder`].
    pub fn builder(connection: C) -> Builder<C> {
        Builder::new(connection, Tokio::new())
    }
}

impl<C: Connection, R: Runtime> Guard<C, R> {
    pub(super) fn new(core: Core<C, R>) -> Self {
        Self { core: Arc::new(core) }
    }

    /// The value of `key`: from the cache, or computed by `fill`, by somebody else's fill, or whatever else the
    /// [options](super::Options) allow.
    ///
    /// `fill` runs at most once, in a task of its own; it must be free of side effects, because in the worst case two
    /// processes run it for a moment (see the [module](super)). A value is stored as JSON; [`Self::bytes`] stores bytes
    /// as they are.
    ///
    /// # Errors
    /// An [`Error`] for each thing that the caller could do about it.
    ///
    /// # Cancellation
    /// Dropping the request is safe at any await: see [`Request`].
    pub fn get_or_recompute<V, F, T>(&self, key: impl AsRef<[u8]>, fill: F) -> Request<V, Json, C, R>
    where
        V: Serialize + DeserializeOwned + Send + 'static,
        F: FnOnce() -> T + Send + 'static,
        T: Future<Output = Result<V, SourceError>> + Send + 'static,
    {
        self.get_or_recompute_with(key, |_| fill())
    }

    /// The same, for a closure that has something to tell or to ask: progress, a lost lease, what is to become of the
    /// value. See [`Fill`].
    pub fn get_or_recompute_with<V, F, T>(&self, key: impl AsRef<[u8]>, fill: F) -> Request<V, Json, C, R>
    where
        V: Serialize + DeserializeOwned + Send + 'static,
        F: FnOnce(Fill) -> T + Send + 'static,
        T: Future<Output = Result<V, SourceError>> + Send + 'static,
    {
        self.with_codec(key, Json, fill)
    }

    /// The same for bytes, which are stored as they are and read without being copied.
    pub fn bytes<F, T>(&self, key: impl AsRef<[u8]>, fill: F) -> Request<Bytes, Raw, C, R>
    where
        F: FnOnce(Fill) -> T + Send + 'static,
        T: Future<Output = Result<Bytes, SourceError>> + Send + 'static,
    {
        self.with_codec(key, Raw, fill)
    }

    /// The same with a format of your own.
    pub fn with_codec<V, K, F, T>(&self, key: impl AsRef<[u8]>, codec: K, fill: F) -> Request<V, K, C, R>
    where
        V: Send + 'static,
        K: Codec<V>,
        F: FnOnce(Fill) -> T + Send + 'static,
        T: Future<Output = Result<V, SourceError>> + Send + 'static,
    {
        let filler: Filler<V> = Box::new(move |context| fill(context).boxed());
        Request::new(&self.core, key.as_ref(), codec, filler)
    }

    /// Removes the value of `key`, and makes sure that no fill that is under way anywhere can store what it read before.
    ///
    /// Write to the source first, then invalidate. Callers who ask after this has returned are not answered from a load
    /// that began before. If it fails, try again (or put it into an outbox with the write): until then readers get the
    /// old value, at most for its hard life.
    ///
    /// # Errors
    /// When Redis does not answer: the value may still be there.
    pub async fn invalidate(&self, key: impl AsRef<[u8]>) -> Result<(), Error> {
        let key = self.core.naming.value(Bytes::copy_from_slice(key.as_ref()))?;
        self.core.metrics.invalidations.add(1);
        self.core.memory.forget(&key);
        // A fill stores its result only in the place that it began from, and that place is gone with this.
        let removed = self.core.store.remove(&key).await;
        self.core.flights.close(&key);
        self.core.memory.forget(&key);
        Ok(removed?)
    }

    /// What has been counted so far.
    pub fn metrics(&self) -> Snapshot {
        self.core.metrics.snapshot()
    }

    /// True while Redis is left alone because it has not answered lately.
    pub fn is_redis_down(&self) -> bool {
        self.core.link.is_open()
    }
}

impl<C: Connection, R: Runtime> Clone for Guard<C, R> {
    fn clone(&self) -> Self {
        Self { core: Arc::clone(&self.core) }
    }
}
