//! A client in the same process: no socket, no bytes, the same commands.

use std::sync::Arc;
use std::time::Duration;

use super::codec::Reply;
use super::dispatch;
use super::engine::Engine;
use super::lua::Sandbox;
use super::options::Options;
use super::session::Session;
use super::shared::Shared;

/// How long it waits for its turn.
const PATIENCE: Duration = Duration::from_millis(500);

/// It was not this client's turn within half a second (somebody's script runs on and on), or the server has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTurn {
    #[error("a script of somebody's keeps the embedded server busy; SCRIPT KILL from redis-cli ends it")]
    Busy,
    #[error("somebody has shut the embedded server down")]
    Ended,
}

/// A client that calls the embedded server as a function.
pub struct Line {
    shared: Arc<Shared>,
    session: Session,
    sandbox: Option<Sandbox>,
}

impl Line {
    /// A server with no socket, and its only client.
    pub fn alone(options: &Options) -> Self {
        Self::to(&Arc::new(Shared::new(Engine::new(options, String::new()))))
    }

    pub(super) fn to(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            session: Session::enter(shared, "in-process".to_owned()),
            sandbox: None,
        }
    }

    /// Runs a batch of commands, each a name and its arguments, and gives a reply for each. Nobody else's command comes
    /// between them.
    ///
    /// # Errors
    /// When it is not our turn within half a second, or the server has been shut down; then nothing was run.
    pub fn exchange<'a, C>(&mut self, batch: impl IntoIterator<Item = C>) -> Result<Vec<Reply>, NoTurn>
    where
        C: AsRef<[&'a [u8]]>,
    {
        if self.shared.is_stopped() {
            return Err(NoTurn::Ended);
        }
        let mut engine = self.shared.engine_within(PATIENCE).ok_or(NoTurn::Busy)?;
        let run = |command: C| {
            dispatch::run(&self.shared, &mut engine, &mut self.sandbox, &mut self.session, command.as_ref())
        };
        Ok(batch.into_iter().map(run).collect())
    }

    /// Runs one command.
    ///
    /// # Errors
    /// As for [`exchange`](Self::exchange).
    pub fn call(&mut self, command: &[&[u8]]) -> Result<Reply, NoTurn> {
        let replies = self.exchange([command])?;
        Ok(replies.into_iter().next().unwrap_or(Reply::Null))
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.session.leave(&self.shared);
    }
}
