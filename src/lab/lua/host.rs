//! What programs can do: each function lays an ask or a deed on the desk.

use std::rc::Rc;

use mlua::{IntoLua, Lua, MultiValue, Result, Table, Value, Variadic};

use crate::lab::bytes::Bytes;
use crate::lab::command::Command;
use crate::lab::database::{Cell, Query, Row};
use crate::lab::desk::{Answer, Ask, Desk};
use crate::lab::event::Quality;
use crate::lab::reply::Reply;
use crate::lab::setup::Setup;
use crate::lab::time::Span;

/// The functions behind `prelude.lua`.
pub(super) fn table(lua: &Lua, desk: &Desk, setup: &Setup) -> Result<Table> {
    let host = lua.create_table()?;
    let names: Rc<[String]> = setup.programs.iter().map(|program| program.name.clone()).collect();
    waiting(lua, &host, desk, setup, &names)?;
    telling(lua, &host, desk, &names)?;
    Ok(host)
}

/// What a worker waits for.
fn waiting(lua: &Lua, host: &Table, desk: &Desk, setup: &Setup, names: &Rc<[String]>) -> Result<()> {
    let declared: Rc<[Bytes]> = setup.keys.all().into();
    let timeout = setup.reply_timeout;
    let (at, names_) = (desk.clone(), Rc::clone(names));
    host.set(
        "send",
        lua.create_async_function(move |lua, args: MultiValue| {
            let asking = command(&args).and_then(|command| {
                command.check(&declared).map_err(mlua::Error::external)?;
                Ok(at.ask(Ask::Command(command), line(&lua, &names_)))
            });
            async move {
                match asking?.await {
                    Answer::Reply(Reply::Error { code, text }) => failure(&lua, &code, &text),
                    Answer::Reply(reply) => Ok(MultiValue::from_vec(vec![value_of(&lua, reply)?])),
                    Answer::TimedOut => failure(
                        &lua,
                        "TIMEOUT",
                        &format!("no reply within {timeout}; the command may have run"),
                    ),
                    _ => failure(&lua, "DISCONNECTED", "the connection broke; the command may have run"),
                }
            }
        })?,
    )?;
    let (at, names_) = (desk.clone(), Rc::clone(names));
    host.set(
        "query",
        lua.create_async_function(move |lua, (sql, params): (String, Variadic<Value>)| {
            let params: Result<Vec<Cell>> = params.into_iter().map(|value| cell_of(&value)).collect();
            let asking = params.map(|params| at.ask(Ask::Query(Query { sql, params }), line(&lua, &names_)));
            async move {
                match asking?.await {
                    Answer::Row(Ok(Some(row))) => Ok(MultiValue::from_vec(vec![row_of(&lua, row)?])),
                    Answer::Row(Err(why)) => failure(&lua, "DATABASE", &why),
                    _ => Ok(MultiValue::new()),
                }
            }
        })?,
    )?;
    let (at, names_) = (desk.clone(), Rc::clone(names));
    host.set(
        "sleep",
        lua.create_async_function(move |lua, millis: f64| {
            let asking = if millis >= 0.0 {
                let span = Span::from_micros((millis * 1000.0).round() as u64);
                Ok(at.ask(Ask::Sleep(span), line(&lua, &names_)))
            } else {
                Err(mlua::Error::runtime(format!("sleep needs milliseconds from 0 up, and got {millis}")))
            };
            async move {
                asking?.await;
                Ok(())
            }
        })?,
    )
}

/// What happens at once.
fn telling(lua: &Lua, host: &Table, desk: &Desk, names: &Rc<[String]>) -> Result<()> {
    let at = desk.clone();
    host.set("now", lua.create_function(move |_, ()| Ok(at.now().as_micros() as f64 / 1000.0))?)?;
    let at = desk.clone();
    host.set(
        "jitter",
        lua.create_function(move |_, (low, high): (u64, u64)| {
            if low > high {
                return Err(mlua::Error::runtime(format!(
                    "jitter needs a lower and a higher bound, and got {low}, {high}"
                )));
            }
            Ok(at.jitter(low, high))
        })?,
    )?;
    let (at, names_) = (desk.clone(), Rc::clone(names));
    host.set("token", lua.create_function(move |lua, ()| Ok(at.token(line(lua, &names_))))?)?;
    let (at, names_) = (desk.clone(), Rc::clone(names));
    host.set(
        "note",
        lua.create_function(move |lua, text: String| {
            at.note(text, line(lua, &names_));
            Ok(())
        })?,
    )?;
    for (name, quality) in [
        ("serve", Quality::Fresh),
        ("stale", Quality::Stale),
        ("degrade", Quality::Degraded),
        ("fail", Quality::Failed),
    ] {
        let (at, names_) = (desk.clone(), Rc::clone(names));
        host.set(
            name,
            lua.create_function(move |lua, value: Value| {
                let bytes = match &value {
                    Value::Nil => Bytes::default(),
                    other => word(other)?,
                };
                at.serve(quality, bytes, line(lua, &names_));
                Ok(())
            })?,
        )?;
    }
    Ok(())
}

/// The line of the worker's program that is running, found on the stack below the host's own frames.
fn line(lua: &Lua, names: &[String]) -> Option<u32> {
    (0..12).find_map(|level| {
        lua.inspect_stack(level, |debug| {
            let ours =
                debug.source().short_src.is_some_and(|source| names.iter().any(|name| *name == source));
            ours.then(|| debug.current_line()).flatten().and_then(|line| u32::try_from(line).ok())
        })
        .flatten()
    })
}

fn command(args: &MultiValue) -> Result<Command> {
    args.iter().map(word).collect::<Result<Vec<_>>>().map(Command::new)
}

/// A word of a command: a string, or a whole number.
fn word(value: &Value) -> Result<Bytes> {
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

fn cell_of(value: &Value) -> Result<Cell> {
    Ok(match value {
        Value::Nil => Cell::Null,
        Value::Integer(n) => Cell::Integer(*n),
        Value::Number(x) if x.fract() == 0.0 && x.abs() < 9e15 => Cell::Integer(*x as i64),
        Value::Number(x) => Cell::Real(*x),
        other => Cell::Text(word(other)?.to_string()),
    })
}

fn row_of(lua: &Lua, row: Row) -> Result<Value> {
    let table = lua.create_table()?;
    for (name, cell) in row {
        match cell {
            Cell::Null => {}
            Cell::Integer(n) => table.set(name, n)?,
            Cell::Real(x) => table.set(name, x)?,
            Cell::Text(text) => table.set(name, text)?,
        }
    }
    Ok(Value::Table(table))
}

/// A reply as Redis's own Lua would see it, except that a status is a plain string and nil is nil; inside an array
/// nil is `false`, or it would end the array.
fn value_of(lua: &Lua, reply: Reply) -> Result<Value> {
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

fn failure(lua: &Lua, code: &str, message: &str) -> Result<MultiValue> {
    Ok(MultiValue::from_vec(vec![Value::Nil, code.into_lua(lua)?, message.into_lua(lua)?]))
}
