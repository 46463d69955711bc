//! One client's side of a conversation: what it selected, queued, watches, and was told.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::card::Card;
use super::codec::Protocol;
use super::data::Key;
use super::engine::Engine;
use super::shared::Shared;
use super::spec::Spec;
use crate::clock;

/// Commands that `MULTI` collects.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) commands: Vec<(&'static Spec, Vec<Vec<u8>>)>,
    /// One of them was refused, so that none will run.
    pub(super) spoilt: bool,
}

/// Which replies a client wants, by `CLIENT REPLY`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Hearing {
    #[default]
    On,
    Off,
    /// All but the next one.
    SkipNext,
    /// All but this one.
    Skip,
}

/// What the server keeps of a client.
pub(super) struct Session {
    pub(super) id: u64,
    pub(super) card: Arc<Mutex<Card>>,
    pub(super) db: usize,
    pub(super) protocol: Protocol,
    pub(super) queue: Option<Queue>,
    pub(super) hearing: Hearing,
    /// The connection ends after the replies so far.
    pub(super) closing: bool,
    /// Commands run for a script or for `EXEC`: they can't wait.
    pub(super) in_batch: bool,
    /// How long the client waits for the reply that it is about to get, without holding up anybody else.
    pub(super) pause: Option<Duration>,
    watched: BTreeSet<(usize, Key)>,
    /// Raised when a watched key changes.
    dirty: Arc<AtomicBool>,
}

impl Session {
    /// Enters the client.
    pub(super) fn enter(shared: &Shared, address: String) -> Self {
        let card = Arc::new(Mutex::new(Card::new(address)));
        let id = shared.clients().enter(&card);
        Self::with(id, card)
    }

    fn with(id: u64, card: Arc<Mutex<Card>>) -> Self {
        Self {
            id,
            card,
            db: 0,
            protocol: Protocol::default(),
            queue: None,
            hearing: Hearing::default(),
            closing: false,
            in_batch: false,
            pause: None,
            watched: BTreeSet::new(),
            dirty: Arc::default(),
        }
    }

    /// The client that a script's commands come from.
    pub(super) fn of_script(&self) -> Self {
        let mut session = Self::with(self.id, Arc::clone(&self.card));
        session.db = self.db;
        session.in_batch = true;
        session
    }

    /// Writes down for others which command this is.
    pub(super) fn note(&self, spec: &'static Spec) {
        let mut card = self.card.lock();
        card.command = spec.name;
        card.commands += 1;
        card.last_used = clock::now();
    }

    /// Writes down for others what has become of this client by it.
    pub(super) fn show(&self) {
        let mut card = self.card.lock();
        card.database = self.db;
        card.protocol = self.protocol;
        card.queued = self.queue.as_ref().map(|queue| queue.commands.len());
        card.watching = self.watched.len();
    }

    /// A command was refused: a transaction that it was meant for will not run.
    pub(super) fn spoil(&mut self) {
        if let Some(queue) = &mut self.queue {
            queue.spoilt = true;
        }
    }

    pub(super) fn watch(&mut self, engine: &mut Engine, key: &[u8]) {
        if self.watched.insert((self.db, key.into())) {
            engine.databases[self.db].watch(key, &self.dirty);
        }
    }

    /// Watches nothing any more; says whether a watched key had changed.
    pub(super) fn unwatch(&mut self, engine: &mut Engine) -> bool {
        for (db, key) in std::mem::take(&mut self.watched) {
            engine.databases[db].unwatch(&key, &self.dirty);
        }
        self.dirty.swap(false, Ordering::Relaxed)
    }

    /// Watches nothing any more, without a turn with the engine: what it watched is cleared away at the next `WATCH`.
    pub(super) fn forget(&mut self, shared: &Shared) {
        let flag = std::mem::take(&mut self.dirty);
        let watched = std::mem::take(&mut self.watched).into_iter();
        shared.clients().forget(watched.map(|(db, key)| (db, key, Arc::clone(&flag))));
    }

    /// Leaves: others no longer see this client.
    pub(super) fn leave(&mut self, shared: &Shared) {
        self.forget(shared);
        shared.clients().leave(self.id);
    }
}
