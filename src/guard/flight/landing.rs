//! How a load ended.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::guard::entry::Entry;
use crate::guard::wire::Trouble;

/// Whether a computed value may be given to callers who came while it was computed: some of them may have come after an
/// invalidation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard) enum Standing {
    /// The entry that the fill began from was still there at its end: nothing was invalidated.
    Current,
    /// It was not: they look for themselves.
    Outdated,
    /// Redis did not say. They get it and are told that it is a fallback.
    Unknown,
}

/// How a load ended, for everybody who waited for it.
#[derive(Clone, Debug)]
pub(in crate::guard) enum Landing {
    /// A value was computed in this process.
    Computed {
        /// `None` when it cannot be encoded: then only the caller whose fill it was has it.
        payload: Option<Bytes>,
        standing: Standing,
        took: Duration,
    },
    /// Another process was first.
    Found(Entry),
    /// The source said that there is no such thing.
    NotFound(Standing),
    Failed(Arc<dyn std::error::Error + Send + Sync>),
    Panicked(String),
    Overran(Duration),
    /// A refresh that is not needed: somebody else is at it.
    Elsewhere,
    /// A refresh failed a moment ago, and the source is left alone for so long.
    Postponed(Duration),
    /// Somebody else did not end in time.
    Vain,
    /// The source had no permit to spare.
    Shed,
    Down(Trouble),
    /// The load was ended, by its runtime or because nobody waited any more.
    Abandoned,
}
