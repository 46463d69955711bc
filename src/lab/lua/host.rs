//! What programs can do: each function lays an ask or a deed on the desk.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, IntoLua, Lua, MultiValue, Result, Table, Value, Variadic};

use crate::lab::bytes::Bytes;
use crate::lab::command::Command;
use crate::lab::database::Query;
use crate::lab::desk::{Answer, Ask, Asking, Desk, PermitWish};
use crate::lab::event::Quality;
use crate::lab::lua::script::{charge, endless};
use crate::lab::lua::value::{cell_of, row_of, value_of, word};
use crate::lab::process::Nursery;
use crate::lab::repertoire::Repertoire;
use crate::lab::reply::Reply;
use crate::lab::setup::Setup;
use crate::lab::time::{LabTime, Span};

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
    nursery: Nursery,
    /// How far each worker's own clock is ahead.
    ahead: Vec<Span>,
}

/// The functions behind `prelude.lua`.
pub(super) fn table(
    lua: &Lua,
    desk: &Desk,
    setup: &Setup,
    repertoire: &Arc<Repertoire>,
    (spent, nursery): (&Rc<Cell<u32>>, &Nursery),
) -> Result<Table> {
    let host = Rc::new(Host {
        desk: desk.clone(),
        repertoire: Arc::clone(repertoire),
        spent: Rc::clone(spent),
        programs: setup.programs.iter().map(|program| program.name.clone()).collect(),
        timeout: setup.reply_timeout,
        nursery: nursery.clone(),
        ahead: setup.cast.iter().map(|member| member.clock_ahead.unwrap_or_default()).collect(),
    });
    let table = lua.create_table()?;
    waiting(lua, &table, &host)?;
    sharing(lua, &table, &host)?;
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

/// What the requests of a process share, and what one of them does beside its program.
fn sharing(lua: &Lua, table: &Table, host: &Rc<Host>) -> Result<()> {
    let at = Rc::clone(host);
    let join = lua.create_async_function(move |lua, name: String| {
        let asking = at.desk.ask(Ask::Flight(name), at.line(&lua));
        async move {
            match asking.await {
                Answer::Landed(Ok(value)) => {
                    let value = lua.create_string(value.as_slice())?;
                    Ok(MultiValue::from_vec(vec![Value::Boolean(false), Value::String(value)]))
                }
                Answer::Landed(Err((code, message))) => {
                    let mut told = failure(&lua, &code, &message)?;
                    told.push_front(Value::Boolean(false));
                    Ok(told)
                }
                _ => Ok(MultiValue::from_vec(vec![Value::Boolean(true)])),
            }
        }
    })?;
    table.set("join", join)?;
    let at = Rc::clone(host);
    let land = move |lua: &Lua, (name, value): (String, Value)| {
        at.desk.land(name, Ok(word(&value)?), at.line(lua));
        Ok(())
    };
    table.set("land", lua.create_function(land)?)?;
    let at = Rc::clone(host);
    let land_failed = move |lua: &Lua, (name, code, message): (String, String, String)| {
        at.desk.land(name, Err((code, message)), at.line(lua));
        Ok(())
    };
    table.set("land_failed", lua.create_function(land_failed)?)?;
    let at = Rc::clone(host);
    let permit = lua.create_async_function(move |lua, (of, patience): (u32, f64)| {
        let wish = span_of(patience, "a permit's wait").map(|patience| PermitWish { of, patience });
        let asking = wish.map(|wish| at.desk.ask(Ask::Permit(wish), at.line(&lua)));
        async move { Ok(matches!(asking?.await, Answer::Permit(true))) }
    })?;
    table.set("permit", permit)?;
    let at = Rc::clone(host);
    let returned = move |lua: &Lua, ()| {
        at.desk.return_permit(at.line(lua));
        Ok(())
    };
    table.set("return_permit", lua.create_function(returned)?)?;
    let at = Rc::clone(host);
    let background = move |lua: &Lua, task: Function| {
        let thread = lua.create_thread(task)?.into_async::<Option<String>>(())?;
        let running = async move { thread.await.unwrap_or_else(|error| Some(error.to_string())) };
        let (task, at) = (at.nursery.start(Box::pin(running)), Rc::clone(&at));
        lua.create_function(move |_, ()| {
            at.nursery.stop(task);
            Ok(())
        })
    };
    table.set("background", lua.create_function(background)?)
}

/// What happens at once.
fn telling(lua: &Lua, table: &Table, host: &Rc<Host>) -> Result<()> {
    let at = Rc::clone(host);
    table.set("charge", lua.create_function(move |lua, ()| at.charge(lua))?)?;
    let at = Rc::clone(host);
    table.set("now", lua.create_function(move |_, ()| Ok(at.now().as_micros() as f64 / 1000.0))?)?;
    let at = Rc::clone(host);
    table.set("jitter", lua.create_function(move |_, (low, high): (u64, u64)| at.jitter(low, high))?)?;
    let at = Rc::clone(host);
    let exponential = move |_: &Lua, mean: f64| {
        Ok(at.desk.exponential(span_of(mean, "exponential")?).as_micros() as f64 / 1000.0)
    };
    table.set("exponential", lua.create_function(exponential)?)?;
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

    /// The time on the clock of the worker's own machine.
    fn now(&self) -> LabTime {
        self.desk.now() + self.ahead.get(self.desk.worker().index()).copied().unwrap_or_default()
    }

    fn charge(&self, lua: &Lua) -> Result<()> {
        charge(&self.spent, CHARGE).map_err(|_| endless(self.line(lua).unwrap_or_default()))
    }

    fn sleep(&self, lua: &Lua, millis: f64) -> Result<Asking> {
        Ok(self.desk.ask(Ask::Sleep(span_of(millis, "sleep")?), self.line(lua)))
    }

    fn jitter(&self, low: u64, high: u64) -> Result<u64> {
        if low > high {
            let complaint = format!("jitter needs a lower and a higher bound, and got {low}, {high}");
            return Err(mlua::Error::runtime(complaint));
        }
        Ok(self.desk.jitter(low, high))
    }

    /// The line of the worker's program that is running, found on the stack below the host's own frames. A task beside
    /// the program has none: the worker stands where its program does.
    fn line(&self, lua: &Lua) -> Option<u32> {
        if self.nursery.is_aside() {
            return None;
        }
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

/// Milliseconds of a program as a span.
fn span_of(millis: f64, what: &str) -> Result<Span> {
    if !(0.0..=LONGEST_SLEEP).contains(&millis) {
        let complaint = format!("{what} needs milliseconds from 0 up to a year, and got {millis}");
        return Err(mlua::Error::runtime(complaint));
    }
    Ok(Span::from_micros((millis * 1000.0).round() as u64))
}

fn failure(lua: &Lua, code: &str, message: &str) -> Result<MultiValue> {
    Ok(MultiValue::from_vec(vec![Value::Nil, code.into_lua(lua)?, message.into_lua(lua)?]))
}
