//! What goes wrong, and when.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::bytes::Bytes;
use super::command::Command;
use super::time::{LabTime, Span};
use super::worker::WorkerId;

/// One thing that goes wrong once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub harm: Harm,
    pub when: Moment,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Harm {
    /// The worker dies on the spot and says nothing more. What it had sent before is still executed.
    Crash(WorkerId),
    /// A process dies, with every request that it is working on; a new one takes its place at once.
    CrashProcess(u16),
    /// The worker's connection breaks. The command it is sending, or the next one it sends, raises `DISCONNECTED`;
    /// after that it has a new connection.
    DropConnection(WorkerId),
    /// The command runs and its reply is lost: the worker waits out its timeout. A query has none: who waits for the
    /// lost answer to one waits for ever.
    LoseReply(WorkerId),
    /// The worker stands still for a while (a stop-the-world pause, a busy machine).
    Pause(WorkerId, Span),
    /// Redis takes no connections for this span: commands that arrive are not executed, and their senders hear that the
    /// connection broke.
    RedisDown(Span),
    /// For the second span a command takes the first one to the server and back.
    RedisSlow(Span, Span),
    /// A replica takes over that has not heard of the last changes to these keys: they are gone. All connections break.
    Failover(Vec<Bytes>),
    /// Database queries that start within this span from the moment on fail.
    DatabaseFails(Span),
}

impl Harm {
    /// The worker it befalls, if it is one worker's.
    pub fn worker(&self) -> Option<WorkerId> {
        match self {
            Self::Crash(id) | Self::DropConnection(id) | Self::LoseReply(id) | Self::Pause(id, _) => {
                Some(*id)
            }
            Self::CrashProcess(_)
            | Self::RedisDown(_)
            | Self::RedisSlow(..)
            | Self::Failover(_)
            | Self::DatabaseFails(_) => None,
        }
    }
}

/// When: at a time, or at one of the three moments of the worker's n-th command of some name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    At(LabTime),
    /// Instead of sending it.
    Before(Nth),
    /// Right after the server has executed it, before the answer arrives.
    Executed(Nth),
    /// When its answer arrives.
    After(Nth),
}

/// The name under which moments count database queries.
pub(super) const QUERY: &str = "QUERY";

/// A worker's n-th command of this name; the first is 1. Its database queries count under the name `QUERY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nth {
    pub name: String,
    pub nth: u32,
}

impl Nth {
    pub fn is(&self, command: &Command, nth: u32) -> bool {
        self.nth == nth && self.name == command.name()
    }

    /// True for a worker's n-th query.
    pub fn is_query(&self, nth: u32) -> bool {
        self.nth == nth && self.name == QUERY
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => write!(f, "at {at}"),
            Self::Before(nth) => write!(f, "before {}", nth.name),
            Self::Executed(nth) => write!(f, "after the server ran {}, before the answer", nth.name),
            Self::After(nth) => write!(f, "after {}", nth.name),
        }
    }
}

/// Why a text is not a moment.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not a moment; expected `at 3s`, `before EXPIRE`, `executed SETNX`, `after GET 2` or `after QUERY`"
)]
pub struct MomentError(String);

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        let wrong = || MomentError(text.to_owned());
        let mut words = text.split_whitespace();
        let (when, what) = words.next().zip(words.next()).ok_or_else(wrong)?;
        if when == "at" && words.clone().next().is_none() {
            let span = what.parse::<Span>().map_err(|_| wrong())?;
            return Ok(Self::At(LabTime::START + span));
        }
        let nth = words.next().map_or(Ok(1), str::parse).map_err(|_| wrong())?;
        let known = what.eq_ignore_ascii_case(QUERY) || Command::of([what]).is_known();
        if nth == 0 || words.next().is_some() || !known {
            return Err(wrong());
        }
        let nth = Nth { name: what.to_ascii_uppercase(), nth };
        match when {
            "before" => Ok(Self::Before(nth)),
            "executed" => Ok(Self::Executed(nth)),
            "after" => Ok(Self::After(nth)),
            _ => Err(wrong()),
        }
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_read_as_lessons_write_them() {
        let nth = |name: &str, nth| Nth { name: name.to_owned(), nth };
        assert_eq!("after SETNX".parse::<Moment>().unwrap(), Moment::After(nth("SETNX", 1)));
        assert_eq!("before expire 2".parse::<Moment>().unwrap(), Moment::Before(nth("EXPIRE", 2)));
        assert_eq!("at 3s".parse::<Moment>().unwrap(), Moment::At(LabTime::from_micros(3_000_000)));
        for wrong in [
            "",
            "after",
            "whenever GET",
            "at noon",
            "after GET twice",
            "after GTE",
            "after GET 0",
            "at 3s sharp",
        ] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }
}
