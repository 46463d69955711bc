//! A look at an entry from outside.

use bytes::Bytes;

use super::header::{Entry, Kind, magic};

/// What stands under a value's key, for tools that look into Redis.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inspected {
    /// A value, as its codec wrote it.
    Value(Bytes),
    /// The source said that there is no such thing.
    NotFound,
    /// The source failed, and said this.
    Failed(String),
    /// A fill has begun and not ended yet: to callers the place is empty.
    Claimed,
}

/// True for what begins as a guard's entries do: an entry, or the part of one that scripts compare with.
pub fn is_stamp(bytes: &[u8]) -> bool {
    bytes.starts_with(magic())
}

/// Reads an entry of a guard; `None` when the bytes are not one.
pub fn inspect(entry: &[u8]) -> Option<Inspected> {
    if !is_stamp(entry) {
        return None;
    }
    let entry = Entry::decode(&Bytes::copy_from_slice(entry))?;
    Some(match entry.kind {
        Kind::Value => Inspected::Value(entry.payload),
        Kind::NotFound => Inspected::NotFound,
        Kind::Failed => Inspected::Failed(String::from_utf8_lossy(&entry.payload).into_owned()),
        Kind::Claim => Inspected::Claimed,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_claim_and_foreign_bytes_are_told_apart() {
        let claim = Entry::claim(7, Duration::ZERO).encode();
        assert_eq!(inspect(&claim), Some(Inspected::Claimed));
        assert_eq!(inspect(b"espresso"), None);
        assert_eq!(inspect(b""), None);
    }
}
