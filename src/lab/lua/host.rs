//! What programs can do: each function lays an ask or a deed on the desk.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{IntoLua, Lua, MultiValue, Result, Table, Value, Variadic};

use crate::lab::bytes::Bytes;
use crate::lab::command::Command;
use crate::lab::database::{self, Query, Row};
use crate::lab::desk::{Answer, Ask, Asking, Desk};
use crate::lab::event::Quality;
use crate::lab::lua::script::{charge, endless};
use crate::lab::repertoire::Repertoire;
use crate::lab::reply::Reply;
use crate::lab::setup::Setup;
use crate::lab::time::Span;

/// A year: long enough for every lesson, short enough for every clock.
const LONGEST_SLEEP: f64 = 365.0 * 86_400_000.0;

/// What entering a `pcall` costs in instructions: its coroutine starts a count of its own.
const CHARGE: u32 = 1_000;

/// How many frames above the program's own a call of the host may have.
const STACK_SEARCHED: usize = 12;

/// What the functions share.
struct Host {
    desk: Desk,
    repertoire: Arc<Repertoire>,
    /// What the worker being polled has used of its instructions.
    spent: Rc<Cell<u32>>,
    /// The names of the programs, to tell their lines from the host's own.
    programs: Vec<String>,
    timeout: Span,
}

/// The functions behind `prelude.lua`.
pub(super) fn table(
    lua: &Lua,
    desk: &Desk,
    setup: &Setup,
    repertoire: &Arc<Repertoire>,
    spent: &Rc<Cell<u32>>,
) -> Result<Table> {
    let host = Rc::new(Host {
        desk: desk.clone(),
        repertoire: Arc::clone(repertoire),
        spent: Rc::clone(spent),
        programs: setup.programs.iter().map(|program| program.name.clone()).collect(),
        timeout: setup.reply_timeout,
    });
    let table = lua.create_table()?;
    waiting(lua, &table, &host)?;
    telling(lua, &table, &host)?;
    Ok(table)
}

/// What a worker waits for. The ask is laid on the desk at once, while the line of the program can still be seen; only
/// the answer is waited for.
fn waiting(lua: &Lua, table: &Table, host: &Rc<Host>) -> Result<()> {
    let at = Rc::clone(host);
    let send = lua.create_async_function(move |lua, args: MultiValue| {
        let (asking, timeout) = (at.send(&lua, &args), at.timeout);
        async move {
            match asking?.await {
                // The text differs from one server to the next, and what programs see must not.
                Answer::Reply(Reply::Error { code, .. }) => {
                    failure(&lua, &code, "is what the server answered")
                }
                Answer::Reply(reply) => Ok(MultiValue::from_vec(vec![value_of(&lua, reply)?])),
                Answer::TimedOut => {
                    failure(&lua, "TIMEOUT", &format!("no reply within {timeout}; the command may have run"))
                }
                _ => failure(&lua, "DISCONNECTED", "the connection broke; the command may have run"),
            }
        }
    })?;
    for (name, commits) in [("query", false), ("commit", true)] {
        let at = Rc::clone(host);
        let query = lua.create_async_function(move |lua, (sql, params): (String, Variadic<Value>)| {
            let asking = at.query(&lua, sql, &params, commits);
            async move {
                match asking?.await {
                    Answer::Row(Ok(Some(row))) => Ok(MultiValue::from_vec(vec![row_of(&lua, row)?])),
                    Answer::Row(Err(why)) => failure(&lua, "DATABASE", &why),
                    _ => Ok(MultiValue::new()),
                }
            }
        })?;
        table.set(name, query)?;
    }
    let at = Rc::clone(host);
    let sleep = lua.create_async_function(move |lua, millis: f64| {
        let asking = at.sleep(&lua, millis);
        async move {
            asking?.await;
            Ok(())
        }
    })?;
    table.set("send", send)?;
    table.set("sleep", sleep)
}

