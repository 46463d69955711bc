//! Everybody who is connected.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;

use super::card::Card;
use super::data::Key;

/// Clients by number. Nobody has a number that somebody else had before.
#[derive(Debug, Default)]
pub(super) struct Clients {
    cards: BTreeMap<u64, Arc<Mutex<Card>>>,
    entered: u64,
    /// What was watched and is no longer.
    forgotten: Vec<Watched>,
}

/// A database, a key in it, and the flag to raise when it changes.
pub(super) type Watched = (usize, Key, Arc<AtomicBool>);

impl Clients {
    /// Gives a client its number.
    pub(super) fn enter(&mut self, card: &Arc<Mutex<Card>>) -> u64 {
        self.entered += 1;
        card.lock().id = self.entered;
        self.cards.insert(self.entered, Arc::clone(card));
        self.entered
    }

    pub(super) fn leave(&mut self, id: u64) {
        self.cards.remove(&id);
    }

    /// Keeps what somebody no longer watches, for whoever next has the engine and a use for it.
    pub(super) fn forget(&mut self, watched: impl Iterator<Item = Watched>) {
        self.forgotten.extend(watched);
    }

    pub(super) fn take_forgotten(&mut self) -> Vec<Watched> {
        std::mem::take(&mut self.forgotten)
    }

    /// How many there have been.
    pub(super) fn entered(&self) -> u64 {
        self.entered
    }

    pub(super) fn len(&self) -> usize {
        self.cards.len()
    }

    /// What is known of each, by number.
    pub(super) fn cards(&self) -> impl Iterator<Item = Card> {
        self.cards.values().map(|card| card.lock().clone())
    }
}
