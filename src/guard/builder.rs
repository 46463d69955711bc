//! Building a guard.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Semaphore;

use super::core::Core;
use super::entry::{Memory, Store};
use super::flight::{Flights, Reads};
use super::guard::Guard;
use super::lease::{Release, Sizing};
use super::metrics::Metrics;
use super::naming::Naming;
use super::options::{LONGEST, Options, OptionsError};
use super::wire::{Breaker, BreakerOptions, Connection, Link, ServerClock};
use crate::clock::Runtime;

/// What a guard is made of. Everything has a default.
#[must_use = "a builder does nothing until it builds"]
pub struct Builder<C, R = crate::clock::Tokio> {
    connection: C,
    renewals: Option<C>,
    runtime: R,
    naming: Naming,
    options: Options,
    redis_timeout: Duration,
    breaker: BreakerOptions,
    permits: usize,
    remember: usize,
    largest: usize,
    native_release: bool,
}

impl<C: Connection, R: Runtime> Builder<C, R> {
    pub(super) fn new(connection: C, runtime: R) -> Self {
        Self {
            connection,
            renewals: None,
            runtime,
            naming: Naming::default(),
            options: Options::default(),
            redis_timeout: Duration::from_millis(250),
            breaker: BreakerOptions::default(),
            permits: 16,
            remember: 0,
            largest: 16 << 20,
            native_release: true,
        }
    }

    /// The world to run in, instead of tokio's.
    pub fn runtime<W: Runtime>(self, runtime: W) -> Builder<C, W> {
        Builder {
            connection: self.connection,
            renewals: self.renewals,
            runtime,
            naming: self.naming,
            options: self.options,
            redis_timeout: self.redis_timeout,
            breaker: self.breaker,
            permits: self.permits,
            remember: self.remember,
            largest: self.largest,
            native_release: self.native_release,
        }
    }

    /// The options of every call that does not change them.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// A connection for renewals alone. On a shared one a renewal waits behind whatever large value is under way.
    pub fn renewals(mut self, connection: C) -> Self {
        self.renewals = Some(connection);
        self
    }

    /// What stands before every key on the server, such as `shop:`. Nothing by default.
    pub fn namespace(mut self, namespace: impl Into<Bytes>) -> Self {
        self.naming.namespace = namespace.into();
        self
    }

    /// What stands before the name of every lock: `lock:` by default. A key whose value would be named like that is
    /// refused, so that no value is ever taken for a lock.
    pub fn lock_prefix(mut self, prefix: impl Into<Bytes>) -> Self {
        self.naming.lock_prefix = prefix.into();
        self
    }

    /// Wraps keys in braces, so that a cluster keeps value and lock in one slot; braces in a key are written as in URLs.
    /// The guard itself never needs that: each of its commands is about one key. A key that has a hash tag of its own
    /// needs it as little.
    pub fn hash_tags(mut self, wanted: bool) -> Self {
        self.naming.hash_tag = wanted;
        self
    }

    /// How long Redis may take for one command: 250 ms by default. The connection's own timeouts may be longer; this one
    /// counts.
    pub fn redis_timeout(mut self, limit: Duration) -> Self {
        self.redis_timeout = limit;
        self
    }

    /// When commands are no longer sent, and for how long: by default after three failures in a row, for a second.
    pub fn breaker(mut self, options: BreakerOptions) -> Self {
        self.breaker = options;
        self
    }

    /// How many fills may run at once in this process, with a lock or without: 16 by default. Others wait for a permit
    /// as long as they would wait for a value.
    pub fn permits(mut self, permits: usize) -> Self {
        self.permits = permits;
        self
    }

    /// How many values this process remembers for when Redis is down: none by default.
    pub fn remember(mut self, values: usize) -> Self {
        self.remember = values;
        self
    }

    /// The largest value that is stored, in bytes: 16 MiB by default. Larger ones are answered with and not stored.
    pub fn largest(mut self, bytes: usize) -> Self {
        self.largest = bytes;
        self
    }

    /// Whether to release locks by the server's own compare-and-delete where it has one (`DELEX … IFEQ`, `DELIFEQ`),
    /// which is asked for once, or always by the script. Yes by default.
    pub fn native_release(mut self, wanted: bool) -> Self {
        self.native_release = wanted;
        self
    }

    /// # Errors
    /// When an option makes no sense.
    pub fn build(self) -> Result<Guard<C, R>, OptionsError> {
        self.options.check()?;
        self.naming.check()?;
        if self.redis_timeout.is_zero() || self.redis_timeout > LONGEST {
            return Err(OptionsError::new(
                "redis_timeout",
                self.redis_timeout,
                "more than nothing, at most an hour",
            ));
        }
        if self.permits == 0 || self.permits > Semaphore::MAX_PERMITS {
            return Err(OptionsError::new(
                "permits",
                self.permits,
                "at least 1: without a permit nothing is computed",
            ));
        }
        if self.breaker.failures == 0 {
            return Err(OptionsError::new("breaker.failures", 0, "at least 1"));
        }
        let metrics = Arc::new(Metrics::new());
        let link = |connection, breaker| {
            let (runtime, metrics) = (self.runtime.clone(), Arc::clone(&metrics));
            Link::new(connection, runtime, self.redis_timeout, Breaker::new(breaker), metrics)
        };
        // A renewal is tried again until its lease ends, however often Redis has not answered: there are few of them,
        // and much depends on each.
        let never = BreakerOptions { failures: u32::MAX, ..self.breaker };
        let renewals = link(self.renewals.unwrap_or_else(|| self.connection.clone()), never);
        let link = Arc::new(link(self.connection, self.breaker));
        Ok(Guard::new(Core {
            store: Store::new(Arc::clone(&link), Arc::clone(&metrics)),
            link,
            renewals,
            clock: ServerClock::default(),
            naming: self.naming,
            options: Arc::new(self.options),
            largest: self.largest,
            permits: Arc::new(Semaphore::new(self.permits)),
            flights: Arc::new(Flights::default()),
            reads: Reads::default(),
            memory: Memory::new(self.remember),
            sizing: Sizing::default(),
            release: Release::new(self.native_release),
            metrics,
            runtime: self.runtime,
        }))
    }
}
