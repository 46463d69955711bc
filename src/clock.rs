//! The wall clock, read here and nowhere else.
//!
//! Everything in the lab lives on virtual time ([`crate::lab::LabTime`]). What must follow the wall all the
//! same (pacing a playback, noticing that a server's countdown ran on while we were stopped, giving up on a
//! server that does not start) asks this file, so that a search for wall time ends here. `clippy.toml`
//! keeps it so.

use std::time::{Duration, Instant};

/// The monotonic wall clock, now.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the wall")]
pub fn now() -> Instant {
    Instant::now()
}

/// How long ago `then` was; zero when it lies ahead.
pub fn since(then: Instant) -> Duration {
    now().saturating_duration_since(then)
}
