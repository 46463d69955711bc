//! The list of what is counted.

use std::fmt;
use std::time::Duration;

use super::histogram::{Histogram, Recorder};
use crate::guard::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug)]
pub(in crate::guard) struct Counter {
    name: &'static str,
    count: AtomicU64,
}

impl Counter {
    pub(in crate::guard) fn add(&self, n: u64) {
        self.count.fetch_add(n, Ordering::Relaxed);
        export_count(self.name, n);
    }

    fn get(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

macro_rules! counters {
    ($($(#[$doc:meta])* $field:ident = $name:literal;)*) => {
        /// Everything that is counted, as it happens.
        #[derive(Debug)]
        pub(in crate::guard) struct Metrics {
            $(pub(in crate::guard) $field: Counter,)*
            pub(in crate::guard) fill_time: Recorder,
            pub(in crate::guard) wait_time: Recorder,
            pub(in crate::guard) stale_age: Recorder,
            pub(in crate::guard) filling: Gauge,
        }

        impl Metrics {
            pub(in crate::guard) fn new() -> Self {
                Self {
                    $($field: Counter { name: $name, count: AtomicU64::new(0) },)*
                    fill_time: Recorder::new("stampede_fill_seconds"),
                    wait_time: Recorder::new("stampede_wait_seconds"),
                    stale_age: Recorder::new("stampede_stale_age_seconds"),
                    filling: Gauge::default(),
                }
            }

            pub(in crate::guard) fn snapshot(&self) -> Snapshot {
                Snapshot {
                    $($field: self.$field.get(),)*
                    fill_time: self.fill_time.snapshot(),
                    wait_time: self.wait_time.snapshot(),
                    stale_age: self.stale_age.snapshot(),
                    filling: self.filling.now.load(Ordering::Relaxed),
                    filling_at_most: self.filling.most.load(Ordering::Relaxed),
                }
            }
        }

        impl Snapshot {
            /// Every counter by the name it is exported as.
            pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$(($name, self.$field)),*].into_iter()
            }
        }

        impl fmt::Display for Snapshot {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut line = |name: &str, value: &dyn fmt::Display| writeln!(f, "{name:<36} {value}");
                $(if self.$field > 0 {
                    line($name, &self.$field)?;
                })*
                line("stampede_filling", &format_args!("{}, at most {}", self.filling, self.filling_at_most))?;
                line("stampede_fill_seconds", &self.fill_time)?;
                line("stampede_wait_seconds", &self.wait_time)?;
                line("stampede_stale_age_seconds", &self.stale_age)
            }
        }

        /// What a guard has counted since it was built.
        ///
        /// Displayed, it is a line for each name that has counted something.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Snapshot {
            $($(#[$doc])* #[doc = concat!("\n\nExported as `", $name, "`.")] pub $field: u64,)*
            /// How long fills took, those that failed among them. Exported as `stampede_fill_seconds`.
            pub fill_time: Histogram,
            /// How long callers waited for somebody else's fill. Exported as `stampede_wait_seconds`.
            pub wait_time: Histogram,
            /// How old stale answers were. Exported as `stampede_stale_age_seconds`.
            pub stale_age: Histogram,
            /// Fills that run now. Exported as `stampede_filling`.
            pub filling: u64,
            /// The most fills that ever ran at once.
            pub filling_at_most: u64,
        }
    };
}

counters! {
    /// Callers who asked.
    requests = "stampede_requests_total";
    /// Answered from the cache, fresh.
    hits = "stampede_hits_total";
    /// Answered with a value past its soft deadline.
    stale_served = "stampede_stale_served_total";
    /// Answered with a remembered "there is no such thing".
    negative_hits = "stampede_negative_hits_total";
    /// No value that could be used.
    misses = "stampede_misses_total";
    /// Misses that joined a load already under way in this process.
    coalesced = "stampede_coalesced_total";
    /// Reads that shared another caller's `GET`.
    reads_coalesced = "stampede_reads_coalesced_total";
    /// Attempts to take a lock.
    attempts = "stampede_lock_attempts_total";
    /// Locks taken.
    acquisitions = "stampede_lock_acquisitions_total";
    /// Attempts that found the lock taken: contention, not an error.
    losses = "stampede_lock_losses_total";
    /// Attempts whose outcome had to be asked for, because no answer came.
    uncertain = "stampede_lock_uncertain_total";
    /// Leases extended.
    extensions = "stampede_lease_extensions_total";
    /// Leases that ended, or were found to be another's, while their fill was running.
    lost_leases = "stampede_leases_lost_total";
    /// Releases that found another's lock, or none; rarely one whose first answer was lost.
    refused_releases = "stampede_releases_refused_total";
    /// Values recomputed.
    fills = "stampede_fills_total";
    /// Fills that returned an error.
    fills_failed = "stampede_fills_failed_total";
    /// Fills that panicked.
    fills_panicked = "stampede_fills_panicked_total";
    /// Fills ended because they held the lock for too long.
    fills_overran = "stampede_fills_overran_total";
    /// Fills dropped because nobody waited for them any more.
    fills_abandoned = "stampede_fills_abandoned_total";
    /// Values that were not stored because the entry had changed since the fill began.
    stores_refused = "stampede_stores_refused_total";
    /// Values that could not be stored: Redis failed, or they could not be encoded or were too large.
    stores_failed = "stampede_stores_failed_total";
    /// Winners who found on looking again that there was nothing left to do.
    rechecks_hit = "stampede_rechecks_hit_total";
    /// Refreshes begun before the soft deadline.
    early_refreshes = "stampede_early_refreshes_total";
    /// Callers whose patience ended before somebody else's fill did.
    waiter_timeouts = "stampede_waiter_timeouts_total";
    /// Fills without a lock, because there was no other way to an answer.
    fallbacks = "stampede_fallbacks_total";
    /// Loads that found all permits of the source taken until their patience ended.
    shed = "stampede_shed_total";
    /// Answered with the value that the caller had given for this case.
    degraded = "stampede_degraded_total";
    /// Entries that were there and could not be read.
    unreadable = "stampede_unreadable_entries_total";
    /// Keys invalidated.
    invalidations = "stampede_invalidations_total";
    /// Commands that Redis did not answer.
    redis_failures = "stampede_redis_failures_total";
    /// Times the circuit breaker opened.
    breaker_openings = "stampede_breaker_openings_total";
}

/// How many at once.
#[derive(Debug, Default)]
pub(in crate::guard) struct Gauge {
    now: AtomicU64,
    most: AtomicU64,
}

/// One of them, until it is dropped.
pub(in crate::guard) struct OneMore<'a>(&'a Gauge);

impl Gauge {
    pub(in crate::guard) fn enter(&self) -> OneMore<'_> {
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
        export_filling(now);
        OneMore(self)
    }
}

impl Drop for OneMore<'_> {
    fn drop(&mut self) {
        export_filling(self.0.now.fetch_sub(1, Ordering::Relaxed) - 1);
    }
}

#[cfg(feature = "metrics")]
fn export_count(name: &'static str, n: u64) {
    metrics::counter!(name).increment(n);
}

#[cfg(feature = "metrics")]
pub(in crate::guard) fn export_duration(name: &'static str, took: Duration) {
    metrics::histogram!(name).record(took.as_secs_f64());
}

#[cfg(feature = "metrics")]
fn export_filling(now: u64) {
    metrics::gauge!("stampede_filling").set(now as f64);
}

#[cfg(not(feature = "metrics"))]
fn export_count(_: &'static str, _: u64) {}

#[cfg(not(feature = "metrics"))]
pub(in crate::guard) fn export_duration(_: &'static str, _: Duration) {}

#[cfg(not(feature = "metrics"))]
fn export_filling(_: u64) {}
