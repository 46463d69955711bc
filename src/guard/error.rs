//! Why a caller gets no value. Each variant asks for another reaction.

use std::sync::Arc;
use std::time::Duration;

use super::options::OptionsError;
use super::wire::Trouble;

/// What a fill may fail with: any error.
pub type SourceError = Box<dyn std::error::Error + Send + Sync>;

/// Why there is no value.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such thing: a 404, not a failure.
    #[error("there is no such thing")]
    NotFound,
    /// The source failed, for this caller or for one whose load it shared. The error is the source's own.
    #[error("the source failed: {0}")]
    Source(Arc<dyn std::error::Error + Send + Sync>),
    /// The source failed a moment ago, for some process, and is left alone for a while.
    #[error("the source failed a moment ago ({said}); it is left alone for another {retry_after:?}")]
    FailedLately {
        /// The source's own words, up to 512 bytes.
        said: String,
        /// How long it is left alone yet.
        retry_after: Duration,
    },
    /// The fill panicked. Only the caller whose fill it was gets this.
    #[error("the fill panicked: {0}")]
    Panicked(String),
    /// The fill was still running when it had held the lock for as long as one may.
    #[error("the fill was ended after {0:?}")]
    Overran(Duration),
    /// Somebody else is computing the value, and did not end in time.
    #[error("somebody else is computing the value; try again in {retry_after:?}")]
    Contended {
        /// What [`Losers::retry_after`](super::Losers::retry_after) says.
        retry_after: Duration,
    },
    /// All permits of the source were taken for as long as the caller could wait.
    #[error("the source is busy; try again in {retry_after:?}")]
    Shed {
        /// What [`Losers::retry_after`](super::Losers::retry_after) says.
        retry_after: Duration,
    },
    /// Redis failed, and the options allow no other way.
    #[error(transparent)]
    Redis(#[from] Trouble),
    /// The options of this call make no sense.
    #[error(transparent)]
    Options(#[from] OptionsError),
}

/// What a fill returns when the thing asked for does not exist.
///
/// ```
/// # use stampede::guard::{NotFound, SourceError};
/// # fn find(id: u32) -> Option<String> { None }
/// fn load(id: u32) -> Result<String, SourceError> {
///     Ok(find(id).ok_or(NotFound)?)
/// }
/// assert!(load(1).unwrap_err().is::<NotFound>());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such thing")]
pub struct NotFound;
