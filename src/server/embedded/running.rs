//! The script under way: how long it has run, whether it has changed anything, whether it is to end.
//!
//! It is kept apart from the engine, which the script holds: whoever waits for a turn looks here why there is none.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::clock;

/// After this long a script counts as running on and on, as `busy-reply-threshold` says.
const BUSY_AFTER: u64 = 5_000;

#[derive(Clone, Copy, Debug)]
struct Script {
    since: Instant,
    wrote: bool,
    /// Somebody else has been asked to look after the clients.
    relieved: bool,
}

/// Why a script is not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotEnded {
    /// None runs.
    NotBusy,
    /// It has changed something: half a script is worse than a long one.
    HasWritten,
}

/// What to do when a script turns out to run on and on.
pub(super) type Relief = Box<dyn Fn() + Send + Sync>;

/// The script under way, if there is one.
#[derive(Default)]
pub(super) struct Running {
    script: Mutex<Option<Script>>,
    ending: AtomicBool,
    /// The server ends, and whatever runs with it.
    stopped: AtomicBool,
    busy_after: AtomicU64,
    relief: OnceLock<Relief>,
}

impl Running {
    pub(super) fn new() -> Self {
        Self { busy_after: AtomicU64::new(BUSY_AFTER), ..Self::default() }
    }

    /// What a script does when it has run for too long: its thread can't look after anybody meanwhile.
    pub(super) fn relieve_by(&self, relief: Relief) {
        // Set once, when the server starts.
        let _ = self.relief.set(relief);
    }

    /// Milliseconds.
    pub(super) fn busy_after(&self) -> u64 {
        self.busy_after.load(Ordering::Relaxed)
    }

    pub(super) fn set_busy_after(&self, milliseconds: u64) {
        self.busy_after.store(milliseconds, Ordering::Relaxed);
    }

    pub(super) fn begin(&self) {
        let mut script = self.script.lock();
        self.ending.store(false, Ordering::Relaxed);
        *script = Some(Script { since: clock::now(), wrote: false, relieved: false });
    }

    pub(super) fn wrote(&self) {
        if let Some(script) = &mut *self.script.lock() {
            script.wrote = true;
        }
    }

    pub(super) fn end(&self) {
        *self.script.lock() = None;
    }

    /// `SCRIPT KILL`: the script is to end as soon as it can.
    pub(super) fn kill(&self) -> Result<(), NotEnded> {
        // Under the lock, so that it meets this script and not the next one.
        let script = self.script.lock();
        match *script {
            None => Err(NotEnded::NotBusy),
            Some(Script { wrote: true, .. }) => Err(NotEnded::HasWritten),
            Some(_) => {
                self.ending.store(true, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// Whatever it has done, it is to end, and so is every other.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Whether the script is to end. Asked by the script itself every few thousand instructions.
    pub(super) fn is_to_end(&self) -> bool {
        self.ending.load(Ordering::Relaxed) || self.is_stopped()
    }

    /// How long until the script counts as running on and on; `None` when it does.
    pub(super) fn until_busy(&self) -> Option<Duration> {
        let limit = Duration::from_millis(self.busy_after());
        let running = (*self.script.lock()).map_or(Duration::ZERO, |script| clock::since(script.since));
        limit.checked_sub(running).filter(|left| !left.is_zero())
    }

    /// Asks for relief, once for each script that needs it.
    pub(super) fn look_around(&self) {
        if self.until_busy().is_some() {
            return;
        }
        let first = (*self.script.lock())
            .as_mut()
            .is_some_and(|script| !std::mem::replace(&mut script.relieved, true));
        if first && let Some(relief) = self.relief.get() {
            relief();
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("script", &self.script).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_script_that_has_not_written_can_be_killed() {
        let running = Running::new();
        assert_eq!(running.kill(), Err(NotEnded::NotBusy));
        running.begin();
        assert_eq!(running.kill(), Ok(()));
        assert!(running.is_to_end());
        running.begin();
        assert!(!running.is_to_end(), "the next one starts afresh");
        running.wrote();
        assert_eq!(running.kill(), Err(NotEnded::HasWritten));
        running.stop();
        assert!(running.is_to_end(), "the end of the server ends it all the same");
    }

    #[test]
    fn relief_is_asked_for_once() {
        let running = Running::new();
        let asked = std::sync::Arc::new(AtomicU64::new(0));
        let count = std::sync::Arc::clone(&asked);
        running.relieve_by(Box::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
        }));
        running.begin();
        running.look_around();
        assert_eq!(asked.load(Ordering::Relaxed), 0, "it has only begun");
        running.set_busy_after(0);
        running.look_around();
        running.look_around();
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }
}
