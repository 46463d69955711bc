//! What a server answers.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::bytes::Bytes;

/// A server's reply.
///
/// The journal keeps an error's code and not its text: texts differ from one server to the next, codes do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    Nil,
    Status(String),
    Integer(i64),
    Bulk(Bytes),
    Array(Vec<Self>),
    Error {
        code: String,
        #[serde(skip)]
        text: String,
    },
}

impl Reply {
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Status(status) if status == "OK")
    }

    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(n) => Some(*n),
            _ => None,
        }
    }
}

impl From<redis::Value> for Reply {
    fn from(value: redis::Value) -> Self {
        use redis::Value;
        match value {
            Value::Nil => Self::Nil,
            Value::Int(n) => Self::Integer(n),
            Value::BulkString(bytes) => Self::Bulk(bytes.into()),
            Value::SimpleString(text) => Self::Status(text),
            Value::Okay => Self::Status("OK".to_owned()),
            Value::Array(items) | Value::Set(items) => {
                Self::Array(items.into_iter().map(Self::from).collect())
            }
            Value::ServerError(error) => Self::Error {
                code: error.code().to_owned(),
                text: error.details().unwrap_or_default().to_owned(),
            },
            other => Self::Bulk(format!("{other:?}").into()),
        }
    }
}

/// The way `redis-cli` would show it, on one line.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => f.write_str("(nil)"),
            Self::Status(status) => f.write_str(status),
            Self::Integer(n) => write!(f, "{n}"),
            Self::Bulk(bytes) => write!(f, "{bytes}"),
            Self::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Self::Error { code, text } => write!(f, "({code}) {text}"),
        }
    }
}
