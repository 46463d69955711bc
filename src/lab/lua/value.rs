//! Values on their way into and out of Lua.

use mlua::{IntoLua, Lua, Result, Value};

use crate::lab::bytes::Bytes;
use crate::lab::database::{self, Row};
use crate::lab::reply::Reply;

/// A word of a command: a string, or a whole number.
pub(super) fn word(value: &Value) -> Result<Bytes> {
    match value {
        Value::String(text) => Ok(text.as_bytes().to_vec().into()),
        Value::Integer(n) => Ok(n.to_string().into()),
        Value::Number(x) if x.fract() == 0.0 && x.abs() < 9e15 => Ok(format!("{x:.0}").into()),
        Value::Number(x) => Ok(x.to_string().into()),
        other => Err(mlua::Error::runtime(format!(
            "expected a string or a number, and got a {} value",
            other.type_name()
        ))),
    }
}

pub(super) fn cell_of(value: &Value) -> Result<database::Cell> {
    Ok(match value {
        Value::Nil => database::Cell::Null,
        Value::Integer(n) => database::Cell::Integer(*n),
        Value::Number(x) if x.fract() == 0.0 && x.abs() < 9e15 => database::Cell::Integer(*x as i64),
        Value::Number(x) => database::Cell::Real(*x),
        other => database::Cell::Text(word(other)?.to_string()),
    })
}

pub(super) fn row_of(lua: &Lua, row: Row) -> Result<Value> {
    let table = lua.create_table()?;
    for (name, cell) in row {
        match cell {
            database::Cell::Null => {}
            database::Cell::Integer(n) => table.set(name, n)?,
            database::Cell::Real(x) => table.set(name, x)?,
            database::Cell::Text(text) => table.set(name, text)?,
        }
    }
    Ok(Value::Table(table))
}

/// A reply as Redis's own Lua would see it, except that a status is a plain string and nil is nil; inside an array
/// nil is `false`, or it would end the array.
pub(super) fn value_of(lua: &Lua, reply: Reply) -> Result<Value> {
    match reply {
        Reply::Nil | Reply::Error { .. } => Ok(Value::Nil),
        Reply::Status(text) => text.into_lua(lua),
        Reply::Integer(n) => n.into_lua(lua),
        Reply::Bulk(bytes) => lua.create_string(bytes.as_slice()).map(Value::String),
        Reply::Array(items) => {
            let table = lua.create_table()?;
            for item in items {
                let value = value_of(lua, item)?;
                table.push(if value.is_nil() { Value::Boolean(false) } else { value })?;
            }
            Ok(Value::Table(table))
        }
    }
}
