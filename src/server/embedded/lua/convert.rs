//! Between replies and Lua values, both ways.

use mlua::{Lua, Table, Value};

use crate::server::embedded::codec::{Protocol, Reply};
use crate::server::embedded::data::number;
use crate::server::embedded::dialect::Dialect;

/// How deep a table may be nested in a reply. Redis goes on to 7,995 levels, which would take more stack than a thread has
/// here; clients give up long before.
const DEEPEST: usize = 128;

/// A command's reply as a script sees it. Under the newer protocol a script tells more of them apart.
pub(super) fn to_lua(lua: &Lua, reply: Reply, protocol: Protocol) -> mlua::Result<Value> {
    let newer = protocol == Protocol::Resp3;
    Ok(match reply {
        Reply::Status(text) => field(lua, "ok", lua.create_string(text)?)?,
        Reply::OwnStatus(text) => field(lua, "ok", lua.create_string(text)?)?,
        Reply::Error(text) => field(lua, "err", lua.create_string(text)?)?,
        Reply::Integer(n) => Value::Number(n as f64),
        Reply::Bulk(bytes) => Value::String(lua.create_string(bytes)?),
        Reply::Verbatim(text) if newer => {
            let inner = lua.create_table()?;
            inner.raw_set("format", "txt")?;
            inner.raw_set("string", text)?;
            field(lua, "verbatim_string", inner)?
        }
        Reply::Verbatim(text) => Value::String(lua.create_string(text)?),
        Reply::Null | Reply::NullArray if newer => Value::Nil,
        Reply::Null | Reply::NullArray => Value::Boolean(false),
        Reply::Set(items) if newer => {
            let set = lua.create_table()?;
            for item in items {
                set.raw_set(to_lua(lua, item, protocol)?, true)?;
            }
            field(lua, "set", set)?
        }
        Reply::Array(items) | Reply::Set(items) => Value::Table(sequence(lua, items, protocol)?),
        Reply::Map(pairs) if newer => {
            let map = lua.create_table()?;
            for (key, value) in pairs {
                map.raw_set(to_lua(lua, key, protocol)?, to_lua(lua, value, protocol)?)?;
            }
            field(lua, "map", map)?
        }
        Reply::Map(pairs) => {
            let flat = pairs.into_iter().flat_map(|(key, value)| [key, value]);
            Value::Table(sequence(lua, flat, protocol)?)
        }
        Reply::Double(digits) if newer => field(lua, "double", digits.parse::<f64>().unwrap_or(f64::NAN))?,
        Reply::Double(digits) => Value::String(lua.create_string(digits)?),
        Reply::Boolean(truth) if newer => Value::Boolean(truth),
        Reply::Boolean(truth) => Value::Number(f64::from(u8::from(truth))),
        Reply::BigNumber(digits) if newer => field(lua, "big_number", lua.create_string(digits)?)?,
        Reply::BigNumber(digits) => Value::String(lua.create_string(digits)?),
    })
}

fn field(lua: &Lua, name: &str, value: impl mlua::IntoLua) -> mlua::Result<Value> {
    let table = lua.create_table()?;
    table.raw_set(name, value)?;
    Ok(Value::Table(table))
}

fn sequence(lua: &Lua, items: impl IntoIterator<Item = Reply>, protocol: Protocol) -> mlua::Result<Table> {
    let table = lua.create_table()?;
    // By place: what is nil in the newer protocol leaves a hole.
    for (index, item) in (1..).zip(items) {
        table.raw_set(index, to_lua(lua, item, protocol)?)?;
    }
    Ok(table)
}

/// How replies are made: the protocol that the script chose for itself, and whose digits doubles have.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) protocol: Protocol,
    pub(super) dialect: Dialect,
}

impl Style {
    fn digits(self, n: f64) -> String {
        digits(n, self.dialect)
    }
}

/// A number of a script's, written out.
pub(super) fn digits(n: f64, dialect: Dialect) -> String {
    match dialect {
        Dialect::Redis => number::general(n, 17),
        Dialect::Valkey => number::shortest(n),
    }
}

/// What a script returns, as a reply.
pub(super) fn to_reply(value: &Value, style: Style, depth: usize) -> mlua::Result<Reply> {
    if depth > DEEPEST {
        return Ok(Reply::Error(b"ERR reached lua stack limit".to_vec()));
    }
    Ok(match value {
        Value::String(text) => Reply::bulk(text.as_bytes()),
        Value::Integer(n) => Reply::Integer(*n),
        Value::Number(n) => Reply::Integer(truncated(*n)),
        Value::Boolean(truth) if style.protocol == Protocol::Resp3 => Reply::Boolean(*truth),
        Value::Boolean(true) => Reply::Integer(1),
        Value::Table(table) => from_table(table, style, depth)?,
        _ => Reply::Null,
    })
}

/// Lua has no integers: the fraction is cut off, not rounded. What no integer can hold becomes the smallest one, as x86
/// converts it.
fn truncated(n: f64) -> i64 {
    if n.is_nan() || n >= i64::MAX as f64 { i64::MIN } else { n as i64 }
}

fn from_table(table: &Table, style: Style, depth: usize) -> mlua::Result<Reply> {
    let text = |name: &str| -> mlua::Result<Option<Vec<u8>>> {
        Ok(match table.raw_get::<Value>(name)? {
            Value::String(text) => Some(text.as_bytes().to_vec()),
            _ => None,
        })
    };
    if let Some(error) = text("err")? {
        return Ok(Reply::Error(error));
    }
    if let Some(status) = text("ok")? {
        return Ok(Reply::OwnStatus(status));
    }
    match table.raw_get::<Value>("double")? {
        Value::Number(n) => return Ok(Reply::Double(style.digits(n))),
        Value::Integer(n) => return Ok(Reply::Double(style.digits(n as f64))),
        _ => {}
    }
    if let Value::Table(map) = table.raw_get::<Value>("map")? {
        let pairs = map.pairs::<Value, Value>().map(|pair| {
            let (key, value) = pair?;
            Ok((to_reply(&key, style, depth + 1)?, to_reply(&value, style, depth + 1)?))
        });
        return Ok(Reply::Map(pairs.collect::<mlua::Result<_>>()?));
    }
    if let Value::Table(set) = table.raw_get::<Value>("set")? {
        let members = set.pairs::<Value, Value>().map(|pair| to_reply(&pair?.0, style, depth + 1));
        return Ok(Reply::Set(members.collect::<mlua::Result<_>>()?));
    }
    if let Some(digits) = text("big_number")? {
        return Ok(Reply::BigNumber(digits));
    }
    if let Value::Table(verbatim) = table.raw_get::<Value>("verbatim_string")?
        && let Value::String(text) = verbatim.raw_get::<Value>("string")?
    {
        return Ok(Reply::Verbatim(text.to_string_lossy()));
    }
    // Up to the first hole.
    let mut items = Vec::new();
    for index in 1.. {
        match table.raw_get::<Value>(index)? {
            Value::Nil => break,
            item => items.push(to_reply(&item, style, depth + 1)?),
        }
    }
    Ok(Reply::Array(items))
}
