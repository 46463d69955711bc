//! A command under way: its words, and all it may touch.

use super::codec::Reply;
use super::data::Database;
use super::data::number::integer_argument;
use super::engine::Engine;
use super::error::CommandError;
use super::lua::Sandbox;
use super::session::Session;
use super::shared::Shared;
use super::spec::Spec;

/// What a command is run with.
pub(super) struct Call<'a> {
    pub(super) spec: &'static Spec,
    /// The words, the name first.
    pub(super) args: &'a [&'a [u8]],
    pub(super) session: &'a mut Session,
    pub(super) engine: &'a mut Engine,
    pub(super) shared: &'a Shared,
    /// The Lua state of the thread that runs it, made when the first script comes.
    pub(super) sandbox: &'a mut Option<Sandbox>,
}

impl<'a> Call<'a> {
    /// The selected database.
    pub(super) fn db(&mut self) -> &mut Database {
        &mut self.engine.databases[self.session.db]
    }

    /// The word at this place; the arity has made sure that it is there.
    pub(super) fn arg(&self, index: usize) -> &'a [u8] {
        self.args.get(index).copied().unwrap_or_default()
    }

    /// The words from this place on.
    pub(super) fn rest(&self, from: usize) -> &'a [&'a [u8]] {
        self.args.get(from..).unwrap_or_default()
    }

    /// The words from this place on, two and two; an odd one is one too few.
    pub(super) fn pairs(&self, from: usize) -> Result<&'a [[&'a [u8]; 2]], CommandError> {
        match self.rest(from).as_chunks::<2>() {
            (pairs, []) => Ok(pairs),
            _ => Err(self.wrong_arity()),
        }
    }

    /// The number of a database that there is.
    pub(super) fn database_number(&self, word: &[u8]) -> Result<usize, CommandError> {
        let number = integer_argument(word)?;
        if i32::try_from(number).is_err() {
            return Err(CommandError::new(
                "ERR value is out of range, value must between -2147483648 and 2147483647",
            ));
        }
        usize::try_from(number)
            .ok()
            .filter(|number| *number < self.engine.databases.len())
            .ok_or(CommandError::DB_OUT_OF_RANGE)
    }

    pub(super) fn now(&self) -> u64 {
        self.engine.now()
    }

    /// Complains of the number of words.
    pub(super) fn wrong_arity(&self) -> CommandError {
        CommandError::wrong_arity(self.spec.name)
    }

    /// A string, or nothing.
    pub(super) fn text(&mut self, key: &[u8]) -> Result<Reply, CommandError> {
        Ok(self.db().text(key)?.map_or(Reply::Null, Reply::bulk))
    }
}
