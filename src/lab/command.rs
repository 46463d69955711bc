//! A Redis command as a worker sends it, and what the lab must know of it before it goes on the wire.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use super::line::{LineError, words};

/// A command and its arguments, exactly as they go on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Command(Vec<Bytes>);

/// Where a command keeps its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    None,
    First,
    All,
    /// As in `EVAL script numkeys key …`.
    Counted,
}

/// What a command may do to its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touch {
    Read,
    /// Reads a countdown, or compares with one: it must find the exact number.
    ReadClock,
    Write,
    WriteByClock,
}

/// The commands a worker may send. A closed list, so that no lesson can reach a key it did not declare or change
/// the connection under the lab.
const KNOWN: &[(&str, Keys, Touch)] = &[
    ("APPEND", Keys::First, Touch::Write),
    ("CLUSTER", Keys::None, Touch::Read),
    ("DECR", Keys::First, Touch::Write),
    ("DECRBY", Keys::First, Touch::Write),
    ("DEL", Keys::All, Touch::Write),
    ("DELEX", Keys::First, Touch::Write),
    ("DELIFEQ", Keys::First, Touch::Write),
    ("ECHO", Keys::None, Touch::Read),
    ("EVAL", Keys::Counted, Touch::WriteByClock),
    ("EVALSHA", Keys::Counted, Touch::WriteByClock),
    ("EVAL_RO", Keys::Counted, Touch::ReadClock),
    ("EXISTS", Keys::All, Touch::Read),
    ("EXPIRE", Keys::First, Touch::WriteByClock),
    ("GET", Keys::First, Touch::Read),
    ("GETDEL", Keys::First, Touch::Write),
    ("GETEX", Keys::First, Touch::Write),
    ("GETRANGE", Keys::First, Touch::Read),
    ("GETSET", Keys::First, Touch::Write),
    ("INCR", Keys::First, Touch::Write),
    ("INCRBY", Keys::First, Touch::Write),
    ("MGET", Keys::All, Touch::Read),
    ("PERSIST", Keys::First, Touch::Write),
    ("PEXPIRE", Keys::First, Touch::WriteByClock),
    ("PING", Keys::None, Touch::Read),
    ("PSETEX", Keys::First, Touch::Write),
    ("PTTL", Keys::First, Touch::Read),
    ("SET", Keys::First, Touch::Write),
    ("SETEX", Keys::First, Touch::Write),
    ("SETNX", Keys::First, Touch::Write),
    ("STRLEN", Keys::First, Touch::Read),
    ("TIME", Keys::None, Touch::Read),
    ("TOUCH", Keys::All, Touch::Read),
    ("TTL", Keys::First, Touch::Read),
    ("TYPE", Keys::First, Touch::Read),
    ("UNLINK", Keys::All, Touch::Write),
];

/// Why a command does not leave the worker.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("`send` needs a command name first, like send(\"GET\", key)")]
    Empty,
    #[error("`{0}` is not a command that workers may send{1}")]
    Unknown(String, String),
    #[error("`{command}` names the key `{key}`, which is not one of this lesson's keys: {declared}")]
    ForeignKey { command: String, key: String, declared: String },
    #[error("`{0}` is missing its key")]
    NoKey(String),
    #[error("`{0}` runs only the scripts that programs know by name, like `release`")]
    ForeignScript(String),
    #[error("`CLUSTER` tells workers only `KEYSLOT` and `INFO`, and this is `{0}`")]
    OfTheCluster(String),
    #[error("`{0}` names a time of the wall, and there is none here; use EX or PX")]
    WallTime(String),
}

impl Command {
    pub fn new(args: Vec<Bytes>) -> Self {
        Self(args)
    }

    /// A command from plain words, for the lab's own bookkeeping and for tests.
    pub fn of<const N: usize>(words: [&str; N]) -> Self {
        Self(words.into_iter().map(Bytes::from).collect())
    }

    pub fn args(&self) -> &[Bytes] {
        &self.0
    }

