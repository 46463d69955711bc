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

    /// The name of the value of `key`. Keys are bytes; nothing is assumed of their encoding.
    ///
    /// # Errors
    /// When the value would be named like another's lock.
    pub(super) fn value(&self, key: Bytes) -> Result<Bytes, OptionsError> {
        let value = match (self.hash_tag, self.namespace.is_empty()) {
            (true, _) => self.tagged(&key).into(),
            (false, true) => key,
            (false, false) => [&self.namespace[..], &key].concat().into(),
        };
        if value.starts_with(&self.lock_prefix) {
            let prefix = String::from_utf8_lossy(&self.lock_prefix);
            let expected = format!("a name that does not begin with {prefix:?}, as locks do");
            return Err(OptionsError::new("key", String::from_utf8_lossy(&value), &expected));
        }
        Ok(value)
    }

    /// The name of a value's lock.
    pub(super) fn lock(&self, value: &Bytes) -> Bytes {
        [&self.lock_prefix[..], value].concat().into()
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
        let plain = Naming::default();
        let value = plain.value("product:123".into()).unwrap();
        assert_eq!((&value[..], &plain.lock(&value)[..]), (&b"product:123"[..], &b"lock:product:123"[..]));
        let value = |key: &'static [u8]| tagged().value(Bytes::from_static(key)).unwrap();
        assert_eq!(tagged().lock(&value(b"product:123")), "lock:shop:{product:123}");
        assert_eq!(value(b"a{b}c"), "shop:{a%7Bb%7Dc}");
        assert_eq!(value(&[0, 255]), &b"shop:{\x00\xff}"[..]);
    }

    #[test]
    fn a_value_named_like_a_lock_is_refused() {
        let refused = Naming::default().value("lock:product:123".into()).unwrap_err().to_string();
        assert_eq!(
            refused,
            "key is \"lock:product:123\"; expected a name that does not begin with \"lock:\", as locks do"
        );
        assert!(tagged().value("lock:product:123".into()).is_ok(), "it is wrapped");
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
            let [one, other] = [&keys[0], &keys[1]].map(|key| tagged().value(key.clone().into()).unwrap());
            let lock = tagged().lock(&one);
            prop_assert_eq!(hashed(&one), hashed(&lock));
            prop_assert!(hashed(&one).len() < one.len());
            prop_assert_eq!(one == other, keys[0] == keys[1]);
        }
    }
}
