//! `redis.call`: a script's commands, run in its own turn.

use mlua::{MultiValue, Value};

use super::convert;
use super::library::Says;
use super::sandbox::{Run, Sandbox};
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::slot;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::dispatch;
use crate::server::embedded::engine::Engine;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::session::Session;
use crate::server::embedded::shared::Shared;
use crate::server::embedded::spec::{Answer, Flags, Run as Runs, Spec};
use crate::server::embedded::table;

/// Sends commands for the script under way.
pub(super) struct Sender<'a> {
    shared: &'a Shared,
    /// Scripts run no scripts.
    none: Option<Sandbox>,
    engine: &'a mut Engine,
    session: Session,
    read_only: bool,
    /// Whether all its keys must be in one slot.
    strict: bool,
    slot: Option<u16>,
}

impl<'a> Sender<'a> {
    pub(super) fn new(run: &Run<'_>, call: &'a mut Call<'_>) -> Self {
        let strict = call.engine.node.is_some() && !run.script.says.contains(Says::CROSS_SLOT);
        Self {
            shared: call.shared,
            none: None,
            session: call.session.of_script(),
            engine: &mut *call.engine,
            read_only: run.read_only,
            strict,
            slot: run.keys.first().map(|key| slot::slot(key)),
        }
    }

    /// Runs one command; whatever is wrong with it comes back as an error reply.
    pub(super) fn send(&mut self, words: &MultiValue) -> Reply {
        self.answer(words).unwrap_or_else(CommandError::into_reply)
    }

    fn answer(&mut self, words: &MultiValue) -> Answer {
        let dialect = self.engine.dialect;
        let words = words.iter().map(|value| word(value, dialect)).collect::<Option<Vec<Vec<u8>>>>().ok_or(
            CommandError::new(match dialect {
                Dialect::Redis => "ERR Lua redis lib command arguments must be strings or integers",
                Dialect::Valkey => "ERR Command arguments must be strings or integers",
            }),
        )?;
        let args: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        let spec = self.admit(&args)?;
        if spec.has(Flags::WRITE) {
            self.shared.running().wrote();
        }
        dispatch::call(self.shared, self.engine, &mut self.none, &mut self.session, spec, &args)
    }

    fn admit(&mut self, args: &[&[u8]]) -> Result<&'static Spec, CommandError> {
        let dialect = self.engine.dialect;
        let either = |redis, valkey| {
            CommandError::new(match dialect {
                Dialect::Redis => redis,
                Dialect::Valkey => valkey,
            })
        };
        let Some(name) = args.first() else {
            return Err(either(
                "ERR Please specify at least one argument for this redis lib call",
                "ERR Please specify at least one argument for this call",
            ));
        };
        let unknown =
            either("ERR Unknown Redis command called from script", "ERR Unknown command called from script");
        let Some(spec) = table::find(dialect, name) else { return Err(unknown) };
        let spec = match (&spec.run, args.get(1)) {
            (Runs::Container(..), Some(second)) => {
                table::find_subcommand(dialect, spec, second).ok_or_else(|| match dialect {
                    Dialect::Redis => unknown,
                    Dialect::Valkey => dispatch::unknown_subcommand(spec, second),
                })?
            }
            _ => spec,
        };
        if !spec.takes(args.len()) {
            return Err(either(
                "ERR Wrong number of args calling Redis command from script",
                "ERR Wrong number of args calling command from script",
            ));
        }
        if spec.has(Flags::NOSCRIPT) {
            return Err(either(
                "ERR This Redis command is not allowed from script",
                "ERR This Valkey command is not allowed from script",
            ));
        }
        if self.read_only && spec.has(Flags::WRITE) {
            return Err(CommandError::new("ERR Write commands are not allowed from read-only scripts."));
        }
        if self.engine.node.is_some() {
            self.check_slots(&spec.keys.of(args))?;
        }
        Ok(spec)
    }

    fn check_slots(&mut self, keys: &[&[u8]]) -> Result<(), CommandError> {
        let elsewhere =
            || CommandError::new("ERR Script attempted to access keys that do not hash to the same slot");
        dispatch::one_slot(keys).map_err(|_| {
            CommandError::new(match self.engine.dialect {
                Dialect::Redis => "ERR Script attempted to access a non local key in a cluster node",
                Dialect::Valkey => "ERR Attempted to access a non local key in a cluster node",
            })
        })?;
        if let Some(key) = keys.first().filter(|_| self.strict) {
            let slot = slot::slot(key);
            if *self.slot.get_or_insert(slot) != slot {
                return Err(elsewhere());
            }
        }
        Ok(())
    }
}

/// A word of a command: a string, or a number written out.
fn word(value: &Value, dialect: Dialect) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.as_bytes().to_vec()),
        Value::Integer(n) => Some(convert::digits(*n as f64, dialect).into_bytes()),
        Value::Number(n) => Some(convert::digits(*n, dialect).into_bytes()),
        _ => None,
    }
}
