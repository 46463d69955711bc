//! The real world: tokio's timers and tasks, the wall's monotonic clock, the system's entropy.

use std::future::Future;
use std::time::{Duration, Instant};

use super::runtime::Runtime;
use super::wall::{now, since};

/// tokio's timers and tasks.
///
/// Whatever uses it runs inside a tokio runtime with its timer enabled.
#[derive(Clone, Copy, Debug)]
pub struct Tokio {
    start: Instant,
}

impl Tokio {
    /// The runtime of whatever Tokio runtime its tasks are started in.
    pub fn new() -> Self {
        Self { start: now() }
    }
}

impl Default for Tokio {
    fn default() -> Self {
        Self::new()
    }
}

impl Runtime for Tokio {
    fn now(&self) -> Duration {
        since(self.start)
    }

    #[expect(clippy::disallowed_methods, reason = "this is where pauses come from")]
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send + 'static {
        ::tokio::time::sleep(time)
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // None while a runtime shuts down: a destructor that wants to tidy up has nobody left to do it.
        if let Ok(handle) = ::tokio::runtime::Handle::try_current() {
            drop(handle.spawn(task));
        }
    }

    #[expect(clippy::disallowed_methods, reason = "this is where chance comes from")]
    fn random(&self) -> u128 {
        rand::random()
    }
}
