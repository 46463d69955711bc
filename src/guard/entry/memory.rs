//! What this process saw last: answers for when Redis is gone.

use std::num::NonZeroUsize;
use std::sync::PoisonError;

use bytes::Bytes;
use lru::LruCache;

use super::header::Entry;
use crate::guard::sync::{Mutex, MutexGuard};

/// The last entries read or written here, the least recently used forgotten first.
///
/// It is asked only when Redis cannot be: a value in it may be older than the one there.
pub(in crate::guard) struct Memory(Option<Mutex<LruCache<Bytes, Entry>>>);

impl Memory {
    /// Keeps `capacity` entries; none when it is zero.
    pub(in crate::guard) fn new(capacity: usize) -> Self {
        Self(NonZeroUsize::new(capacity).map(|capacity| Mutex::new(LruCache::new(capacity))))
    }

    pub(in crate::guard) fn keep(&self, key: &Bytes, entry: &Entry) {
        let Some(mut entries) = self.entries() else { return };
        if entries.get(key).is_none_or(|kept| kept.id != entry.id) {
            entries.put(key.clone(), entry.clone());
        }
    }

    pub(in crate::guard) fn recall(&self, key: &Bytes) -> Option<Entry> {
        self.entries()?.get(key).cloned()
    }

    pub(in crate::guard) fn forget(&self, key: &Bytes) {
        if let Some(mut entries) = self.entries() {
            entries.pop(key);
        }
    }

    fn entries(&self) -> Option<MutexGuard<'_, LruCache<Bytes, Entry>>> {
        Some(self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_forgets_what_was_not_asked_for_longest() {
        let memory = Memory::new(2);
        let entry = |id| Entry::claim(id, Duration::ZERO);
        for id in [1, 2] {
            memory.keep(&Bytes::from(id.to_string()), &entry(id));
        }
        assert!(memory.recall(&"1".into()).is_some());
        memory.keep(&"3".into(), &entry(3));
        assert!(memory.recall(&"2".into()).is_none());
        assert_eq!(memory.recall(&"1".into()), Some(entry(1)));
        memory.keep(&"1".into(), &entry(9));
        assert_eq!(memory.recall(&"1".into()), Some(entry(9)));
        memory.forget(&"1".into());
        assert!(memory.recall(&"1".into()).is_none());
        Memory::new(0).keep(&"1".into(), &entry(1));
    }
}
