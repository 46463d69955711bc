//! Keys, whatever they hold: removing, renaming, copying, and looking at them from outside.

use super::options::{Words, upper};
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::{Entry, Value};
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Keys, Spec};

/// Integers from 0 to this are shared between keys in Redis; `OBJECT REFCOUNT` shows it.
const LARGEST_SHARED: i64 = 9_999;

fn del(call: &mut Call<'_>) -> Answer {
    let removed =
        call.args.iter().skip(1).filter(|key| call.engine.databases[call.session.db].remove(key).is_some());
    Ok(Reply::count(removed.count()))
}

fn exists(call: &mut Call<'_>) -> Answer {
    let keys = call.rest(1);
    Ok(Reply::count(keys.iter().filter(|key| call.db().get(key).is_some()).count()))
}

fn kind(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    Ok(Reply::Status(call.db().peek(key).map_or("none", |entry| entry.value.kind())))
}

fn rename(call: &mut Call<'_>) -> Answer {
    let (from, to) = (call.arg(1), call.arg(2));
    let entry = call.db().peek(from).cloned().ok_or(CommandError::NO_SUCH_KEY)?;
    if from != to {
        call.db().remove(from);
        put(call, call.session.db, to, entry);
    }
    Ok(Reply::OK)
}

fn renamenx(call: &mut Call<'_>) -> Answer {
    let (from, to) = (call.arg(1), call.arg(2));
    if call.db().peek(from).is_none() {
        return Err(CommandError::NO_SUCH_KEY);
    }
    if call.db().peek(to).is_some() {
        return Ok(Reply::Integer(0));
    }
    rename(call)?;
    Ok(Reply::Integer(1))
}

fn copy(call: &mut Call<'_>) -> Answer {
    let (from, to) = (call.arg(1), call.arg(2));
    let mut database = call.session.db;
    let mut replace = false;
    let mut words = Words::new(call.rest(3));
    while let Some(word) = words.next() {
        match upper(word).as_slice() {
            b"REPLACE" => replace = true,
            b"DB" => database = call.database_number(words.value()?)?,
            _ => return Err(CommandError::SYNTAX),
        }
    }
    if call.engine.node.is_some() && database != call.session.db {
        if call.engine.dialect == Dialect::Valkey {
            return Err(CommandError::DB_OUT_OF_RANGE);
        }
        return Err(CommandError::new("ERR Copying to another database is not allowed in cluster mode"));
    }
    if database == call.session.db && from == to {
        return Err(CommandError::new("ERR source and destination objects are the same"));
    }
    let Some(entry) = call.db().get(from).cloned() else { return Ok(Reply::Integer(0)) };
    if !replace && call.engine.databases[database].peek(to).is_some() {
        return Ok(Reply::Integer(0));
    }
    put(call, database, to, entry);
    Ok(Reply::Integer(1))
}

fn move_key(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    let target = call.database_number(call.arg(2))?;
    if target == call.session.db {
        return Err(CommandError::new("ERR source and destination objects are the same"));
    }
    if call.engine.databases[target].peek(key).is_some() {
        return Ok(Reply::Integer(0));
    }
    let Some(entry) = call.db().remove(key) else { return Ok(Reply::Integer(0)) };
    put(call, target, key, entry);
    Ok(Reply::Integer(1))
}

fn put(call: &mut Call<'_>, database: usize, key: &[u8], entry: Entry) {
    call.engine.databases[database].set(key, entry.value, entry.expires);
}

fn object_encoding(call: &mut Call<'_>) -> Answer {
    let (key, dialect) = (call.arg(2), call.engine.dialect);
    Ok(look(call)?.map_or(Reply::Null, |entry| Reply::bulk(entry.value.encoding(key, dialect))))
}

