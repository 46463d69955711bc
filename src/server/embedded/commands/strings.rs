//! Strings: reading them whole and in part, several at once, and changing them in place.

use super::options::{Life, Words, upper};
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::number::integer_argument;
use crate::server::embedded::data::{Origin, Value};
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Keys, Spec};

/// The longest string, as `proto-max-bulk-len` says.
const LONGEST: i64 = 512 << 20;

fn get(call: &mut Call<'_>) -> Answer {
    call.text(call.arg(1))
}

fn getdel(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    let value = call.text(key)?;
    call.db().remove(key);
    Ok(value)
}

fn getex(call: &mut Call<'_>) -> Answer {
    let (key, now) = (call.arg(1), call.now());
    let mut words = Words::new(call.rest(2));
    let mut life = None;
    let mut persist = false;
    while let Some(word) = words.next() {
        match Life::of(word) {
            Some(new) if !persist && life.is_none_or(|(old, _)| old == new) => {
                life = Some((new, words.value()?));
            }
            None if upper(word) == b"PERSIST" && life.is_none() => persist = true,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let deadline = life.map(|(life, amount)| life.deadline(amount, now, call.spec.name)).transpose();
    if call.engine.dialect == Dialect::Valkey {
        deadline.as_ref().map_err(Clone::clone)?;
    }
    // In Redis a wrong type and an absent key are found before a wrong number.
    let value = call.text(key)?;
    if value == Reply::Null {
        return Ok(value);
    }
    if let Some(deadline) = deadline? {
        if deadline <= now {
            call.db().remove(key);
        } else {
            call.db().set_deadline(key, Some(deadline));
        }
    } else if persist && call.db().peek(key).is_some_and(|entry| entry.expires.is_some()) {
        call.db().set_deadline(key, None);
    }
    Ok(value)
}

fn mget(call: &mut Call<'_>) -> Answer {
    let keys = call.rest(1);
    // A key of another kind reads as absent here, and nowhere else.
    let one = |key: &&[u8]| call.text(key).unwrap_or(Reply::Null);
    Ok(Reply::Array(keys.iter().map(one).collect()))
}

fn mset(call: &mut Call<'_>) -> Answer {
    for [key, value] in call.pairs(1)? {
        call.db().set(key, Value::text(value), None);
    }
    Ok(Reply::OK)
}

fn msetnx(call: &mut Call<'_>) -> Answer {
    let pairs = call.pairs(1)?;
    if pairs.iter().any(|[key, _]| call.db().peek(key).is_some()) {
        return Ok(Reply::Integer(0));
    }
    for [key, value] in pairs {
        call.db().set(key, Value::text(value), None);
    }
    Ok(Reply::Integer(1))
}

fn append(call: &mut Call<'_>) -> Answer {
    let (key, addition) = (call.arg(1), call.arg(2));
    let Some(before) = call.db().text(key)?.map(<[u8]>::len) else {
        call.db().set(key, Value::text(addition), None);
        return Ok(Reply::count(addition.len()));
    };
    fits(before + addition.len())?;
    call.db().edit_text(key, |text| {
        text.bytes.extend_from_slice(addition);
        text.origin = Origin::Grown;
        Reply::count(text.bytes.len())
    })
}

fn strlen(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    Ok(Reply::count(call.db().text(key)?.map_or(0, <[u8]>::len)))
}

fn getrange(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    let (start, end) = (integer_argument(call.arg(2))?, integer_argument(call.arg(3))?);
    let text = call.db().text(key)?.unwrap_or_default();
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    if start < 0 && end < 0 && start > end {
        return Ok(Reply::bulk(""));
    }
    // Negative places count from the end.
    let place = |index: i64| if index < 0 { (index + length).max(0) } else { index };
    let range =
        usize::try_from(place(start)).unwrap_or(0)..=usize::try_from(place(end).min(length - 1)).unwrap_or(0);
    Ok(Reply::bulk(if length == 0 { &[] } else { text.get(range).unwrap_or_default() }))
}

fn setrange(call: &mut Call<'_>) -> Answer {
    let (key, addition) = (call.arg(1), call.arg(3));
    let offset = integer_argument(call.arg(2))?;
    let Ok(offset) = usize::try_from(offset) else {
        return Err(CommandError::new("ERR offset is out of range"));
    };
    let before = call.db().text(key)?.map_or(0, <[u8]>::len);
    if addition.is_empty() {
        return Ok(Reply::count(before));
    }
    fits(offset.saturating_add(addition.len()))?;
    call.db().edit_text(key, |text| {
        let end = offset + addition.len();
        if text.bytes.len() < end {
            text.bytes.resize(end, 0);
        }
        text.bytes[offset..end].copy_from_slice(addition);
        text.origin = Origin::Grown;
        Reply::count(text.bytes.len())
    })
}

fn fits(length: usize) -> Result<(), CommandError> {
    if i64::try_from(length).is_ok_and(|length| length <= LONGEST) {
        Ok(())
    } else {
        Err(CommandError::TOO_LONG)
    }
}

fn delifeq(call: &mut Call<'_>) -> Answer {
    let (key, expected) = (call.arg(1), call.arg(2));
    let equal = call.db().text(key)? == Some(expected);
    if equal {
        call.db().remove(key);
    }
    Ok(Reply::yes(equal))
}

const READS: &[Flags] = &[Flags::READONLY];
const READS_FAST: &[Flags] = &[Flags::READONLY, Flags::FAST];
const WRITES: &[Flags] = &[Flags::WRITE, Flags::DENYOOM];
const WRITES_FAST: &[Flags] = &[Flags::WRITE, Flags::DENYOOM, Flags::FAST];
const REMOVES: &[Flags] = &[Flags::WRITE, Flags::FAST];

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    Spec::new(Group::String, "get", 2, get)
        .flags(READS_FAST)
        .keys(Keys::FIRST)
        .about("1.0.0", "The string at a key"),
    Spec::new(Group::String, "getdel", 2, getdel)
        .flags(REMOVES)
        .keys(Keys::FIRST)
        .about("6.2.0", "The string at a key, which is removed"),
    Spec::new(Group::String, "getex", -2, getex)
        .flags(REMOVES)
        .keys(Keys::FIRST)
        .about("6.2.0", "The string at a key, which gets another life"),
    Spec::new(Group::String, "mget", -2, mget)
        .flags(READS_FAST)
        .keys(Keys::ALL)
        .about("1.0.0", "The strings at several keys"),
    Spec::new(Group::String, "mset", -3, mset)
        .flags(WRITES)
        .keys(Keys::PAIRS)
        .about("1.0.1", "Stores several strings at once"),
    Spec::new(Group::String, "msetnx", -3, msetnx)
        .flags(WRITES)
        .keys(Keys::PAIRS)
        .about("1.0.1", "Stores several strings, if none of the keys exists"),
    Spec::new(Group::String, "append", 3, append)
        .flags(WRITES_FAST)
        .keys(Keys::FIRST)
        .about("2.0.0", "Adds to the end of a string"),
    Spec::new(Group::String, "strlen", 2, strlen)
        .flags(READS_FAST)
        .keys(Keys::FIRST)
        .about("2.2.0", "The length of a string in bytes"),
    Spec::new(Group::String, "getrange", 4, getrange)
        .flags(READS)
        .keys(Keys::FIRST)
        .about("2.4.0", "A part of a string"),
    Spec::new(Group::String, "substr", 4, getrange)
        .flags(READS)
        .keys(Keys::FIRST)
        .about("1.0.0", "The old name of GETRANGE"),
    Spec::new(Group::String, "setrange", 4, setrange)
        .flags(WRITES)
        .keys(Keys::FIRST)
        .about("2.2.0", "Writes over a part of a string"),
    Spec::new(Group::String, "delifeq", 3, delifeq)
        .flags(REMOVES)
        .keys(Keys::FIRST)
        .about("9.0.0", "Removes a key if it holds this string: a lock's release in one command")
        .only(Dialect::Valkey),
];
