//! Answers that are no value.

use std::time::Duration;

use super::bounds::{OptionsError, check_life};

/// How long "no" is remembered, by all processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Negative {
    /// The source said that there is no such thing ([`NotFound`](crate::guard::NotFound)). Without it, asking for what
    /// does not exist reaches the source every time.
    pub not_found: Option<Duration>,
    /// The source failed. Without it each next winner tries again at once, and a source in trouble is hammered by its
    /// own recovery. Where there is a stale value, it stays, and the next refresh waits as long.
    pub failure: Option<Duration>,
}

impl Default for Negative {
    fn default() -> Self {
        Self { not_found: Some(Duration::from_secs(5)), failure: Some(Duration::from_secs(1)) }
    }
}

impl Negative {
    pub(super) fn check(&self) -> Result<(), OptionsError> {
        self.not_found.map_or(Ok(()), |life| check_life("negative.not_found", life))?;
        self.failure.map_or(Ok(()), |life| check_life("negative.failure", life))
    }
}
