//! `CONFIG`: settings by name. Most are facts that clients ask for; the few that can be changed are changed for real.

use std::collections::BTreeMap;

use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::glob;
use crate::server::embedded::data::number::integer;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::Answer;

/// Settings that stay as they are.
const FIXED: &[(&str, &str)] = &[
    ("appendonly", "no"),
    ("hash-max-listpack-entries", "512"),
    ("hash-max-listpack-value", "64"),
    ("hash-max-ziplist-entries", "512"),
    ("hash-max-ziplist-value", "64"),
    ("maxmemory", "0"),
    ("maxmemory-policy", "noeviction"),
    ("notify-keyspace-events", ""),
    ("port", "0"),
    ("proto-max-bulk-len", "536870912"),
    ("requirepass", ""),
    ("save", ""),
    ("timeout", "0"),
];

/// The two names of the time after which a script counts as running on and on.
const BUSY: [&str; 2] = ["busy-reply-threshold", "lua-time-limit"];

pub(super) fn get(call: &mut Call<'_>) -> Answer {
    let settings = settings(call);
    let mut found: BTreeMap<&[u8], &str> = BTreeMap::new();
    for wanted in call.rest(2) {
        let small = wanted.to_ascii_lowercase();
        let pattern = small.iter().any(|byte| b"*?[".contains(byte));
        for (name, value) in settings.iter().filter(|(name, _)| glob::matches(&small, name.as_bytes())) {
            // A setting that was named is called as it was.
            found.insert(if pattern { name.as_bytes() } else { wanted }, value);
        }
    }
    Ok(Reply::Map(found.into_iter().map(|(name, value)| (Reply::bulk(name), Reply::bulk(value))).collect()))
}

/// All settings, in the order of their names.
fn settings(call: &Call<'_>) -> Vec<(&'static str, String)> {
    let mut all: Vec<(&str, String)> =
        FIXED.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    all.push(("cluster-enabled", if call.engine.node.is_some() { "yes" } else { "no" }.to_owned()));
    all.push(("databases", call.engine.databases.len().to_string()));
    all.push(("unixsocket", call.engine.socket.clone()));
    all.extend(BUSY.map(|name| (name, call.shared.running().busy_after().to_string())));
    all.sort_unstable();
    all
}

pub(super) fn set(call: &mut Call<'_>) -> Answer {
    let (pairs, rest) = call.rest(2).as_chunks::<2>();
    if !rest.is_empty() {
        return Err(CommandError::SYNTAX);
    }
    let mut busy = None;
    for [name, value] in pairs {
        let lower = String::from_utf8_lossy(name).to_ascii_lowercase();
        if !BUSY.contains(&lower.as_str()) {
            return Err(CommandError::about(
                "ERR Unknown option or number of arguments for CONFIG SET - '",
                name,
                "'",
            ));
        }
        let limit = integer(value).and_then(|limit| u64::try_from(limit).ok()).ok_or_else(|| {
            CommandError::about(
                "ERR CONFIG SET failed (possibly related to argument '",
                name,
                "') - argument couldn't be parsed into an integer",
            )
        })?;
        busy = Some(limit);
    }
    if let Some(limit) = busy {
        call.shared.running().set_busy_after(limit);
    }
    Ok(Reply::OK)
}
