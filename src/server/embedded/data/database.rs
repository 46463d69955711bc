//! One numbered database: keys, values, deadlines, and who watches what.
//!
//! Before each command everything that is due is removed ([`Database::purge`]). So no command ever meets a key that has
//! expired, and none needs to ask. Redis removes such keys when somebody meets them and searches for the rest now and
//! then; only in `DBSIZE` can a client see the difference.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexMap;

use super::value::{Hash, Text, Value};
use crate::server::embedded::error::CommandError;

pub(in crate::server::embedded) type Key = Arc<[u8]>;

/// A value and its end.
#[derive(Clone, Debug)]
pub(in crate::server::embedded) struct Entry {
    pub(in crate::server::embedded) value: Value,
    /// The millisecond of the time of day after which the key is gone.
    pub(in crate::server::embedded) expires: Option<u64>,
    /// When it was last used, in the same milliseconds.
    used: Cell<u64>,
}

impl Entry {
    pub(in crate::server::embedded) fn used(&self) -> u64 {
        self.used.get()
    }
}

#[derive(Debug, Default)]
pub(in crate::server::embedded) struct Database {
    entries: IndexMap<Key, Entry>,
    deadlines: BTreeSet<(u64, Key)>,
    /// Flags to raise when a key changes.
    watchers: BTreeMap<Key, Vec<Arc<AtomicBool>>>,
    now: u64,
}

impl Database {
    /// Moves time on and removes every key whose deadline has passed.
    pub(in crate::server::embedded) fn purge(&mut self, now: u64) {
        self.now = now;
        while let Some((deadline, key)) = self.deadlines.first()
            && *deadline < now
        {
            let key = Arc::clone(key);
            self.remove(&key);
        }
    }

    pub(in crate::server::embedded) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many keys have a deadline, and how far off those are on average, in milliseconds.
    pub(in crate::server::embedded) fn expiring(&self) -> (usize, u64) {
        let count = self.deadlines.len();
        let left: u64 = self.deadlines.iter().map(|(deadline, _)| deadline.saturating_sub(self.now)).sum();
        (count, left.checked_div(count as u64).unwrap_or(0))
    }

