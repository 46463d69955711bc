//! One connection to Redis, and what can go wrong on it.

use std::sync::Arc;
use std::time::Duration;

use redis::aio::ConnectionLike;
use redis::{Cmd, RedisError, Value};

use super::breaker::Breaker;
use crate::clock::Runtime;
use crate::guard::metrics::Metrics;

/// Why Redis gave no answer that could be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Trouble {
    /// Nothing was sent: the last commands failed, and the circuit breaker is open.
    #[error("Redis has not answered lately and is left alone for a moment")]
    Open,
    /// No answer within the guard's own limit. The command may have run.
    #[error("Redis did not answer within {0:?}")]
    TimedOut(Duration),
    /// The connection failed, or the server cannot serve now. The command may have run.
    #[error("the connection to Redis failed: {0}")]
    Broken(Arc<RedisError>),
    /// The server is well and answered with an error.
    #[error("Redis refused: {0}")]
    Refused(Arc<RedisError>),
}

impl Trouble {
    /// True when the command may have run all the same.
    pub(in crate::guard) fn is_uncertain(&self) -> bool {
        matches!(self, Self::TimedOut(_) | Self::Broken(_))
    }

    /// The code of the server's error.
    pub(in crate::guard) fn code(&self) -> Option<&str> {
        match self {
            Self::Broken(error) | Self::Refused(error) => error.code(),
            Self::Open | Self::TimedOut(_) => None,
        }
    }
}

/// A connection that a guard can use: any of the `redis` crate's asynchronous ones, or one of your own.
pub trait Connection: ConnectionLike + Clone + Send + Sync + 'static {}

impl<T: ConnectionLike + Clone + Send + Sync + 'static> Connection for T {}

/// A connection with the guard's own deadline for every command, behind a breaker.
///
/// Dropping a question gives up the answer; the command may still run.
pub(in crate::guard) struct Link<C, R> {
    connection: C,
    runtime: R,
    limit: Duration,
    breaker: Breaker,
    metrics: Arc<Metrics>,
}

impl<C: Connection, R: Runtime> Link<C, R> {
    pub(in crate::guard) fn new(
        connection: C,
        runtime: R,
        limit: Duration,
        breaker: Breaker,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self { connection, runtime, limit, breaker, metrics }
    }

    /// True while commands are not even sent.
    pub(in crate::guard) fn is_open(&self) -> bool {
        self.breaker.is_open()
    }

    /// The same for a command that may run twice: when nobody knows whether it has run, it is sent once more. One broken
    /// connection does not make Redis gone.
    pub(in crate::guard) async fn ask_twice(&self, command: &Cmd) -> Result<Value, Trouble> {
        match self.ask(command).await {
            Err(trouble) if trouble.is_uncertain() => self.ask(command).await,
            answer => answer,
        }
    }

    /// Sends a command and waits for its reply, at most for the limit.
    pub(in crate::guard) async fn ask(&self, command: &Cmd) -> Result<Value, Trouble> {
        let pass = self.breaker.pass(|| self.runtime.now()).ok_or(Trouble::Open)?;
        let mut connection = self.connection.clone();
        let answer = self.runtime.within(self.limit, connection.req_packed_command(command)).await;
        let trouble = match answer.map(|reply| reply.and_then(Value::extract_error)) {
            Ok(Ok(value)) => {
                pass.succeeded();
                return Ok(value);
            }
            Ok(Err(error)) if is_refusal(&error) => {
                pass.succeeded();
                return Err(Trouble::Refused(Arc::new(error)));
            }
            Ok(Err(error)) => Trouble::Broken(Arc::new(error)),
            Err(_) => Trouble::TimedOut(self.limit),
        };
        self.metrics.redis_failures.add(1);
        if pass.failed(self.runtime.now()) {
            self.metrics.breaker_openings.add(1);
            tracing::warn!(%trouble, "Redis is left alone for a moment");
        }
        Err(trouble)
    }
}

/// True when the server answered and is able to serve: what is wrong is the command.
fn is_refusal(error: &RedisError) -> bool {
    const UNABLE: &[&str] = &[
        "LOADING",
        "BUSY",
        "MASTERDOWN",
        "CLUSTERDOWN",
        "TRYAGAIN",
        "READONLY",
        "OOM",
        "MISCONF",
        "NOREPLICAS",
    ];
    error.code().is_some_and(|code| !UNABLE.contains(&code))
}
