//! The wall clock, read here and nowhere else.
//!
//! The embedded server counts its keys down by the time of day, as Redis does, and asks a [`Clock`] for it: the
//! [`Wall`], or one that is [set by hand](HandSet).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// The monotonic wall clock, now.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the wall")]
pub fn now() -> Instant {
    Instant::now()
}

/// How long ago `then` was; zero when it lies ahead.
pub fn since(then: Instant) -> Duration {
    now().saturating_duration_since(then)
}

/// The time of day, from somewhere.
pub trait Clock: std::fmt::Debug + Send + Sync {
    /// The time since 1 January 1970, UTC.
    fn unix(&self) -> Duration;
}

/// The system's time of day. It can jump, as Redis's can.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wall;

impl Clock for Wall {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the wall")]
    fn unix(&self) -> Duration {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
    }
}

/// A clock that stands still until somebody moves it.
#[derive(Debug)]
pub struct HandSet(AtomicU64);

impl HandSet {
    /// Stands at `unix`, kept to the microsecond.
    pub fn at(unix: Duration) -> Self {
        Self(AtomicU64::new(micros(unix)))
    }

    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(micros(by), Ordering::SeqCst);
    }
}

impl Clock for HandSet {
    fn unix(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::SeqCst))
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