    pub(in crate::server::embedded) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.entries.keys()
    }

    /// The entry, which counts as using it.
    pub(in crate::server::embedded) fn get(&self, key: &[u8]) -> Option<&Entry> {
        self.entries.get(key).inspect(|entry| entry.used.set(self.now))
    }

    /// The entry, without using it.
    pub(in crate::server::embedded) fn peek(&self, key: &[u8]) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub(in crate::server::embedded) fn at(&self, index: usize) -> Option<(&Key, &Entry)> {
        self.entries.get_index(index)
    }

    /// The string at a key.
    pub(in crate::server::embedded) fn text(&self, key: &[u8]) -> Result<Option<&[u8]>, CommandError> {
        match self.get(key).map(|entry| &entry.value) {
            None => Ok(None),
            Some(Value::Text(text)) => Ok(Some(&text.bytes)),
            Some(Value::Hash(_)) => Err(CommandError::WRONG_TYPE),
        }
    }

    /// The hash at a key.
    pub(in crate::server::embedded) fn hash(&self, key: &[u8]) -> Result<Option<&Hash>, CommandError> {
        match self.get(key).map(|entry| &entry.value) {
            None => Ok(None),
            Some(Value::Hash(hash)) => Ok(Some(hash)),
            Some(Value::Text(_)) => Err(CommandError::WRONG_TYPE),
        }
    }

    /// Changes the string at a key in place; an absent one is made. Those who watch the key are told.
    pub(in crate::server::embedded) fn edit_text<T>(
        &mut self,
        key: &[u8],
        edit: impl FnOnce(&mut Text) -> T,
    ) -> Result<T, CommandError> {
        self.text(key)?;
        match self.edit(key, || Value::text(b"")) {
            Value::Text(text) => Ok(edit(text)),
            Value::Hash(_) => Err(CommandError::WRONG_TYPE),
        }
    }

    /// Changes the hash at a key in place; an absent one is made.
    pub(in crate::server::embedded) fn edit_hash<T>(
        &mut self,
        key: &[u8],
        edit: impl FnOnce(&mut Hash) -> T,
    ) -> Result<T, CommandError> {
        self.hash(key)?;
        match self.edit(key, || Value::Hash(Hash::default())) {
            Value::Hash(hash) => Ok(edit(hash)),
            Value::Text(_) => Err(CommandError::WRONG_TYPE),
        }
    }

    fn edit(&mut self, key: &[u8], absent: impl FnOnce() -> Value) -> &mut Value {
        self.signal(key);
        let used = Cell::new(self.now);
        let entry = self.entries.entry(key.into());
        &mut entry.or_insert_with(|| Entry { value: absent(), expires: None, used }).value
    }

    /// Puts a value at a key, whatever was there.
    pub(in crate::server::embedded) fn set(&mut self, key: &[u8], value: Value, expires: Option<u64>) {
        self.signal(key);
        let used = Cell::new(self.now);
        let Some((_, own, entry)) = self.entries.get_full_mut(key) else {
            let key: Key = key.into();
            self.entries.insert(Arc::clone(&key), Entry { value, expires, used });
            return self.move_deadline(key, None, expires);
        };
        entry.value = value;
        if entry.expires != expires {
            let key = Arc::clone(own);
            let before = std::mem::replace(&mut entry.expires, expires);
            self.move_deadline(key, before, expires);
        }
    }

    /// Puts a value at a key that keeps its deadline.
    pub(in crate::server::embedded) fn set_keeping_deadline(&mut self, key: &[u8], value: Value) {
        let expires = self.peek(key).and_then(|entry| entry.expires);
        self.set(key, value, expires);
    }

    /// Gives an existing key another deadline, or none.
    pub(in crate::server::embedded) fn set_deadline(&mut self, key: &[u8], expires: Option<u64>) {
        self.signal(key);
        if let Some((_, key, entry)) = self.entries.get_full_mut(key) {
            let before = std::mem::replace(&mut entry.expires, expires);
            let key = Arc::clone(key);
            self.move_deadline(key, before, expires);
        }
    }

    fn move_deadline(&mut self, key: Key, before: Option<u64>, after: Option<u64>) {
        if let Some(before) = before {
            self.deadlines.remove(&(before, Arc::clone(&key)));
        }
        if let Some(after) = after {
            self.deadlines.insert((after, key));
        }
    }

    pub(in crate::server::embedded) fn remove(&mut self, key: &[u8]) -> Option<Entry> {
        // The last key takes the place of this one: `SCAN` counts on it.
        let (key, entry) = self.entries.swap_remove_entry(key)?;
        self.signal(&key);
        if let Some(deadline) = entry.expires {
            self.deadlines.remove(&(deadline, key));
        }
        Some(entry)
    }

    pub(in crate::server::embedded) fn clear(&mut self) {
        for (key, flags) in &self.watchers {
            if self.entries.contains_key(key) {
                raise(flags);
            }
        }
        self.entries = IndexMap::new();
        self.deadlines.clear();
    }

    /// Raises this flag when the key changes.
    pub(in crate::server::embedded) fn watch(&mut self, key: &[u8], flag: &Arc<AtomicBool>) {
        self.watchers.entry(key.into()).or_default().push(Arc::clone(flag));
    }

    pub(in crate::server::embedded) fn unwatch(&mut self, key: &[u8], flag: &Arc<AtomicBool>) {
        if let Some(flags) = self.watchers.get_mut(key) {
            flags.retain(|other| !Arc::ptr_eq(other, flag));
            if flags.is_empty() {
                self.watchers.remove(key);
            }
        }
    }

    fn signal(&self, key: &[u8]) {
        if let Some(flags) = self.watchers.get(key) {
            raise(flags);
        }
    }
}

fn raise(flags: &[Arc<AtomicBool>]) {
    for flag in flags {
        flag.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_lives_through_its_last_millisecond() {
        let mut database = Database::default();
        database.purge(1_000);
        database.set(b"k", Value::text(b"v"), Some(1_500));
        database.purge(1_500);
        assert!(database.get(b"k").is_some());
        database.purge(1_501);
        assert!(database.get(b"k").is_none());
        assert_eq!(database.expiring(), (0, 0));
    }

    #[test]
    fn what_ends_by_itself_has_changed_for_those_who_watch() {
        let mut database = Database::default();
        let flag = Arc::new(AtomicBool::new(false));
        database.set(b"k", Value::text(b"v"), Some(5));
        database.watch(b"k", &flag);
        database.purge(6);
        assert!(flag.load(Ordering::Relaxed));
    }
}
