//! What all clients share: the engine behind its lock, the script under way, and the wish to stop.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::clients::Clients;
use super::engine::Engine;
use super::running::Running;

/// The server, as its clients hold it.
///
/// A command runs while its client holds the lock, so that commands, transactions and scripts happen one after the
/// other, as in Redis. Only what a client may do while a script runs on and on goes past the lock.
#[derive(Debug)]
pub(super) struct Shared {
    engine: Mutex<Engine>,
    /// Entered and left without the engine: a script that runs on and on keeps nobody out.
    clients: Mutex<Clients>,
    running: Arc<Running>,
    /// Held and waited with by those who pause.
    stopped: Mutex<()>,
    stopping: Condvar,
}

impl Shared {
    pub(super) fn new(engine: Engine) -> Self {
        Self {
            engine: Mutex::new(engine),
            clients: Mutex::default(),
            running: Arc::new(Running::new()),
            stopped: Mutex::new(()),
            stopping: Condvar::new(),
        }
    }

    /// Waits for its turn; `None` when a script runs on and on.
    pub(super) fn engine(&self) -> Option<MutexGuard<'_, Engine>> {
        if let Some(engine) = self.engine.try_lock() {
            return Some(engine);
        }
        loop {
            let patience = self.running.until_busy()?;
            if let Some(engine) = self.engine.try_lock_for(patience) {
                return Some(engine);
            }
        }
    }

    /// Waits for its turn no longer than this.
    pub(super) fn engine_within(&self, patience: Duration) -> Option<MutexGuard<'_, Engine>> {
        self.engine.try_lock_for(patience)
    }

    pub(super) fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock()
    }

    /// The script under way.
    pub(super) fn running(&self) -> &Arc<Running> {
        &self.running
    }

    /// Ends the server: pauses end, and a script, whatever it has done.
    pub(super) fn stop(&self) {
        self.running.stop();
        // Whoever has just found that it is not stopped waits by now.
        drop(self.stopped.lock());
        self.stopping.notify_all();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.running.is_stopped()
    }

    /// Waits this long, or until the server ends.
    pub(super) fn pause(&self, duration: Duration) {
        let mut stopped = self.stopped.lock();
        if !self.is_stopped() {
            self.stopping.wait_for(&mut stopped, duration);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::embedded::Options;

    #[test]
    fn who_waits_for_an_endless_script_is_told_so() {
        let shared = Shared::new(Engine::new(&Options::default(), String::new()));
        shared.running().set_busy_after(1);
        let engine = shared.engine().expect("nobody else is here");
        shared.running().begin();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| shared.engine().is_none());
            assert!(waiting.join().expect("no panic"), "busy");
        });
        drop(engine);
    }
}
