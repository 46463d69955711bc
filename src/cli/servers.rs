//! The server that was asked for, and those of our own that stand in where a take needs more than it has.

use super::{Failure, open};
use crate::lab::{LabError, Wire, WireError};
use crate::lesson::Need;
use crate::server::embedded::{Dialect, Options};
use crate::server::{Choice, Server, ServerError};

/// All servers of one session.
pub struct Servers {
    choice: Choice,
    main: Server,
    /// Started when a take first needs them.
    cluster: Option<Server>,
    valkey: Option<Server>,
}

/// Why a take has no server.
#[derive(Debug, thiserror::Error)]
pub enum NoServer {
    #[error("this take needs {need}, and {server} is none")]
    Lacks { need: Need, server: String },
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error(transparent)]
    Wire(#[from] WireError),
}

impl Servers {
    /// Opens what was chosen.
    ///
    /// # Errors
    /// When there is none, it does not start, or it does not answer.
    pub fn open(choice: Choice) -> Result<Self, ServerError> {
        let main = Server::open(&choice)?;
        Ok(Self { choice, main, cluster: None, valkey: None })
    }

    pub fn main(&self) -> &Server {
        &self.main
    }

    /// A line for one run, to the server that was chosen or, where that lacks something, to one of ours. A server that
    /// is not ours is never replaced.
    ///
    /// # Errors
    /// When the chosen server lacks what the take needs and is not ours, or cannot be reached; one of our own that has
    /// died is started anew.
    pub fn wire(&mut self, need: Option<Need>) -> Result<(Box<dyn Wire>, &Server), NoServer> {
        let wire = match open::wire(&self.main) {
            Err(_) if self.main.is_private() => {
                self.main = Server::open(&self.choice)?;
                open::wire(&self.main)?
            }
            wire => wire?,
        };
        let Some(need) = need else { return Ok((wire, &self.main)) };
        if has(&self.main, need)? {
            return Ok((wire, &self.main));
        }
        if !self.main.is_private() {
            return Err(NoServer::Lacks { need, server: self.main.identity().to_string() });
        }
        let (place, options) = match need {
            Need::Cluster => (&mut self.cluster, Options { cluster: true, ..Options::default() }),
            Need::CompareAndDelete => {
                (&mut self.valkey, Options { dialect: Dialect::Valkey, ..Options::default() })
            }
        };
        let server = match place.take() {
            Some(server) => server,
            None => Server::start_embedded(&options)?,
        };
        let server = &*place.insert(server);
        Ok((open::wire(server)?, server))
    }

    /// A line for one take of a lesson; or the reason, in words, why this server cannot run it.
    pub(super) fn wire_or_reason(
        &mut self,
        need: Option<Need>,
    ) -> Result<Result<Box<dyn Wire>, String>, Failure> {
        match self.wire(need) {
            Ok((wire, _)) => Ok(Ok(wire)),
            Err(error @ NoServer::Lacks { .. }) => Ok(Err(error.to_string())),
            Err(NoServer::Server(error)) => Err(error.into()),
            Err(NoServer::Wire(error)) => Err(LabError::from(error).into()),
        }
    }
}

/// Asks the server itself, whatever its version says.
fn has(server: &Server, need: Need) -> Result<bool, ServerError> {
    match need {
        Need::Cluster => server.is_cluster(),
        Need::CompareAndDelete => server.knows("DELIFEQ"),
    }
}