fn object_refcount(call: &mut Call<'_>) -> Answer {
    let shares = call.engine.dialect == Dialect::Redis;
    let count = |entry: &Entry| match &entry.value {
        Value::Text(text)
            if shares && text.integer().is_some_and(|number| (0..=LARGEST_SHARED).contains(&number)) =>
        {
            i64::from(i32::MAX)
        }
        _ => 1,
    };
    Ok(look(call)?.map_or(Reply::Null, |entry| Reply::Integer(count(entry))))
}

fn object_idletime(call: &mut Call<'_>) -> Answer {
    let now = call.now();
    let idle = |entry: &Entry| usize::try_from(now.saturating_sub(entry.used()) / 1000).unwrap_or(usize::MAX);
    Ok(look(call)?.map_or(Reply::Null, |entry| Reply::count(idle(entry))))
}

fn object_freq(call: &mut Call<'_>) -> Answer {
    if look(call)?.is_none() {
        return Ok(Reply::Null);
    }
    Err(CommandError::new(
        "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between \
         policies at runtime LRU and LFU data will take some time to adjust.",
    ))
}

fn look<'a>(call: &'a mut Call<'_>) -> Result<Option<&'a Entry>, CommandError> {
    let key = call.arg(2);
    Ok(call.db().peek(key))
}

const READS: &[Flags] = &[Flags::READONLY];
const READS_FAST: &[Flags] = &[Flags::READONLY, Flags::FAST];
const REMOVES: &[Flags] = &[Flags::WRITE, Flags::FAST];

const OBJECT: &[Spec] = &[
    Spec::new(Group::Generic, "object|encoding", 3, object_encoding)
        .flags(READS)
        .keys(Keys::SECOND)
        .about("2.2.3", "How Redis would store a value"),
    Spec::new(Group::Generic, "object|refcount", 3, object_refcount)
        .flags(READS)
        .keys(Keys::SECOND)
        .about("2.2.3", "How many share a value"),
    Spec::new(Group::Generic, "object|idletime", 3, object_idletime)
        .flags(READS)
        .keys(Keys::SECOND)
        .about("2.2.3", "For how many seconds a key has not been used"),
    Spec::new(Group::Generic, "object|freq", 3, object_freq)
        .flags(READS)
        .keys(Keys::SECOND)
        .about("4.0.0", "How often a key is used, which is not counted"),
];

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    Spec::new(Group::Generic, "del", -2, del)
        .flags(&[Flags::WRITE])
        .keys(Keys::ALL)
        .about("1.0.0", "Removes keys"),
    Spec::new(Group::Generic, "unlink", -2, del)
        .flags(REMOVES)
        .keys(Keys::ALL)
        .about("4.0.0", "Removes keys; in Redis the memory is freed later"),
    Spec::new(Group::Generic, "exists", -2, exists)
        .flags(READS_FAST)
        .keys(Keys::ALL)
        .about("1.0.0", "How many of the keys exist"),
    Spec::new(Group::Generic, "touch", -2, exists)
        .flags(READS_FAST)
        .keys(Keys::ALL)
        .about("3.2.1", "Counts keys as used"),
    Spec::new(Group::Generic, "type", 2, kind)
        .flags(READS_FAST)
        .keys(Keys::FIRST)
        .about("1.0.0", "What a key holds"),
    Spec::new(Group::Generic, "rename", 3, rename)
        .flags(&[Flags::WRITE])
        .keys(Keys::BOTH)
        .about("1.0.0", "Gives a key another name"),
    Spec::new(Group::Generic, "renamenx", 3, renamenx)
        .flags(REMOVES)
        .keys(Keys::BOTH)
        .about("1.0.0", "Gives a key another name that is free"),
    Spec::new(Group::Generic, "copy", -3, copy)
        .flags(&[Flags::WRITE, Flags::DENYOOM])
        .keys(Keys::BOTH)
        .about("6.2.0", "Copies a value and its deadline"),
    Spec::new(Group::Generic, "move", 3, move_key)
        .flags(REMOVES)
        .keys(Keys::FIRST)
        .about("1.0.0", "Takes a key to another database"),
    Spec::container(Group::Generic, "object", OBJECT).about("2.2.3", "What is known of a stored value"),
];