/// What happens at once.
fn telling(lua: &Lua, table: &Table, host: &Rc<Host>) -> Result<()> {
    let at = Rc::clone(host);
    table.set("charge", lua.create_function(move |lua, ()| at.charge(lua))?)?;
    let at = Rc::clone(host);
    table.set("now", lua.create_function(move |_, ()| Ok(at.desk.now().as_micros() as f64 / 1000.0))?)?;
    let at = Rc::clone(host);
    table.set("jitter", lua.create_function(move |_, (low, high): (u64, u64)| at.jitter(low, high))?)?;
    let at = Rc::clone(host);
    table.set("token", lua.create_function(move |lua, ()| Ok(at.desk.token(at.line(lua))))?)?;
    let at = Rc::clone(host);
    let note = move |lua: &Lua, text: String| {
        at.desk.note(text, at.line(lua));
        Ok(())
    };
    table.set("note", lua.create_function(note)?)?;
    for (name, quality) in [
        ("serve", Quality::Fresh),
        ("stale", Quality::Stale),
        ("degrade", Quality::Degraded),
        ("fail", Quality::Failed),
    ] {
        let at = Rc::clone(host);
        let answer = move |lua: &Lua, value: Value| {
            let bytes = if value.is_nil() { Bytes::default() } else { word(&value)? };
            at.desk.serve(quality, bytes, at.line(lua));
            Ok(())
        };
        table.set(name, lua.create_function(answer)?)?;
    }
    Ok(())
}

impl Host {
    fn send(&self, lua: &Lua, args: &MultiValue) -> Result<Asking> {
        let command = Command::new(args.iter().map(word).collect::<Result<_>>()?);
        self.repertoire.check(&command).map_err(mlua::Error::external)?;
        Ok(self.desk.ask(Ask::Command(command), self.line(lua)))
    }

    fn query(&self, lua: &Lua, sql: String, params: &[Value], commits: bool) -> Result<Asking> {
        let params = params.iter().map(cell_of).collect::<Result<_>>()?;
        Ok(self.desk.ask(Ask::Query(Query { sql, params, commits }), self.line(lua)))
    }

    fn charge(&self, lua: &Lua) -> Result<()> {
        charge(&self.spent, CHARGE).map_err(|_| endless(self.line(lua).unwrap_or_default()))
    }

    fn sleep(&self, lua: &Lua, millis: f64) -> Result<Asking> {
        if !(0.0..=LONGEST_SLEEP).contains(&millis) {
            let complaint = format!("sleep needs milliseconds from 0 up to a year, and got {millis}");
            return Err(mlua::Error::runtime(complaint));
        }
        let span = Span::from_micros((millis * 1000.0).round() as u64);
        Ok(self.desk.ask(Ask::Sleep(span), self.line(lua)))
    }

    fn jitter(&self, low: u64, high: u64) -> Result<u64> {
        if low > high {
            let complaint = format!("jitter needs a lower and a higher bound, and got {low}, {high}");
            return Err(mlua::Error::runtime(complaint));
        }
        Ok(self.desk.jitter(low, high))
    }

    /// The line of the worker's program that is running, found on the stack below the host's own frames.
    fn line(&self, lua: &Lua) -> Option<u32> {
        (0..STACK_SEARCHED).find_map(|level| {
            lua.inspect_stack(level, |debug| {
                let source = debug.source().short_src?;
                let ours = self.programs.iter().any(|name| *name == source);
                ours.then(|| debug.current_line()).flatten().and_then(|line| u32::try_from(line).ok())
            })
            .flatten()
        })
    }
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

fn cell_of(value: &Value) -> Result<database::Cell> {
    Ok(match value {
        Value::Nil => database::Cell::Null,
        Value::Integer(n) => database::Cell::Integer(*n),
        Value::Number(x) if x.fract() == 0.0 && x.abs() < 9e15 => database::Cell::Integer(*x as i64),
        Value::Number(x) => database::Cell::Real(*x),
        other => database::Cell::Text(word(other)?.to_string()),
    })
}

fn row_of(lua: &Lua, row: Row) -> Result<Value> {
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
