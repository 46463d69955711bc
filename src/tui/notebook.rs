//! Writing down what the learner does: the one place in the app that knows the time of day and the files of progress.

use std::sync::Arc;

use super::message::Message;
use crate::clock::Clock;
use crate::drill::{At, Did, Entry, Progress, Store};

/// A learner's progress, open.
#[derive(Debug)]
pub struct Notebook {
    store: Store,
    clock: Arc<dyn Clock>,
}

impl Notebook {
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock }
    }

    pub(super) fn progress(&self) -> &Progress {
        self.store.progress()
    }

    pub(super) fn now(&self) -> At {
        At::unix(self.clock.unix())
    }

    /// Writes it down, and tells the model that it was, or why it could not be.
    pub(super) fn note(&mut self, did: Did) -> Message {
        let entry = Entry { at: self.now(), did };
        let trouble = self.store.append(entry.clone()).err().map(|error| error.to_string());
        let mut entries = self.store.others();
        entries.push(entry);
        Message::Noted { entries, trouble }
    }

    /// Looks whether another program has written something down.
    pub(super) fn look(&mut self) -> Option<Message> {
        // What cannot be read now may be the next time; what is to be written is told of when it is.
        let _ = self.store.look();
        if self.store.begun_anew() {
            return Some(Message::BegunAnew(Box::new(self.store.progress().clone())));
        }
        let entries = self.store.others();
        (!entries.is_empty()).then_some(Message::Heard(entries))
    }

    /// Writes what could not be written before, and a snapshot.
    ///
    /// # Errors
    /// When something is lost with the program.
    pub(super) fn close(self) -> Result<(), crate::drill::StoreError> {
        self.store.close()
    }
}
