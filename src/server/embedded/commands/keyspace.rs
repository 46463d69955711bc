//! All keys of a database: listing, counting and removing them.

use super::options::{Words, upper};
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::glob;
use crate::server::embedded::data::number::integer_argument;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Spec};

/// How many keys `SCAN` looks at when it is not told.
const SCANNED: usize = 10;

/// All types there are, most of which nothing here has.
const TYPES: [&str; 6] = ["string", "list", "set", "zset", "hash", "stream"];

fn keys(call: &mut Call<'_>) -> Answer {
    let pattern = call.arg(1);
    Ok(Reply::Array(call.db().keys().filter(|key| glob::matches(pattern, key)).map(Reply::bulk).collect()))
}

/// Looks at keys from the last to the first; the cursor is how many have not been looked at. A removed key's place is taken
/// by the last one, which has been looked at already or is still ahead: so a key that is there all the time is found, and
/// one that moves may be found twice, as `SCAN` promises.
fn scan(call: &mut Call<'_>) -> Answer {
    let cursor = cursor(call.arg(1), call.engine.dialect).ok_or(CommandError::new("ERR invalid cursor"))?;
    let mut pattern = None;
    let mut kind = None;
    let mut count = SCANNED;
    let mut words = Words::new(call.rest(2));
    while let Some(word) = words.next() {
        match upper(word).as_slice() {
            b"MATCH" => pattern = Some(words.value()?),
            b"TYPE" => {
                let wanted = words.value()?;
                let known = TYPES.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(wanted));
                if !known && call.engine.dialect == Dialect::Valkey {
                    return Err(CommandError::about("ERR unknown type name '", wanted, "'"));
                }
                kind = Some(wanted);
            }
            b"COUNT" => {
                let wanted = integer_argument(words.value()?)?;
                count =
                    usize::try_from(wanted).ok().filter(|count| *count > 0).ok_or(CommandError::SYNTAX)?;
            }
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let db = call.db();
    let left = match usize::try_from(cursor) {
        Ok(left) if left > 0 => left.min(db.len()),
        _ => db.len(),
    };
    let next = left.saturating_sub(count);
    let found = (next..left).rev().filter_map(|index| db.at(index)).filter(|(key, entry)| {
        pattern.is_none_or(|pattern| glob::matches(pattern, key))
            && kind.is_none_or(|kind| entry.value.kind().as_bytes().eq_ignore_ascii_case(kind))
    });
    let found = found.map(|(key, _)| Reply::bulk(key)).collect();
    Ok(Reply::Array(vec![Reply::bulk(next.to_string()), Reply::Array(found)]))
}

/// Reads a cursor. Redis does so by C's `strtoul`, which takes a sign and goes round at zero.
fn cursor(word: &[u8], dialect: Dialect) -> Option<u64> {
    let word = std::str::from_utf8(word).ok()?;
    match word.strip_prefix('-') {
        Some(digits) if dialect == Dialect::Redis => digits.parse().ok().map(u64::wrapping_neg),
        Some(_) => None,
        None => word.parse().ok(),
    }
}

fn randomkey(call: &mut Call<'_>) -> Answer {
    let count = call.db().len();
    if count == 0 {
        return Ok(Reply::Null);
    }
    let index = call.engine.pick(count);
    Ok(call.db().at(index).map_or(Reply::Null, |(key, _)| Reply::bulk(key)))
}

fn dbsize(call: &mut Call<'_>) -> Answer {
    Ok(Reply::count(call.db().len()))
}

fn flushdb(call: &mut Call<'_>) -> Answer {
    flush_mode(call)?;
    call.db().clear();
    Ok(Reply::OK)
}

fn flushall(call: &mut Call<'_>) -> Answer {
    flush_mode(call)?;
    for database in &mut call.engine.databases {
        database.clear();
    }
    Ok(Reply::OK)
}

/// `ASYNC` or `SYNC`, which is the same here.
fn flush_mode(call: &Call<'_>) -> Result<(), CommandError> {
    match call.rest(1) {
        [] => Ok(()),
        [mode] if mode.eq_ignore_ascii_case(b"async") || mode.eq_ignore_ascii_case(b"sync") => Ok(()),
        _ => Err(CommandError::SYNTAX),
    }
}

const READS: &[Flags] = &[Flags::READONLY];

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    Spec::new(Group::Generic, "keys", 2, keys).flags(READS).about("1.0.0", "All keys that fit a pattern"),
    Spec::new(Group::Generic, "scan", -2, scan)
        .flags(READS)
        .about("2.8.0", "Some of the keys, and where to go on"),
    Spec::new(Group::Generic, "randomkey", 1, randomkey).flags(READS).about("1.0.0", "Any key"),
    Spec::new(Group::Server, "dbsize", 1, dbsize)
        .flags(&[Flags::READONLY, Flags::FAST])
        .about("1.0.0", "How many keys there are"),
    Spec::new(Group::Server, "flushdb", -1, flushdb)
        .flags(&[Flags::WRITE])
        .about("1.0.0", "Removes all keys of the selected database"),
    Spec::new(Group::Server, "flushall", -1, flushall)
        .flags(&[Flags::WRITE])
        .about("1.0.0", "Removes all keys of all databases"),
];
