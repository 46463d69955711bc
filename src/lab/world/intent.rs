//! What a command is for.

use crate::lab::bytes::Bytes;
use crate::lab::command::Command;
use crate::lab::guarded;
use crate::lab::setup::Keys;

/// What a command means in terms of the lesson's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    ReadValue,
    WriteValue,
    DropValue,
    Acquire,
    Release,
    /// Gives the lock a new life: `EXPIRE` after `SETNX`, or a renewal.
    Extend,
    ReadLock,
    Other,
}

impl Intent {
    pub fn of(command: &Command, keys: &Keys) -> Self {
        let named = command.keys();
        if keys.lock.as_ref().is_some_and(|lock| named.contains(lock)) {
            Self::toward_lock(command)
        } else if named.iter().any(|key| keys.is_value(key)) {
            Self::toward_value(command)
        } else {
            Self::Other
        }
    }

    fn toward_lock(command: &Command) -> Self {
        match command.name().as_str() {
            "SET" | "SETNX" | "SETEX" | "PSETEX" | "GETSET" => Self::Acquire,
            "DEL" | "UNLINK" | "GETDEL" | "DELIFEQ" | "DELEX" => Self::Release,
            "EXPIRE" | "PEXPIRE" | "PERSIST" | "GETEX" => Self::Extend,
            "EVAL" | "EVALSHA" => Self::of_script(command.args().get(1)),
            _ => Self::ReadLock,
        }
    }

    /// A script over the lock is told by what it calls.
    fn of_script(script: Option<&Bytes>) -> Self {
        let text = script.map(|script| text_of(script).to_ascii_lowercase()).unwrap_or_default();
        if text.contains("expire\"") || text.contains("expire'") {
            Self::Extend
        } else if text.contains("\"del\"") || text.contains("'del'") {
            Self::Release
        } else {
            Self::Other
        }
    }

    fn toward_value(command: &Command) -> Self {
        match command.name().as_str() {
            "GET" | "GETEX" | "MGET" | "EXISTS" => Self::ReadValue,
            "DEL" | "UNLINK" | "GETDEL" => Self::DropValue,
            _ if command.only_reads() => Self::Other,
            _ => Self::WriteValue,
        }
    }
}

/// A script's text, also where it was named by its digest.
fn text_of(script: &Bytes) -> String {
    let text = script.to_string();
    guarded::script_of(&text).map(|(_, text)| text.to_owned()).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_by_what_they_do_to_which_key() {
        let keys = Keys::new("v", Some("l".into()));
        let of = |command| Intent::of(&command, &keys);
        assert_eq!(of(Command::of(["GET", "v"])), Intent::ReadValue);
        assert_eq!(of(Command::of(["SET", "l", "t", "NX", "PX", "5"])), Intent::Acquire);
        assert_eq!(of(Command::of(["DEL", "l"])), Intent::Release);
        assert_eq!(of(Command::of(["EVAL", "redis.call(\"del\", KEYS[1])", "1", "l", "t"])), Intent::Release);
        assert_eq!(
            of(Command::of(["EVAL", "redis.call('pexpire', KEYS[1], 5)", "1", "l", "t"])),
            Intent::Extend
        );
        assert_eq!(of(Command::of(["TTL", "l"])), Intent::ReadLock);
        assert_eq!(of(Command::of(["PING"])), Intent::Other);
    }
}
