//! A connection to Redis that leads through the lab.

use std::sync::Arc;

use futures::FutureExt;
use redis::aio::ConnectionLike;
use redis::{Arg, Cmd, ErrorKind, Pipeline, RedisError, RedisFuture, RedisResult, Value};

use crate::lab::command::Command;
use crate::lab::desk::{Answer, Ask, Desk};
use crate::lab::repertoire::Repertoire;
use crate::lab::reply::Reply;

/// A connection on which each command is an event of the lab. Clones are the same connection.
///
/// It sends what workers may send, and no pipelines.
#[derive(Clone)]
pub struct LabConnection {
    desk: Desk,
    repertoire: Arc<Repertoire>,
}

impl LabConnection {
    pub(super) fn new(desk: Desk, repertoire: Arc<Repertoire>) -> Self {
        Self { desk, repertoire }
    }
}

impl ConnectionLike for LabConnection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        let words = cmd.args_iter().map(|arg| match arg {
            Arg::Simple(bytes) => bytes.to_vec().into(),
            // A cursor is for iterators over SCAN, which no worker may send.
            _ => "0".into(),
        });
        let command = Command::new(words.collect());
        async move {
            let refused = |why: String| RedisError::from((ErrorKind::InvalidClientConfig, "refused", why));
            self.repertoire.check(&command).map_err(|refusal| refused(refusal.to_string()))?;
            match self.desk.ask(Ask::Command(command), None).await {
                Answer::Reply(reply) => value_of(reply),
                Answer::TimedOut => Err(lost(std::io::ErrorKind::TimedOut)),
                _ => Err(lost(std::io::ErrorKind::ConnectionReset)),
            }
        }
        .boxed()
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        _: &'a Pipeline,
        _: usize,
        _: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        let refused = RedisError::from((ErrorKind::InvalidClientConfig, "the lab takes commands one by one"));
        std::future::ready(Err(refused)).boxed()
    }

    fn get_db(&self) -> i64 {
        0
    }
}

fn lost(kind: std::io::ErrorKind) -> RedisError {
    std::io::Error::from(kind).into()
}

fn value_of(reply: Reply) -> RedisResult<Value> {
    Ok(match reply {
        Reply::Nil => Value::Nil,
        Reply::Status(text) if text == "OK" => Value::Okay,
        Reply::Status(text) => Value::SimpleString(text),
        Reply::Integer(n) => Value::Int(n),
        Reply::Bulk(bytes) => Value::BulkString(bytes.as_slice().to_vec()),
        Reply::Array(items) => Value::Array(items.into_iter().map(value_of).collect::<RedisResult<_>>()?),
        // As the client reads it from a socket.
        Reply::Error { code, text } => redis::parse_redis_value(format!("-{code} {text}\r\n").as_bytes())?,
    })
}
