//! Hashes: as much of them as generation counters and records need.

use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::decimal::Decimal;
use crate::server::embedded::data::number::{integer, integer_argument};
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Keys, Spec};

fn hset(call: &mut Call<'_>) -> Answer {
    let (key, new) = (call.arg(1), call.pairs(2)?);
    let before = call.db().hash(key)?.map_or(0, |hash| hash.len());
    let after = put(call, key, new)?;
    Ok(Reply::count(after - before))
}

fn hmset(call: &mut Call<'_>) -> Answer {
    let (key, new) = (call.arg(1), call.pairs(2)?);
    put(call, key, new)?;
    Ok(Reply::OK)
}

fn hsetnx(call: &mut Call<'_>) -> Answer {
    let (key, field, value) = (call.arg(1), call.arg(2), call.arg(3));
    if call.db().hash(key)?.is_some_and(|hash| hash.contains_key(field)) {
        return Ok(Reply::Integer(0));
    }
    put(call, key, &[[field, value]])?;
    Ok(Reply::Integer(1))
}

/// Stores fields and says how many the hash has now.
fn put(call: &mut Call<'_>, key: &[u8], new: &[[&[u8]; 2]]) -> Result<usize, CommandError> {
    call.db().edit_hash(key, |hash| {
        for [field, value] in new {
            hash.insert(field, value);
        }
        hash.len()
    })
}

fn hget(call: &mut Call<'_>) -> Answer {
    let (key, field) = (call.arg(1), call.arg(2));
    Ok(call.db().hash(key)?.and_then(|hash| hash.get(field)).map_or(Reply::Null, Reply::bulk))
}

fn hmget(call: &mut Call<'_>) -> Answer {
    let (key, fields) = (call.arg(1), call.rest(2));
    let hash = call.db().hash(key)?;
    let one = |field: &&[u8]| hash.and_then(|hash| hash.get(*field)).map_or(Reply::Null, Reply::bulk);
    Ok(Reply::Array(fields.iter().map(one).collect()))
}

fn hgetall(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    let pairs = call.db().hash(key)?.into_iter().flat_map(|hash| hash.iter());
    Ok(Reply::Map(pairs.map(|(field, value)| (Reply::bulk(field), Reply::bulk(value))).collect()))
}

fn hkeys(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    Ok(Reply::Array(call.db().hash(key)?.into_iter().flat_map(|hash| hash.keys()).map(Reply::bulk).collect()))
}

fn hvals(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    Ok(Reply::Array(
        call.db().hash(key)?.into_iter().flat_map(|hash| hash.values()).map(Reply::bulk).collect(),
    ))
}

fn hlen(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    Ok(Reply::count(call.db().hash(key)?.map_or(0, |hash| hash.len())))
}

fn hexists(call: &mut Call<'_>) -> Answer {
    let (key, field) = (call.arg(1), call.arg(2));
    Ok(Reply::yes(call.db().hash(key)?.is_some_and(|hash| hash.contains_key(field))))
}

fn hstrlen(call: &mut Call<'_>) -> Answer {
    let (key, field) = (call.arg(1), call.arg(2));
    Ok(Reply::count(call.db().hash(key)?.and_then(|hash| hash.get(field)).map_or(0, Vec::len)))
}

fn hdel(call: &mut Call<'_>) -> Answer {
    let (key, fields) = (call.arg(1), call.rest(2));
    let Some(hash) = call.db().hash(key)? else { return Ok(Reply::Integer(0)) };
    if !fields.iter().any(|field| hash.contains_key(*field)) {
        return Ok(Reply::Integer(0));
    }
    let (removed, left) = call.db().edit_hash(key, |hash| {
        let before = hash.len();
        for field in fields {
            hash.remove(field);
        }
        (before - hash.len(), hash.len())
    })?;
    // A hash without fields is no key.
    if left == 0 {
        call.db().remove(key);
    }
    Ok(Reply::count(removed))
}

fn hincrby(call: &mut Call<'_>) -> Answer {
    let (key, field) = (call.arg(1), call.arg(2));
    let by = integer_argument(call.arg(3))?;
    let before = match call.db().hash(key)?.and_then(|hash| hash.get(field)) {
        Some(text) => integer(text).ok_or(CommandError::new("ERR hash value is not an integer"))?,
        None => 0,
    };
    let after = before.checked_add(by).ok_or(CommandError::OVERFLOW)?;
    put(call, key, &[[field, after.to_string().as_bytes()]])?;
    Ok(Reply::Integer(after))
}

fn hincrbyfloat(call: &mut Call<'_>) -> Answer {
    let (key, field) = (call.arg(1), call.arg(2));
    let by = Decimal::parse(call.arg(3)).ok_or(CommandError::NOT_A_FLOAT)?;
    if by == Decimal::Infinite {
        return Err(CommandError::new("ERR value is NaN or Infinity"));
    }
    let before = match call.db().hash(key)?.and_then(|hash| hash.get(field)) {
        Some(text) => Decimal::parse(text).ok_or(CommandError::new("ERR hash value is not a float"))?,
        None => Decimal::zero(),
    };
    let after = before.plus(&by).ok_or(CommandError::NOT_FINITE)?.to_string();
    put(call, key, &[[field, after.as_bytes()]])?;
    Ok(Reply::bulk(after))
}

const READS: &[Flags] = &[Flags::READONLY];
const READS_FAST: &[Flags] = &[Flags::READONLY, Flags::FAST];
const WRITES: &[Flags] = &[Flags::WRITE, Flags::DENYOOM, Flags::FAST];
const REMOVES: &[Flags] = &[Flags::WRITE, Flags::FAST];

const fn hash(name: &'static str, arity: i64, flags: &[Flags], run: fn(&mut Call<'_>) -> Answer) -> Spec {
    Spec::new(Group::Hash, name, arity, run).flags(flags).keys(Keys::FIRST)
}

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    hash("hset", -4, WRITES, hset).about("2.0.0", "Stores fields of a hash"),
    hash("hmset", -4, WRITES, hmset).about("2.0.0", "Stores fields of a hash; HSET does so too"),
    hash("hsetnx", 4, WRITES, hsetnx).about("2.0.0", "Stores a field of a hash that does not have it yet"),
    hash("hget", 3, READS_FAST, hget).about("2.0.0", "A field of a hash"),
    hash("hmget", -3, READS_FAST, hmget).about("2.0.0", "Several fields of a hash"),
    hash("hgetall", 2, READS, hgetall).about("2.0.0", "All fields of a hash and their values"),
    hash("hkeys", 2, READS, hkeys).about("2.0.0", "All fields of a hash"),
    hash("hvals", 2, READS, hvals).about("2.0.0", "All values of a hash"),
    hash("hlen", 2, READS_FAST, hlen).about("2.0.0", "How many fields a hash has"),
    hash("hexists", 3, READS_FAST, hexists).about("2.0.0", "Whether a hash has a field"),
    hash("hstrlen", 3, READS_FAST, hstrlen).about("3.2.0", "The length of a field's value"),
    hash("hdel", -3, REMOVES, hdel).about("2.0.0", "Removes fields of a hash"),
    hash("hincrby", 4, WRITES, hincrby).about("2.0.0", "Adds to a counter in a hash"),
    hash("hincrbyfloat", 4, WRITES, hincrbyfloat)
        .about("2.6.0", "Adds a decimal number to a counter in a hash"),
];
