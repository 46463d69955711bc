//! What the guard's entries mean to somebody who sees them in Redis.

use crate::guard::{Inspected, inspect, is_stamp};
use crate::lab::bytes::Bytes;

/// What a cached value says: an entry of the guard without its header, anything else as it is. `None` for an entry that
/// holds no value.
pub fn content(entry: &Bytes) -> Option<Bytes> {
    match inspect(entry.as_slice()) {
        None => Some(entry.clone()),
        Some(Inspected::Value(payload)) => {
            let text = serde_json::from_slice::<String>(&payload).ok();
            Some(text.map_or_else(|| payload.to_vec().into(), Bytes::from))
        }
        Some(_) => None,
    }
}

/// An entry in words; `None` for what is not the guard's.
pub fn words(entry: &Bytes) -> Option<String> {
    let Some(entry_seen) = inspect(entry.as_slice()) else {
        // Scripts compare with the beginning of an entry.
        return is_stamp(entry.as_slice()).then(|| "«stamp»".to_owned());
    };
    Some(match entry_seen {
        Inspected::Claimed => "(being filled)".to_owned(),
        Inspected::NotFound => "(no such thing)".to_owned(),
        Inspected::Failed(said) => format!("(failed: {said})"),
        _ => content(entry).unwrap_or_default().to_string(),
    })
}
