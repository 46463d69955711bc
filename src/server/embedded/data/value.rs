//! What a key can hold.

use indexmap::IndexMap;

use super::number;

/// Fields in the order in which they came.
pub(in crate::server::embedded) type Hash = IndexMap<Vec<u8>, Vec<u8>>;

/// The longest string that Redis stores beside its header (`OBJECT ENCODING` says `embstr`).
const EMBEDDED: usize = 44;

/// Up to here a hash is stored as a list: this many fields, none longer than that.
pub(in crate::server::embedded) const LIST_FIELDS: usize = 512;
pub(in crate::server::embedded) const LIST_BYTES: usize = 64;

/// A string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::server::embedded) struct Text {
    pub(in crate::server::embedded) bytes: Vec<u8>,
    /// Changed in place by `APPEND` or `SETRANGE`: Redis stores it with room to grow from then on.
    pub(in crate::server::embedded) grown: bool,
}

impl Text {
    pub(in crate::server::embedded) fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), grown: false }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::server::embedded) enum Value {
    Text(Text),
    Hash(Hash),
}

impl Value {
    pub(in crate::server::embedded) fn text(bytes: &[u8]) -> Self {
        Self::Text(Text::new(bytes))
    }

    /// What `TYPE` says.
    pub(in crate::server::embedded) const fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "string",
            Self::Hash(_) => "hash",
        }
    }

    /// What `OBJECT ENCODING` says. Values are not in truth stored in these ways; they are what a client of the original
    /// would see.
    pub(in crate::server::embedded) fn encoding(&self) -> &'static str {
        match self {
            Self::Text(text) if text.grown => "raw",
            Self::Text(text) if number::integer(&text.bytes).is_some() => "int",
            Self::Text(text) if text.bytes.len() <= EMBEDDED => "embstr",
            Self::Text(_) => "raw",
            Self::Hash(hash) => {
                let long = |bytes: &Vec<u8>| bytes.len() > LIST_BYTES;
                let table = hash.len() > LIST_FIELDS || hash.iter().any(|(field, value)| long(field) || long(value));
                if table { "hashtable" } else { "listpack" }
            }
        }
    }
}
