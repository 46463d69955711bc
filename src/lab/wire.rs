//! The line to Redis: one batch out, its replies back, in one round trip.

use std::time::Duration;

use super::command::Command;
use super::reply::Reply;

/// How long a real call to the server may take before the lab gives up on it. A private server answers within a
/// tenth of a millisecond; half a second of silence means that it is gone or stopped.
pub const PATIENCE: Duration = Duration::from_millis(500);

/// A connection that the lab can send batches through.
///
/// The lab is handed one and never asks where it comes from.
pub trait Wire {
    /// Sends all commands at once and returns exactly one reply for each, errors of the server among them.
    ///
    /// # Errors
    /// When the server cannot be reached or does not answer within [`PATIENCE`]. The batch may have been executed
    /// in whole, in part or not at all, and the wire is not to be used again.
    fn exchange(&mut self, batch: &[Command]) -> Result<Vec<Reply>, WireError>;
}

/// The server is gone, or silent.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the Redis server no longer answers: {0}")]
pub struct WireError(String);

impl WireError {
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// A [`Wire`] over the `redis` crate's plain connection.
pub struct RedisWire {
    connection: redis::Connection,
    packed: Vec<u8>,
}

impl RedisWire {
    /// Takes a connection over and sets its timeouts.
    ///
    /// # Errors
    /// When the socket refuses the timeouts.
    pub fn new(connection: redis::Connection) -> Result<Self, WireError> {
        connection
            .set_read_timeout(Some(PATIENCE))
            .and_then(|()| connection.set_write_timeout(Some(PATIENCE)))
            .map_err(|error| WireError::new(error.to_string()))?;
        Ok(Self { connection, packed: Vec::new() })
    }
}

impl Wire for RedisWire {
    fn exchange(&mut self, batch: &[Command]) -> Result<Vec<Reply>, WireError> {
        // The client refuses to send nothing.
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        self.packed.clear();
        for command in batch {
            let mut cmd = redis::Cmd::with_capacity(command.args().len(), 0);
            for arg in command.args() {
                cmd.arg(arg.as_slice());
            }
            self.packed.extend_from_slice(&cmd.get_packed_command());
        }
        let lost = |error: redis::RedisError| {
            WireError::new(if error.is_timeout() {
                "no answer within 500 ms".to_owned()
            } else {
                error.to_string()
            })
        };
        self.connection.send_packed_command(&self.packed).map_err(lost)?;
        batch.iter().map(|_| self.connection.recv_response().map(Reply::from).map_err(lost)).collect()
    }
}
