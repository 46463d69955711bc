//! A Lua state that runs scripts, one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use mlua::chunk::ChunkMode;
use mlua::{Function, HookTriggers, Lua, LuaOptions, LuaString, MultiValue, StdLib, Table, Value, VmState};

use super::convert::{self, Style};
use super::host;
use super::library::{Says, Script};
use super::sender::Sender;
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::{Protocol, Reply};
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::running::Running;
use crate::server::embedded::spec::Answer;

/// After so many instructions a script is asked whether it is to end.
const INSTRUCTIONS_PER_LOOK: u32 = 10_000;

/// What a script may take, in bytes. Redis sets no limit; here it would take the app with it.
const MEMORY_LIMIT: usize = 256 << 20;

/// What a state may keep between scripts, in bytes.
const MUCH: usize = 16 << 20;

/// So many compiled scripts are kept ready.
const MOST_COMPILED: usize = 500;

/// What scripts are called in errors.
const NAME: &str = "@user_script";

/// What to run.
pub(in crate::server::embedded) struct Run<'a> {
    pub(in crate::server::embedded) script: &'a Arc<Script>,
    pub(in crate::server::embedded) keys: &'a [&'a [u8]],
    pub(in crate::server::embedded) args: &'a [&'a [u8]],
    pub(in crate::server::embedded) read_only: bool,
}

/// A Lua state, prepared.
pub(in crate::server::embedded) struct Sandbox {
    lua: Lua,
    dialect: Dialect,
    /// The prelude's: puts a compiled script into the scripts' world.
    settle: Function,
    /// The prelude's: runs a settled script.
    run: Function,
    compiled: BTreeMap<String, Function>,
}

impl Sandbox {
    /// A fresh state, for the scripts of one server.
    pub(in crate::server::embedded) fn new(
        dialect: Dialect,
        running: &Arc<Running>,
    ) -> Result<Self, CommandError> {
        Self::prepare(dialect, running)
            .map_err(|error| CommandError::owned(format!("ERR there is no Lua for this script: {error}")))
    }

    fn prepare(dialect: Dialect, running: &Arc<Running>) -> mlua::Result<Self> {
        let mut libraries = StdLib::TABLE | StdLib::STRING | StdLib::MATH;
        if dialect == Dialect::Valkey {
            libraries |= StdLib::OS;
        }
        let lua = Lua::new_with(libraries, LuaOptions::new().catch_rust_panics(false))?;
        lua.set_memory_limit(MEMORY_LIMIT)?;
        let asked = Arc::clone(running);
        lua.set_global_hook(
            HookTriggers::new().every_nth_instruction(INSTRUCTIONS_PER_LOOK),
            move |_, _| {
                asked.look_around();
                if asked.is_to_end() { Err(mlua::Error::runtime("ending")) } else { Ok(VmState::Continue) }
            },
        )?;
        let host = host::table(&lua, dialect, running)?;
        let facts = facts(&lua, dialect)?;
        let (settle, run) = lua
            .load(include_str!("prelude.lua"))
            .set_name("=prelude")
            .call::<(Function, Function)>((host, facts))?;
        Ok(Self { lua, dialect, settle, run, compiled: BTreeMap::new() })
    }