    /// The command's name in capitals.
    pub fn name(&self) -> String {
        self.0.first().map(|name| name.to_string().to_ascii_uppercase()).unwrap_or_default()
    }

    fn known(&self) -> Option<&'static (&'static str, Keys, Touch)> {
        let name = self.0.first()?;
        KNOWN.iter().find(|(known, ..)| name.eq_ignore_case(known))
    }

    /// True when workers may send a command of this name.
    pub fn is_known(&self) -> bool {
        self.known().is_some()
    }

    /// The keys it names. A command that is not known, or has too few arguments, names none.
    pub fn keys(&self) -> &[Bytes] {
        let Some((_, keys, _)) = self.known() else { return &[] };
        let found = match keys {
            Keys::None => None,
            Keys::First => self.0.get(1..2),
            Keys::All => self.0.get(1..),
            Keys::Counted => {
                let count = self.0.get(2).and_then(Bytes::as_integer).and_then(|n| usize::try_from(n).ok());
                count.and_then(|count| self.0.get(3..3_usize.checked_add(count)?))
            }
        };
        found.unwrap_or_default()
    }

    /// True when it cannot change any key.
    pub fn only_reads(&self) -> bool {
        self.known().is_some_and(|(_, _, touch)| matches!(touch, Touch::Read | Touch::ReadClock))
    }

    /// True when its reply or its effect may depend on the exact remaining life of a key.
    pub fn reads_the_clock(&self) -> bool {
        match self.known().map(|(_, _, touch)| touch) {
            Some(Touch::ReadClock) => true,
            // A script that never mentions a TTL cannot see one.
            Some(Touch::WriteByClock) if self.name().starts_with("EVAL") => {
                self.0.get(1).is_some_and(|script| script.to_string().to_ascii_lowercase().contains("ttl"))
            }
            Some(Touch::WriteByClock) => {
                self.0.iter().any(|arg| arg.eq_ignore_case("GT") || arg.eq_ignore_case("LT"))
            }
            _ => false,
        }
    }

    /// The lives, in milliseconds, that its arguments may give a key: each number as it stands, and as seconds.
    pub fn lives_named(&self) -> impl Iterator<Item = u64> + '_ {
        self.0
            .iter()
            .skip(1)
            .filter_map(|arg| u64::try_from(arg.as_integer()?).ok())
            .flat_map(|n| [n, n.saturating_mul(1000)])
    }

    /// Checks that a worker may send it, touching only `declared` keys. Of scripts only the known ones may run: any
    /// other could reach every key of the server, and read its clock.
    ///
    /// # Errors
    /// A [`Refusal`] that says which word is wrong and what was expected.
    pub fn check(&self, declared: &[Bytes], scripts: &[Bytes]) -> Result<(), Refusal> {
        let name = self.0.first().ok_or(Refusal::Empty)?;
        let Some((_, keys, _)) = self.known() else {
            return Err(Refusal::Unknown(name.to_string(), why_unknown(&self.name())));
        };
        if *keys != Keys::None && self.keys().is_empty() && *keys != Keys::Counted {
            return Err(Refusal::NoKey(self.name()));
        }
        if *keys == Keys::Counted && self.0.get(1).is_none_or(|script| !scripts.contains(script)) {
            return Err(Refusal::ForeignScript(self.name()));
        }
        if self.name() == "CLUSTER" {
            let asked = self.0.get(1).map(Bytes::to_string).unwrap_or_default();
            if !["KEYSLOT", "INFO"].iter().any(|known| asked.eq_ignore_ascii_case(known)) {
                return Err(Refusal::OfTheCluster(asked));
            }
        }
        if let Some(word) =
            self.0.iter().find(|word| word.eq_ignore_case("EXAT") || word.eq_ignore_case("PXAT"))
        {
            return Err(Refusal::WallTime(word.to_string()));
        }
        match self.keys().iter().find(|key| !declared.contains(key)) {
            None => Ok(()),
            Some(key) => Err(Refusal::ForeignKey {
                command: self.name(),
                key: key.to_string(),
                declared: declared.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", "),
            }),
        }
    }
}

