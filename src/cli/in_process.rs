//! The lab's wire to the embedded server: a function call instead of a socket.
//!
//! It lives here because the lab knows no server, and the server no lab.

use crate::lab::{Bytes, Command, Reply, Wire, WireError};
use crate::server::embedded::{self, Line};

/// A [`Wire`] that ends in this process.
pub(super) struct InProcess(pub(super) Line);

impl Wire for InProcess {
    fn exchange(&mut self, batch: &[Command]) -> Result<Vec<Reply>, WireError> {
        let batch =
            batch.iter().map(|command| command.args().iter().map(Bytes::as_slice).collect::<Vec<_>>());
        let replies = self.0.exchange(batch).map_err(|error| WireError::new(error.to_string()))?;
        Ok(replies.into_iter().map(reply).collect())
    }
}

/// A reply as it would have come over a connection with the older protocol, which is the one the lab speaks.
fn reply(reply: embedded::Reply) -> Reply {
    use embedded::Reply as From;
    match reply {
        From::Null | From::NullArray => Reply::Nil,
        From::Status(text) => Reply::Status(text.to_owned()),
        From::OwnStatus(text) => Reply::Status(String::from_utf8_lossy(&text).into_owned()),
        From::Integer(n) => Reply::Integer(n),
        From::Boolean(truth) => Reply::Integer(i64::from(truth)),
        From::Bulk(bytes) | From::BigNumber(bytes) => Reply::Bulk(bytes.into()),
        From::Verbatim(text) => Reply::Bulk(text.into()),
        From::Double(digits) => Reply::Bulk(digits.into()),
        From::Array(items) | From::Set(items) => Reply::Array(items.into_iter().map(self::reply).collect()),
        From::Map(pairs) => {
            Reply::Array(pairs.into_iter().flat_map(|(key, value)| [key, value]).map(self::reply).collect())
        }
        From::Error(error) => {
            let error = String::from_utf8_lossy(&error);
            let (code, text) = error.split_once(' ').unwrap_or((&error, ""));
            Reply::Error { code: code.to_owned(), text: text.to_owned() }
        }
    }
}
