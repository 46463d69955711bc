//! What can go wrong.

use std::fmt;
use std::str::FromStr;

use super::bytes::Bytes;
use super::command::Command;
use super::time::Span;
use super::worker::WorkerId;

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
    /// The command under way runs and its reply is lost, or that of the next one: the worker waits out its timeout. A
    /// query has none: who waits for the lost answer to one waits for ever.
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
    /// Database queries that start within this span take so many times as long.
    DatabaseSlow(u32, Span),
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
            | Self::DatabaseFails(_)
            | Self::DatabaseSlow(..) => None,
        }
    }
}

/// As [`Harm::from_str`] reads it.
impl fmt::Display for Harm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crash(id) => write!(f, "{id} crash"),
            Self::CrashProcess(process) => write!(f, "process {} crash", process + 1),
            Self::DropConnection(id) => write!(f, "{id} drop"),
            Self::LoseReply(id) => write!(f, "{id} lose-reply"),
            Self::Pause(id, span) => write!(f, "{id} pause {}", span.written()),
            Self::RedisDown(span) => write!(f, "redis down {}", span.written()),
            Self::RedisSlow(trip, span) => write!(f, "redis slow {} for {}", trip.written(), span.written()),
            Self::Failover(keys) => {
                let words = std::iter::once("failover".into()).chain(keys.iter().cloned()).collect();
                Command::new(words).fmt(f)
            }
            Self::DatabaseFails(span) => write!(f, "database fails {}", span.written()),
            Self::DatabaseSlow(times, span) => write!(f, "database slow {times} for {}", span.written()),
        }
    }
}

/// Why a text is not a harm.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is nothing that can go wrong; expected `A crash`, `A drop`, `A lose-reply`, `A pause 4s`, `process 2 crash`, \
     `redis down 2s`, `redis slow 300ms for 2s`, `failover KEY`, `database fails 2s` or `database slow 5 for 2s`"
)]
pub struct HarmError(String);

impl FromStr for Harm {
    type Err = HarmError;

    fn from_str(text: &str) -> Result<Self, HarmError> {
        read(text).ok_or_else(|| HarmError(text.to_owned()))
    }
}

fn read(text: &str) -> Option<Harm> {
    let command = text.parse::<Command>().ok()?;
    let (subject, rest) = command.args().split_first()?;
    let rest: Vec<&str> = rest.iter().map(Bytes::as_str).collect::<Option<_>>()?;
    let span = |text: &str| text.parse::<Span>().ok();
    Some(match (subject.as_str()?, &rest[..]) {
        ("process", [number, "crash"]) => Harm::CrashProcess(number.parse::<u16>().ok()?.checked_sub(1)?),
        ("redis", ["down", lasts]) => Harm::RedisDown(span(lasts)?),
        ("redis", ["slow", trip, "for", lasts]) => Harm::RedisSlow(span(trip)?, span(lasts)?),
        ("failover", keys) => Harm::Failover(keys.iter().map(|key| Bytes::from(*key)).collect()),
        ("database", ["fails", lasts]) => Harm::DatabaseFails(span(lasts)?),
        ("database", ["slow", times, "for", lasts]) => {
            Harm::DatabaseSlow(times.parse().ok().filter(|times| *times > 0)?, span(lasts)?)
        }
        (worker, ["crash"]) => Harm::Crash(WorkerId::named(worker)?),
        (worker, ["drop"]) => Harm::DropConnection(WorkerId::named(worker)?),
        (worker, ["lose-reply"]) => Harm::LoseReply(WorkerId::named(worker)?),
        (worker, ["pause", lasts]) => Harm::Pause(WorkerId::named(worker)?, span(lasts)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harm_reads_what_it_writes() {
        for text in [
            "A crash",
            "r27 drop",
            "B lose-reply",
            "C pause 4s",
            "process 2 crash",
            "redis down 1500us",
            "redis slow 300ms for 2s",
            "failover lock:product:123",
            "failover \"a key\" b",
            "database fails 2s",
            "database slow 5 for 2s",
        ] {
            assert_eq!(text.parse::<Harm>().unwrap().to_string(), text);
        }
        for wrong in
            ["", "A", "A crashes", "a crash", "process 0 crash", "redis down", "database slow 0 for 2s"]
        {
            assert!(wrong.parse::<Harm>().is_err(), "{wrong}");
        }
    }
}
