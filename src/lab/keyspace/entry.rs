//! A key as it stands, and what happens to it.

use serde::{Deserialize, Serialize};

use crate::lab::bytes::Bytes;
use crate::lab::time::LabTime;

/// A key that exists: what it holds and when it ends, if ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub value: Bytes,
    /// `None` is Redis's `TTL` of -1: nothing will ever remove it.
    pub deadline: Option<LabTime>,
}

/// What happened to one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub key: Bytes,
    pub before: Option<Entry>,
    pub after: Option<Entry>,
}