/// The reason in words: commands that would change the connection, or a slip of the pen.
fn why_unknown(name: &str) -> String {
    const OF_THE_CONNECTION: &[&str] = &[
        "AUTH",
        "BLPOP",
        "BRPOP",
        "CLIENT",
        "DISCARD",
        "EXEC",
        "HELLO",
        "MONITOR",
        "MULTI",
        "PSUBSCRIBE",
        "QUIT",
        "RESET",
        "SELECT",
        "SUBSCRIBE",
        "UNWATCH",
        "WAIT",
        "WATCH",
    ];
    if OF_THE_CONNECTION.contains(&name) {
        return ": it would change or block the connection itself".to_owned();
    }
    KNOWN
        .iter()
        .map(|(known, ..)| (strsim::damerau_levenshtein(known, name), known))
        .filter(|(distance, _)| *distance <= 2)
        .min()
        .map_or_else(String::new, |(_, known)| format!("; did you mean `{known}`?"))
}

/// As one would type it into `redis-cli`, quoting what needs it.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, arg) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            let text = arg.to_string();
            if text.is_empty() || text.contains([' ', '"', '\'', '\\']) {
                write!(f, "\"{}\"", text.replace('"', "\\\""))?;
            } else {
                f.write_str(&text)?;
            }
        }
        Ok(())
    }
}

/// From a line as one types it.
impl FromStr for Command {
    type Err = LineError;

    fn from_str(line: &str) -> Result<Self, LineError> {
        words(line).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_what_it_writes() {
        for words in [["SET", "k", ""], ["SET", "a b", "it's \"so\""], ["SET", "k\\", "\n\u{0}ü"]] {
            let command = Command::of(words);
            assert_eq!(command.to_string().parse::<Command>().unwrap(), command);
        }
    }

    #[test]
    fn keys_are_found_where_each_command_keeps_them() {
        let keys = |command: Command| command.keys().iter().map(Bytes::to_string).collect::<Vec<_>>();
        assert_eq!(keys(Command::of(["set", "k", "v", "NX"])), ["k"]);
        assert_eq!(keys(Command::of(["DEL", "a", "b"])), ["a", "b"]);
        assert_eq!(keys(Command::of(["EVAL", "return 1", "1", "k", "arg"])), ["k"]);
        assert!(keys(Command::of(["EVAL", "return 1", "9", "k"])).is_empty());
        assert!(keys(Command::of(["PING"])).is_empty());
    }

    #[test]
    fn workers_reach_only_the_keys_of_their_lesson() {
        let declared = [Bytes::from("k")];
        assert!(Command::of(["GET", "k"]).check(&declared, &[]).is_ok());
        let refused = |command: Command| command.check(&declared, &[]).unwrap_err().to_string();
        assert!(refused(Command::of(["GET", "other"])).contains("`other`"));
        assert!(refused(Command::of(["MULTI"])).contains("connection"));
        assert!(refused(Command::of(["GTE", "k"])).contains("did you mean `GET`"));
        assert!(refused(Command::of(["GET"])).contains("missing its key"));
        assert!(
            refused(Command::of(["EVAL", "return redis.call('flushall')", "0"])).contains("only the scripts")
        );
        assert!(refused(Command::of(["SET", "k", "v", "EXAT", "4102444800"])).contains("time of the wall"));
    }

    #[test]
    fn only_what_can_see_a_countdown_is_said_to_read_it() {
        assert!(!Command::of(["PTTL", "k"]).reads_the_clock(), "it is answered from lab time");
        assert!(Command::of(["EVAL", "return redis.call('pttl', KEYS[1])", "1", "k"]).reads_the_clock());
        assert!(!Command::of(["EVAL", "return redis.call('get', KEYS[1])", "1", "k"]).reads_the_clock());
        assert!(!Command::of(["GET", "k"]).reads_the_clock());
        assert!(Command::of(["PEXPIRE", "k", "10", "GT"]).reads_the_clock());
    }
}
