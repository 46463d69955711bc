//! What a key can hold.

use std::ops::Deref;

use indexmap::IndexMap;

use super::number;
use crate::server::embedded::dialect::Dialect;

/// The longest string that Redis stores beside its header (`OBJECT ENCODING` says `embstr`).
const EMBEDDED: usize = 44;

/// The same for Valkey, which puts the key there as well: so many bytes are left for both, two fewer for a long key.
const EMBEDDED_WITH_KEY: usize = 113;
const LONG_KEY: usize = 31;

/// Up to here Redis stores a hash as a list: this many fields, none longer than that.
const LIST_FIELDS: usize = 512;
const LIST_BYTES: usize = 64;

/// How Redis came by a string, which `OBJECT ENCODING` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server::embedded) enum Origin {
    /// Stored as it came; a number is stored as one.
    Stored,
    /// Written out by `INCRBYFLOAT`; a number stays a text.
    Computed,
    /// Changed in place by `APPEND` or `SETRANGE`: it has room to grow from then on.
    Grown,
}

/// A string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::server::embedded) struct Text {
    pub(in crate::server::embedded) bytes: Vec<u8>,
    pub(in crate::server::embedded) origin: Origin,
}

impl Text {
    /// The number that is stored instead of this text.
    pub(in crate::server::embedded) fn integer(&self) -> Option<i64> {
        number::integer(&self.bytes).filter(|_| self.origin == Origin::Stored)
    }
}

/// Fields and values in the order in which they came. Redis keeps that order while a hash is stored as a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::server::embedded) struct Hash {
    fields: IndexMap<Vec<u8>, Vec<u8>>,
    /// It was once too large for a list; there is no way back.
    table: bool,
}

impl Hash {
    pub(in crate::server::embedded) fn insert(&mut self, field: &[u8], value: &[u8]) {
        self.fields.insert(field.to_vec(), value.to_vec());
        self.table |= self.fields.len() > LIST_FIELDS || field.len().max(value.len()) > LIST_BYTES;
    }

    pub(in crate::server::embedded) fn remove(&mut self, field: &[u8]) {
        self.fields.shift_remove(field);
    }
}

impl Deref for Hash {
    type Target = IndexMap<Vec<u8>, Vec<u8>>;

    fn deref(&self) -> &Self::Target {
        &self.fields
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::server::embedded) enum Value {
    Text(Text),
    Hash(Hash),
}

impl Value {
    pub(in crate::server::embedded) fn text(bytes: &[u8]) -> Self {
        Self::Text(Text { bytes: bytes.to_vec(), origin: Origin::Stored })
    }

    pub(in crate::server::embedded) fn computed(bytes: &[u8]) -> Self {
        Self::Text(Text { bytes: bytes.to_vec(), origin: Origin::Computed })
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
    pub(in crate::server::embedded) fn encoding(&self, key: &[u8], dialect: Dialect) -> &'static str {
        let room = match dialect {
            Dialect::Redis => EMBEDDED,
            Dialect::Valkey => {
                EMBEDDED_WITH_KEY.saturating_sub(key.len() + if key.len() > LONG_KEY { 2 } else { 0 })
            }
        };
        match self {
            Self::Text(text) if text.integer().is_some() => "int",
            Self::Text(text) if text.origin != Origin::Grown && text.bytes.len() <= room => "embstr",
            Self::Text(_) => "raw",
            Self::Hash(hash) if hash.table => "hashtable",
            Self::Hash(_) => "listpack",
        }
    }
}
