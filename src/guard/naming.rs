//! What keys are called on the server.

use bytes::Bytes;

/// How the names of values and locks are made from the caller's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Naming {
    /// Before every key, so that two applications on one server do not meet.
    pub(super) namespace: Bytes,
    /// Before the names of locks, so that no lock can be mistaken for a value.
    pub(super) lock_prefix: Bytes,
    /// Puts value and lock into one slot of a cluster by wrapping the key in braces.
    pub(super) hash_tag: bool,
}

/// The names of one value and its lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) value: Bytes,
    pub(super) lock: Bytes,
}

impl Naming {
    /// The names that belong to `key`. Keys are bytes; nothing is assumed of their encoding.
    pub(super) fn of(&self, key: &[u8]) -> Names {
        // A cluster hashes what stands between the first `{` and the first `}` after it. A key with a tag of its own
        // keeps it, and one that would end the tag early cannot have one.
        let tag = self.hash_tag && !key.contains(&b'{') && !key.contains(&b'}');
        let (open, close): (&[u8], &[u8]) = if tag { (b"{", b"}") } else { (b"", b"") };
        let value = [&self.namespace, open, key, close].concat();
        let lock = [&self.lock_prefix, value.as_slice()].concat();
        Names { value: value.into(), lock: lock.into() }
    }
}

impl Default for Naming {
    fn default() -> Self {
        Self { namespace: Bytes::new(), lock_prefix: Bytes::from_static(b"lock:"), hash_tag: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_named_after_its_value() {
        let plain = Naming::default().of(b"product:123");
        assert_eq!((&plain.value[..], &plain.lock[..]), (&b"product:123"[..], &b"lock:product:123"[..]));
        let naming = Naming { namespace: "shop:".into(), hash_tag: true, ..Naming::default() };
        assert_eq!(naming.of(b"product:123").lock, "lock:shop:{product:123}");
        assert_eq!(naming.of(b"a{b}c").value, "shop:a{b}c", "a tag of the caller's own is kept");
        assert_eq!(naming.of(&[0, 255]).value, &b"shop:{\x00\xff}"[..]);
    }
}
