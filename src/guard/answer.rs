//! What a caller gets.

use std::time::Duration;

/// A value, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<V> {
    /// The value.
    pub value: V,
    /// Where it came from.
    pub provenance: Provenance,
}

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Provenance {
    /// From the cache, within its soft deadline.
    Hit {
        /// Since its fill began, by the server's clock.
        age: Duration,
    },
    /// From the cache, or remembered by this process, past its soft deadline.
    Stale {
        /// Since its fill began, by the server's clock.
        age: Duration,
    },
    /// Computed for this caller.
    Recomputed {
        /// How long the fill ran.
        took: Duration,
        /// Whether the next caller will find it.
        stored: Stored,
    },
    /// Computed by another process while this caller waited.
    Waited {
        /// From the question to the answer.
        waited: Duration,
    },
    /// Computed in this process for another caller while this one waited.
    Coalesced {
        /// From the question to the answer.
        waited: Duration,
    },
    /// Computed beside the cache, by this caller or another in this process: without the lock, or when Redis could not
    /// tell whether the key was invalidated meanwhile. It may be as old as its fill is long.
    Fallback {
        /// How long the fill ran.
        took: Duration,
    },
    /// The value that the caller had given for this case.
    Degraded,
}

/// What became of a computed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is in Redis.
    Yes,
    /// The fill asked not to.
    Unwanted,
    /// The entry had changed since the fill began: it was invalidated, or somebody stored a newer one.
    Refused,
    /// Redis failed, or the value cannot be encoded or is too large.
    Failed,
}