    /// Runs a script to its end, all its commands in one turn.
    pub(in crate::server::embedded) fn run(&mut self, run: &Run<'_>, call: &mut Call<'_>) -> Answer {
        if run.script.says.contains(Says::NO_CLUSTER) && call.engine.node.is_some() {
            return Err(CommandError::new("ERR Can not run script on cluster, 'no-cluster' flag is set."));
        }
        call.shared.running().begin();
        let outcome = self.ready(run.script).and_then(|function| self.enter(&function, run, call));
        call.shared.running().end();
        self.tidy();
        match outcome {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(problem)) => Err(self.told(&problem, run.script)),
            // What no handler could take: memory ran out while the error was being told.
            Err(error) => Err(CommandError::owned(format!("ERR {}", first_line(&error)))),
        }
    }

    /// What a script leaves behind is collected bit by bit, and all at once where it is much: Lua of this version does not do
    /// so when memory runs out.
    fn tidy(&self) {
        if self.lua.used_memory() > MUCH {
            // Nothing here has a finalizer that could fail.
            let _ = self.lua.gc_collect();
        }
    }

    fn ready(&mut self, script: &Script) -> mlua::Result<Function> {
        if let Some(function) = self.compiled.get(&script.digest) {
            return Ok(function.clone());
        }
        if self.compiled.len() >= MOST_COMPILED {
            self.compiled.clear();
        }
        let function =
            self.lua.load(&script.body).set_name(NAME).set_mode(ChunkMode::Text).into_function()?;
        let function: Function = self.settle.call(function)?;
        self.compiled.insert(script.digest.clone(), function.clone());
        Ok(function)
    }

    fn enter(
        &self,
        function: &Function,
        run: &Run<'_>,
        call: &mut Call<'_>,
    ) -> mlua::Result<Result<Reply, Table>> {
        let list = |words: &[&[u8]]| {
            let strings = words.iter().map(|word| self.lua.create_string(word));
            self.lua.create_sequence_from(strings.collect::<mlua::Result<Vec<_>>>()?)
        };
        let (keys, args) = (list(run.keys)?, list(run.args)?);
        let mut sender = Sender::new(run, call);
        self.lua.scope(|scope| {
            let send = scope.create_function_mut(|lua, (protocol, words): (i64, MultiValue)| {
                let protocol = if protocol == 3 { Protocol::Resp3 } else { Protocol::Resp2 };
                let reply = sender.send(&words);
                convert::to_lua(lua, reply, protocol)
            })?;
            let (ok, result, protocol): (bool, Value, i64) = self.run.call((function, keys, args, send))?;
            let protocol = if protocol == 3 { Protocol::Resp3 } else { Protocol::Resp2 };
            match result {
                Value::Table(problem) if !ok => Ok(Err(problem)),
                result => Ok(Ok(convert::to_reply(&result, Style { protocol, dialect: self.dialect }, 0)?)),
            }
        })
    }

    /// An error that no script caught, with the place where it happened.
    fn told(&self, problem: &Table, script: &Script) -> CommandError {
        let bytes = |name: &str| problem.raw_get::<LuaString>(name).map(|text| text.as_bytes().to_vec());
        let mut text = bytes("err").unwrap_or_else(|_| b"ERR unknown error".to_vec());
        if let (Ok(source), Ok(line)) = (bytes("source"), problem.raw_get::<i64>("line")) {
            let digest = match self.dialect {
                Dialect::Redis => format!("{}, ", script.digest),
                Dialect::Valkey => String::new(),
            };
            text.extend_from_slice(format!(" script: {digest}on ").as_bytes());
            text.extend_from_slice(&source);
            text.extend_from_slice(format!(":{line}.").as_bytes());
        }
        CommandError::owned(text)
    }
}

/// What differs from one presentation to the other.
fn facts(lua: &Lua, dialect: Dialect) -> mlua::Result<Table> {
    let facts = lua.create_table()?;
    let versions = lua.create_table()?;
    let (number, redis_number) = dialect.version_numbers();
    versions.set("REDIS_VERSION", dialect.redis_version())?;
    versions.set("REDIS_VERSION_NUM", redis_number)?;
    match dialect {
        Dialect::Redis => {
            facts.set("name", "redis")?;
            facts.set("level", "debug")?;
            facts.set("set_repl", "two arguments.")?;
            facts.set("ended", "ERR Script killed by user with SCRIPT KILL...")?;
        }
        Dialect::Valkey => {
            facts.set("name", "server")?;
            facts.set("level", "log")?;
            facts.set("set_repl", "one argument.")?;
            facts.set("ended", "ERR Script killed by user with SCRIPT KILL.")?;
            let clock = lua.globals().get::<Table>("os")?.get::<Function>("clock")?;
            facts.set("clock", clock)?;
            versions.set("SERVER_NAME", dialect.name())?;
            versions.set("VALKEY_VERSION", dialect.version())?;
            versions.set("VALKEY_VERSION_NUM", number)?;
        }
    }
    facts.set("versions", versions)?;
    Ok(facts)
}

fn first_line(error: &mlua::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}
