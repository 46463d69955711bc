//! What keys are called on the server.

use bytes::Bytes;

use super::options::OptionsError;

/// How the names of values and locks are made from the caller's keys: no two keys share a name.
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
    /// # Errors
    /// When locks could be mistaken for values, or a brace would end the hash tag early.
    pub(super) fn check(&self) -> Result<(), OptionsError> {
        if self.lock_prefix.is_empty() {
            return Err(OptionsError::new(
                "lock_prefix",
                "",
                "a text: a lock must not be named like its value",
            ));
        }
        let braces = |name: &Bytes| name.iter().any(|byte| b"{}".contains(byte));
        for (option, name) in [("namespace", &self.namespace), ("lock_prefix", &self.lock_prefix)] {
            if self.hash_tag && braces(name) {
                return Err(OptionsError::new(option, name, "no braces where hash tags are wanted"));
            }
        }
        Ok(())
    }

    /// The names that belong to `key`. Keys are bytes; nothing is assumed of their encoding.
    ///
    /// # Errors
    /// When the value would be named like another's lock.
    pub(super) fn of(&self, key: &[u8]) -> Result<Names, OptionsError> {
        let value = if self.hash_tag { self.tagged(key) } else { [&self.namespace, key].concat() };
        if value.starts_with(&self.lock_prefix) {
            let prefix = String::from_utf8_lossy(&self.lock_prefix);
            let expected = format!("a name that does not begin with {prefix:?}, as locks do");
            return Err(OptionsError::new("key", String::from_utf8_lossy(&value), &expected));
        }
        let lock = [&self.lock_prefix, value.as_slice()].concat();
        Ok(Names { value: value.into(), lock: lock.into() })
    }

    /// A cluster hashes what stands between the first `{` and the first `}` after it. So that this is the whole key
    /// whatever the key is like, braces within are written as in URLs, and the sign for that too.
    fn tagged(&self, key: &[u8]) -> Vec<u8> {
        let mut name = [&self.namespace, &b"{"[..]].concat();
        for byte in key {
            match byte {
                b'{' | b'}' | b'%' => name.extend(format!("%{byte:02X}").bytes()),
                other => name.push(*other),
            }
        }
        // A tag must not be empty.
        if key.is_empty() {
            name.push(b'%');
        }
        name.push(b'}');
        name
    }
}

impl Default for Naming {
    fn default() -> Self {
        Self { namespace: Bytes::new(), lock_prefix: Bytes::from_static(b"lock:"), hash_tag: false }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tagged() -> Naming {
        Naming { namespace: "shop:".into(), hash_tag: true, ..Naming::default() }
    }

    #[test]
    fn a_lock_is_named_after_its_value() {
        let plain = Naming::default().of(b"product:123").unwrap();
        assert_eq!((&plain.value[..], &plain.lock[..]), (&b"product:123"[..], &b"lock:product:123"[..]));
        assert_eq!(tagged().of(b"product:123").unwrap().lock, "lock:shop:{product:123}");
        assert_eq!(tagged().of(b"a{b}c").unwrap().value, "shop:{a%7Bb%7Dc}");
        assert_eq!(tagged().of(&[0, 255]).unwrap().value, &b"shop:{\x00\xff}"[..]);
    }

    #[test]
    fn a_value_named_like_a_lock_is_refused() {
        let refused = Naming::default().of(b"lock:product:123").unwrap_err().to_string();
        assert_eq!(
            refused,
            "key is \"lock:product:123\"; expected a name that does not begin with \"lock:\", as locks do"
        );
        assert!(tagged().of(b"lock:product:123").is_ok(), "it is wrapped");
        assert!(Naming { namespace: "a{b".into(), ..tagged() }.check().is_err());
        assert!(Naming { lock_prefix: "".into(), ..tagged() }.check().is_err());
    }

    /// The bytes that a cluster hashes.
    fn hashed(name: &[u8]) -> &[u8] {
        let Some(open) = name.iter().position(|byte| *byte == b'{') else { return name };
        let rest = &name[open + 1..];
        match rest.iter().position(|byte| *byte == b'}') {
            None | Some(0) => name,
            Some(close) => &rest[..close],
        }
    }

    proptest! {
        #[test]
        fn a_tag_is_the_whole_key_and_no_two_keys_share_one(
            keys in prop::array::uniform2(prop::collection::vec(prop::sample::select(b"{}%a7B\x00".to_vec()), 0..6)),
        ) {
            let [one, other] = [&keys[0], &keys[1]].map(|key| tagged().of(key).unwrap());
            prop_assert_eq!(hashed(&one.value), hashed(&one.lock));
            prop_assert!(hashed(&one.value).len() < one.value.len());
            prop_assert_eq!(one.value == other.value, keys[0] == keys[1]);
        }
    }
}
