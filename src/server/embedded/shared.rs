//! What all clients share: the engine behind its lock, the script under way, and the wish to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::clients::Clients;
use super::engine::Engine;
use crate::clock;

/// After this long a script counts as running on and on, as `busy-reply-threshold` says.
const BUSY_AFTER: u64 = 5_000;

/// How often somebody who waits for a turn looks whether the server has ended.
const A_WHILE: Duration = Duration::from_millis(100);

/// The server, as its clients hold it.
///
/// A command runs while its client holds the lock, so that commands, transactions and scripts happen one after the
/// other, as in Redis. Only what a client may do while a script runs on and on goes past the lock.
#[derive(Debug)]
pub(super) struct Shared {
    engine: Mutex<Engine>,
    /// Entered and left without the engine: a script that runs on and on keeps nobody out.
    clients: Mutex<Clients>,
    /// The script under way.
    script: Mutex<Option<Script>>,
    /// The script is to end. Read every few thousand Lua instructions, so it is kept apart.
    ending: Arc<AtomicBool>,
    /// Milliseconds.
    busy_after: AtomicU64,
    stopped: Mutex<bool>,
    stopping: Condvar,
}

#[derive(Clone, Copy, Debug)]
struct Script {
    since: Instant,
    wrote: bool,
}

/// Why a script is not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotEnded {
    /// None runs.
    NotBusy,
    /// It has changed something: half a script is worse than a long one.
    HasWritten,
}

impl Shared {
    pub(super) fn new(engine: Engine) -> Self {
        Self {
            engine: Mutex::new(engine),
            clients: Mutex::default(),
            script: Mutex::new(None),
            ending: Arc::default(),
            busy_after: AtomicU64::new(BUSY_AFTER),
            stopped: Mutex::new(false),
            stopping: Condvar::new(),
        }
    }

    /// Waits for its turn; `None` when a script runs on and on.
    pub(super) fn engine(&self) -> Option<MutexGuard<'_, Engine>> {
        if let Some(engine) = self.engine.try_lock() {
            return Some(engine);
        }
        loop {
            let patience = self.until_busy()?;
            if let Some(engine) = self.engine.try_lock_for(patience) {
                return Some(engine);
            }
        }
    }

    /// Waits for its turn no longer than this.
    pub(super) fn engine_within(&self, patience: Duration) -> Option<MutexGuard<'_, Engine>> {
        self.engine.try_lock_for(patience)
    }

    /// Waits for its turn however long a script runs; `None` once the server has ended.
    pub(super) fn engine_at_last(&self) -> Option<MutexGuard<'_, Engine>> {
        loop {
            if self.is_stopped() {
                return None;
            }
            if let Some(engine) = self.engine.try_lock_for(A_WHILE) {
                return Some(engine);
            }
        }
    }

    pub(super) fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock()
    }

    /// How long until the script under way counts as running on and on; `None` when it does.
    fn until_busy(&self) -> Option<Duration> {
        let limit = Duration::from_millis(self.busy_after());
        let running = (*self.script.lock()).map_or(Duration::ZERO, |script| clock::since(script.since));
        limit.checked_sub(running).filter(|left| !left.is_zero())
    }

    pub(super) fn busy_after(&self) -> u64 {
        self.busy_after.load(Ordering::Relaxed)
    }

    pub(super) fn set_busy_after(&self, milliseconds: u64) {
        self.busy_after.store(milliseconds, Ordering::Relaxed);
    }

    /// A script begins.
    pub(super) fn script_begins(&self) {
        self.ending.store(false, Ordering::Relaxed);
        *self.script.lock() = Some(Script { since: clock::now(), wrote: false });
        // It may have been asked to stop just now, before there was a script to end.
        if self.is_stopped() {
            self.ending.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn script_wrote(&self) {
        if let Some(script) = &mut *self.script.lock() {
            script.wrote = true;
        }
    }

    pub(super) fn script_ends(&self) {
        *self.script.lock() = None;
    }

    /// The script is to end as soon as it can.
    pub(super) fn end_script(&self) -> Result<(), NotEnded> {
        match *self.script.lock() {
            None => Err(NotEnded::NotBusy),
            Some(Script { wrote: true, .. }) => Err(NotEnded::HasWritten),
            Some(_) => {
                self.ending.store(true, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    /// Raised while the script under way is to end as soon as it can.
    pub(super) fn ending(&self) -> &Arc<AtomicBool> {
        &self.ending
    }

    /// Ends the server: pauses end, a script ends whatever it has done.
    pub(super) fn stop(&self) {
        *self.stopped.lock() = true;
        self.ending.store(true, Ordering::Relaxed);
        self.stopping.notify_all();
    }

    pub(super) fn is_stopped(&self) -> bool {
        *self.stopped.lock()
    }

    /// Waits this long, or until the server ends.
    pub(super) fn pause(&self, duration: Duration) {
        let mut stopped = self.stopped.lock();
        if !*stopped {
            self.stopping.wait_for(&mut stopped, duration);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::embedded::Options;

    fn shared() -> Shared {
        Shared::new(Engine::new(&Options::default(), String::new()))
    }

    #[test]
    fn only_a_script_that_has_not_written_can_be_ended() {
        let shared = shared();
        assert_eq!(shared.end_script(), Err(NotEnded::NotBusy));
        shared.script_begins();
        assert_eq!(shared.end_script(), Ok(()));
        assert!(shared.ending().load(Ordering::Relaxed));
        shared.script_begins();
        assert!(!shared.ending().load(Ordering::Relaxed), "the next one starts afresh");
        shared.script_wrote();
        assert_eq!(shared.end_script(), Err(NotEnded::HasWritten));
        shared.stop();
        assert!(shared.ending().load(Ordering::Relaxed), "the end of the server ends it all the same");
    }

    #[test]
    fn who_waits_for_an_endless_script_is_told_so() {
        let shared = shared();
        shared.set_busy_after(1);
        let engine = shared.engine().expect("nobody else is here");
        shared.script_begins();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| shared.engine().is_none());
            assert!(waiting.join().expect("no panic"), "busy");
        });
        drop(engine);
    }
}
