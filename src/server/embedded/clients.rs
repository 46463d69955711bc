//! Everybody who is connected.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::card::Card;

/// Clients by number. Nobody has a number that somebody else had before.
#[derive(Debug, Default)]
pub(super) struct Clients {
    cards: BTreeMap<u64, Arc<Mutex<Card>>>,
    entered: u64,
}

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
