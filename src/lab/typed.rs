//! What a learner may type at the prompt.

use super::bytes::Bytes;
use super::command::Command;

/// Why a command of the learner's is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTyped {
    #[error("{0} would take this server away, and the run with it")]
    EndsServer(String),
    #[error("{0} would change or block the connection that the lab uses; a redis-cli of your own may do it")]
    OfConnection(String),
    #[error("this server is somebody's: only the lesson's keys may be touched, and `{0}` is none of them")]
    ForeignKey(String),
    #[error("this server is somebody's: {0} may reach more than the lesson's keys")]
    ReachesAll(String),
}

/// Commands that end a server, stop it, or make it another's.
const ENDS: &[&str] = &[
    "DEBUG",
    "FAILOVER",
    "MIGRATE",
    "MODULE",
    "PSYNC",
    "REPLCONF",
    "REPLICAOF",
    "SHUTDOWN",
    "SLAVEOF",
    "SYNC",
];

/// Commands that change a connection or wait on it.
const OF_CONNECTION: &[&str] = &[
    "AUTH",
    "BLMOVE",
    "BLMPOP",
    "BLPOP",
    "BRPOP",
    "BRPOPLPUSH",
    "BZMPOP",
    "BZPOPMAX",
    "BZPOPMIN",
    "CLIENT",
    "DISCARD",
    "EXEC",
    "HELLO",
    "MONITOR",
    "MULTI",
    "PSUBSCRIBE",
    "QUIT",
    "READONLY",
    "READWRITE",
    "RESET",
    "SELECT",
    "SSUBSCRIBE",
    "SUBSCRIBE",
    "UNWATCH",
    "WAIT",
    "WAITAOF",
    "WATCH",
    "XREAD",
    "XREADGROUP",
];

/// Commands that only tell of a server as a whole.
const TELLS: &[&str] = &["COMMAND", "DBSIZE", "ECHO", "INFO", "LOLWUT", "PING", "TIME"];

impl Command {
    /// Checks that a learner may send it: on a private server all but what would end it, on somebody's only what touches
    /// the lesson's keys, and what reads.
    ///
    /// # Errors
    /// The reason why not.
    pub fn check_typed(&self, keys: &[Bytes], private: bool) -> Result<(), NotTyped> {
        let name = self.name();
        if ENDS.contains(&name.as_str()) {
            return Err(NotTyped::EndsServer(name));
        }
        if OF_CONNECTION.contains(&name.as_str()) {
            return Err(NotTyped::OfConnection(name));
        }
        if private || TELLS.contains(&name.as_str()) || (self.is_known() && self.only_reads()) {
            return Ok(());
        }
        if !self.is_known() || name.starts_with("EVAL") {
            return Err(NotTyped::ReachesAll(name));
        }
        match self.keys().iter().find(|key| !keys.contains(key)) {
            Some(key) => Err(NotTyped::ForeignKey(key.to_string())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_of_ours_takes_all_but_what_would_end_it() {
        let check = |line: &str| line.parse::<Command>().unwrap().check_typed(&[], true);
        for allowed in ["FLUSHALL", "SET other 1", "HSET h f v", "EVAL 'return 1' 0", "CONFIG GET *"] {
            assert_eq!(check(allowed), Ok(()), "{allowed}");
        }
        assert_eq!(check("shutdown nosave"), Err(NotTyped::EndsServer("SHUTDOWN".to_owned())));
        assert_eq!(check("MULTI"), Err(NotTyped::OfConnection("MULTI".to_owned())));
    }

    #[test]
    fn a_server_of_somebodys_takes_the_lessons_keys_and_what_reads() {
        let keys = [Bytes::from("lock")];
        let check = |line: &str| line.parse::<Command>().unwrap().check_typed(&keys, false);
        for allowed in ["DEL lock", "SET lock a NX PX 5000", "GET other", "TTL lock", "INFO server"] {
            assert_eq!(check(allowed), Ok(()), "{allowed}");
        }
        assert_eq!(check("DEL lock other"), Err(NotTyped::ForeignKey("other".to_owned())));
        for refused in ["FLUSHALL", "EVAL 'return 1' 0", "RENAME lock x", "KEYS *"] {
            assert!(matches!(check(refused), Err(NotTyped::ReachesAll(_))), "{refused}");
        }
    }
}
