//! What is known of a command: what it is called, how many words it takes, where its keys are, and what runs.

use bitflags::bitflags;

use super::call::Call;
use super::codec::Reply;
use super::data::number;
use super::dialect::Dialect;
use super::error::CommandError;

bitflags! {
    /// What is true of a command. All but the last two are told by `COMMAND INFO`, in these words.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Flags: u32 {
        const WRITE = 1;
        const READONLY = 1 << 1;
        const DENYOOM = 1 << 2;
        const ADMIN = 1 << 3;
        /// Not for scripts.
        const NOSCRIPT = 1 << 4;
        const LOADING = 1 << 5;
        const STALE = 1 << 6;
        const SKIP_MONITOR = 1 << 7;
        const SKIP_SLOWLOG = 1 << 8;
        const FAST = 1 << 9;
        const NO_AUTH = 1 << 10;
        const NO_MANDATORY_KEYS = 1 << 11;
        const MOVABLEKEYS = 1 << 12;
        /// Answered by the originals while a script runs on and on; here `dispatch` names those that are.
        const ALLOW_BUSY = 1 << 13;
        /// Runs at once inside `MULTI`, where all others are queued.
        const IMMEDIATE = 1 << 14;
        /// Not to be queued by `MULTI`; Redis 7.0 says so in each command's own words.
        const NO_MULTI = 1 << 15;
    }
}

/// Where a command keeps its keys, as words counted from its name, which is 0.
#[derive(Clone, Copy, Debug)]
pub(super) enum Keys {
    None,
    /// From the first word to the last, each so many words after the one before; a negative last one counts from the end.
    Range {
        first: usize,
        last: isize,
        step: usize,
    },
    /// As in `EVAL script numkeys key …`.
    Counted,
}

impl Keys {
    pub(super) const FIRST: Self = Self::Range { first: 1, last: 1, step: 1 };
    pub(super) const SECOND: Self = Self::Range { first: 2, last: 2, step: 1 };
    pub(super) const BOTH: Self = Self::Range { first: 1, last: 2, step: 1 };
    pub(super) const ALL: Self = Self::Range { first: 1, last: -1, step: 1 };
    pub(super) const PAIRS: Self = Self::Range { first: 1, last: -1, step: 2 };

    /// The keys among these words; none when a count is wrong, which the command itself complains of.
    pub(super) fn of<'a>(self, args: &[&'a [u8]]) -> Vec<&'a [u8]> {
        match self {
            Self::None => Vec::new(),
            Self::Range { first, last, step } => {
                let end = usize::try_from(last).unwrap_or_else(|_| args.len().saturating_add_signed(last));
                args.iter().copied().take(end + 1).skip(first).step_by(step).collect()
            }
            Self::Counted => {
                let count = args.get(2).and_then(|count| number::integer(count)).unwrap_or(0);
                let count = usize::try_from(count).unwrap_or(0);
                args.get(3..).unwrap_or_default().iter().copied().take(count).collect()
            }
        }
    }
}

/// What kind of command it is, as `COMMAND DOCS` groups them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Generic,
    String,
    Hash,
    Scripting,
    Transactions,
    Connection,
    Server,
    Cluster,
}

/// What a command gives back.
pub(super) type Answer = Result<Reply, CommandError>;

/// What is behind a name.
#[derive(Clone, Copy)]
pub(super) enum Run {
    Command(fn(&mut Call<'_>) -> Answer),
    /// The second word decides; without one it runs itself, if it can.
    Container(&'static [Spec], fn(&mut Call<'_>) -> Answer),
}

/// A command.
pub(super) struct Spec {
    /// In small letters; a subcommand's has its container's before a bar, as in `client|id`.
    pub(super) name: &'static str,
    pub(super) group: Group,
    /// How many words, the name among them; at least so many when negative.
    pub(super) arity: i64,
    pub(super) run: Run,
    pub(super) flags: Flags,
    pub(super) keys: Keys,
    pub(super) since: &'static str,
    pub(super) about: &'static str,
    /// The only presentation that has it.
    pub(super) only: Option<Dialect>,
}

impl Spec {
    pub(super) const fn new(
        group: Group,
        name: &'static str,
        arity: i64,
        run: fn(&mut Call<'_>) -> Answer,
    ) -> Self {
        Self {
            name,
            group,
            arity,
            run: Run::Command(run),
            flags: Flags::empty(),
            keys: Keys::None,
            since: "1.0.0",
            about: "",
            only: None,
        }
    }

    /// A command whose second word names what is done.
    pub(super) const fn container(group: Group, name: &'static str, subcommands: &'static [Self]) -> Self {
        let mut spec = Self::new(group, name, -2, no_subcommand);
        spec.run = Run::Container(subcommands, no_subcommand);
        spec
    }

    /// A container that does something by itself as well.
    pub(super) const fn alone(mut self, arity: i64, run: fn(&mut Call<'_>) -> Answer) -> Self {
        self.arity = arity;
        if let Run::Container(subcommands, _) = self.run {
            self.run = Run::Container(subcommands, run);
        }
        self
    }

    pub(super) const fn flags(mut self, flags: &[Flags]) -> Self {
        let mut index = 0;
        while index < flags.len() {
            self.flags = self.flags.union(flags[index]);
            index += 1;
        }
        self
    }

    pub(super) const fn keys(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    /// Since which version there is such a command, and what it does, in a few words.
    pub(super) const fn about(mut self, since: &'static str, about: &'static str) -> Self {
        self.since = since;
        self.about = about;
        self
    }

    pub(super) const fn only(mut self, dialect: Dialect) -> Self {
        self.only = Some(dialect);
        self
    }

    pub(super) fn takes(&self, words: usize) -> bool {
        let words = i64::try_from(words).unwrap_or(i64::MAX);
        if self.arity >= 0 { words == self.arity } else { words >= -self.arity }
    }

    pub(super) fn has(&self, flags: Flags) -> bool {
        self.flags.contains(flags)
    }

    pub(super) fn subcommands(&self) -> &'static [Self] {
        match self.run {
            Run::Command(_) => &[],
            Run::Container(subcommands, _) => subcommands,
        }
    }
}

/// Never runs: the arity of a container asks for a second word.
fn no_subcommand(_: &mut Call<'_>) -> Answer {
    Err(CommandError::SYNTAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_where_a_command_keeps_them() {
        let words = |text: &'static str| text.split(' ').map(str::as_bytes).collect::<Vec<_>>();
        assert_eq!(Keys::PAIRS.of(&words("mset a 1 b 2")), words("a b"));
        assert_eq!(Keys::ALL.of(&words("del a b c")), words("a b c"));
        assert_eq!(Keys::Counted.of(&words("eval s 2 a b c")), words("a b"));
        assert!(Keys::Counted.of(&words("eval s -1 a")).is_empty());
        assert_eq!(Keys::SECOND.of(&words("object encoding a")), words("a"));
    }
}
