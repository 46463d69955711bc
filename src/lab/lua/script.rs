//! Programs compiled and started: one Lua state a run, one coroutine and one set of globals a worker.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::chunk::ChunkMode;
use mlua::{Function, HookTriggers, Lua, LuaOptions, StdLib, Table, VmState};

use super::host;
use crate::lab::bytes::Bytes;
use crate::lab::desk::Desk;
use crate::lab::process::{Nursery, Running};
use crate::lab::repertoire::Repertoire;
use crate::lab::setup::{Global, Program, Setup};
use crate::lab::worker::Member;

/// How many Lua instructions a worker may run between two waits. Waiting programs use some hundreds; a million
/// takes a few milliseconds, so an endless loop is stopped before anybody notices a hang.
const INSTRUCTIONS_PER_WAIT: u32 = 1_000_000;

/// The hook that counts them runs this often.
const INSTRUCTIONS_PER_COUNT: u32 = 10_000;

/// All workers of a run together; a lesson with 200 readers uses about 3 MiB.
const MEMORY_LIMIT: usize = 64 << 20;

/// Why a program does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{program}:{line}: {message}")]
pub struct ScriptError {
    pub program: String,
    /// From 1; 0 when Lua does not say.
    pub line: u32,
    pub message: String,
}

/// The programs of a run, ready to be started.
pub(in crate::lab) struct Scripts {
    lua: Lua,
    new_globals: Function,
    run: Function,
    programs: Vec<Program>,
    catalogue: Vec<Bytes>,
    spent: Rc<Cell<u32>>,
}

impl Scripts {
    pub(in crate::lab) fn load(
        setup: &Setup,
        desk: &Desk,
        repertoire: &Arc<Repertoire>,
        nursery: &Nursery,
    ) -> Result<Self, ScriptError> {
        for program in setup.programs.iter().filter(|program| program.native.is_none()) {
            check(program)?;
        }
        Self::prepare(setup, desk, repertoire, nursery).map_err(|error| ScriptError {
            program: "prelude".to_owned(),
            line: 0,
            message: first_line(&error.to_string()),
        })
    }

    fn prepare(
        setup: &Setup,
        desk: &Desk,
        repertoire: &Arc<Repertoire>,
        nursery: &Nursery,
    ) -> mlua::Result<Self> {
        let lua = sandbox()?;
        lua.set_memory_limit(MEMORY_LIMIT)?;
        let spent = Rc::new(Cell::new(0));
        let counted = Rc::clone(&spent);
        lua.set_global_hook(
            HookTriggers::new().every_nth_instruction(INSTRUCTIONS_PER_COUNT),
            move |_, debug| {
                counted.set(counted.get() + INSTRUCTIONS_PER_COUNT);
                if counted.get() < INSTRUCTIONS_PER_WAIT {
                    return Ok(VmState::Continue);
                }
                let line = debug.current_line().unwrap_or_default();
                Err(mlua::Error::runtime(format!("line {line} runs on and on without waiting")))
            },
        )?;
        let globals = lua.create_table()?;
        for (name, value) in &setup.globals {
            match value {
                Global::Number(n) => globals.set(name.as_str(), *n)?,
                Global::Text(text) => globals.set(name.as_str(), text.as_str())?,
            }
        }
        globals.set("key", lua.create_string(setup.keys.value.as_slice())?)?;
        if let Some(lock) = &setup.keys.lock {
            globals.set("lock", lua.create_string(lock.as_slice())?)?;
        }
        for (name, key) in &setup.keys.others {
            globals.set(name.as_str(), lua.create_string(key.as_slice())?)?;
        }
        if !setup.keys.catalogue.is_empty() {
            let names = setup.keys.catalogue.iter().map(|key| lua.create_string(key.as_slice()));
            globals.set("catalogue", lua.create_sequence_from(names.collect::<mlua::Result<Vec<_>>>()?)?)?;
        }
        let host = host::table(&lua, desk, setup, repertoire, (&spent, nursery))?;
        let (new_globals, run) =
            lua.load(include_str!("prelude.lua"))
                .set_name("=prelude")
                .call::<(Function, Function)>((host, globals))?;
        let (programs, catalogue) = (setup.programs.clone(), setup.keys.catalogue.clone());
        Ok(Self { lua, new_globals, run, programs, catalogue, spent })
    }

    /// A worker's future. Nothing of it runs before the first poll.
    pub(in crate::lab) fn start(&self, member: &Member) -> mlua::Result<Running> {
        let program = self.programs.get(member.program);
        let program = program.ok_or_else(|| mlua::Error::runtime("no such program"))?;
        let product = member.product.and_then(|place| self.catalogue.get(usize::from(place)));
        let key = product.map(|key| self.lua.create_string(key.as_slice())).transpose()?;
        let globals: Table = self.new_globals.call(key)?;
        let body = self
            .lua
            .load(&program.source)
            .set_name(format!("@{}", program.name))
            .set_mode(ChunkMode::Text)
            .set_environment(globals)
            .into_function()?;
        let thread = self.lua.create_thread(self.run.clone())?.into_async::<Option<String>>(body)?;
        Ok(Box::pin(async move {
            thread.await.unwrap_or_else(|error| Some(error.to_string())).map(|text| first_line(&text))
        }))
    }

    /// Gives the worker about to be polled its full allowance of instructions.
    pub(in crate::lab) fn refill(&self) {
        self.spent.set(0);
    }
}

/// That a worker has used more than one that waits could need.
pub(super) struct Exhausted;

/// Adds to what a worker has used since it last waited.
pub(super) fn charge(spent: &Cell<u32>, instructions: u32) -> Result<(), Exhausted> {
    spent.set(spent.get().saturating_add(instructions));
    if spent.get() < INSTRUCTIONS_PER_WAIT { Ok(()) } else { Err(Exhausted) }
}

/// The error that stops it.
pub(super) fn endless(line: u32) -> mlua::Error {
    mlua::Error::runtime(format!("line {line} runs on and on without waiting"))
}

/// Compiles a program without running it.
///
/// # Errors
/// Lua's own message and the line it names.
///
/// # Panics
/// When there is no memory for a Lua state.
pub fn check(program: &Program) -> Result<(), ScriptError> {
    let lua = Lua::new_with(StdLib::NONE, LuaOptions::default()).expect("a bare Lua state needs only memory");
    let compiled = lua
        .load(&program.source)
        .set_name(format!("@{}", program.name))
        .set_mode(ChunkMode::Text)
        .into_function();
    compiled.map(|_| ()).map_err(|error| {
        let text = error.to_string();
        let place = text.split_once(&format!("{}:", program.name)).map_or(text.as_str(), |(_, rest)| rest);
        let (line, message) = place.split_once(": ").unwrap_or(("0", place));
        ScriptError {
            program: program.name.clone(),
            line: line.parse().unwrap_or(0),
            message: first_line(message),
        }
    })
}

fn sandbox() -> mlua::Result<Lua> {
    Lua::new_with(StdLib::TABLE | StdLib::STRING | StdLib::MATH, LuaOptions::default())
}

/// An error without the traceback and the labels that Lua and mlua put around it.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("runtime error: ").trim_start_matches("syntax error: ").to_owned()
}
