//! A command in a case, and the replies that were recorded for it.

use std::collections::BTreeMap;

use crate::case::Variant;
use crate::client::{shape, shown};

/// How a reply is compared: by the sign before the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    /// No sign: byte for byte.
    Exact,
    /// `~`: the same types and lengths of lists; numbers and texts may differ (ids, times, versions).
    Shape,
    /// `*`: the same elements in any order (Redis keeps them in a hash table).
    AnyOrder,
    /// `^`: the embedded server says more after the same beginning (its hint on unknown commands).
    Beginning,
}

impl Compare {
    fn of(sign: char) -> Option<Self> {
        Some(match sign {
            '~' => Self::Shape,
            '*' => Self::AnyOrder,
            '^' => Self::Beginning,
            _ => return None,
        })
    }

    /// What of a reply is compared, as the record shows it.
    pub(crate) fn normal(self, reply: &[u8]) -> String {
        match self {
            Self::Exact | Self::Beginning => shown(reply),
            Self::Shape => shape(reply),
            Self::AnyOrder => {
                let text = shown(reply);
                let mut parts: Vec<&str> = text.split('¶').collect();
                parts.sort_unstable();
                parts.join("¶")
            }
        }
    }

    /// Whether the embedded server's reply will do.
    pub(crate) fn same(self, recorded: &str, said: &str) -> bool {
        match self {
            Self::Beginning => said.starts_with(recorded.trim_end_matches('¶')),
            _ => recorded == said,
        }
    }
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Sent, and its reply awaited.
    Command(Vec<Vec<u8>>),
    /// `+`: sent together with the next command, whose replies come together.
    Pipelined(Vec<Vec<u8>>),
    /// `raw "…"`: bytes as they are, and one reply.
    Raw(Vec<u8>),
    /// `send …`: a command whose reply is read by a later `reply`.
    Send(Vec<Vec<u8>>),
    /// `reply`: what came for an earlier `send`.
    Reply,
    /// `closed`: whether the server has ended the connection.
    Closed,
    /// `until REPLY …`: the command again and again until the reply is this one.
    Until(String, Vec<Vec<u8>>),
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// As it stands in the file.
    pub(crate) text: String,
    /// Which client, `a` where none is named.
    pub(crate) client: char,
    pub(crate) compare: Compare,
    pub(crate) act: Act,
    recorded: BTreeMap<Variant, String>,
}

impl Step {
    pub(crate) fn read(line: &str) -> Self {
        let mut rest = line;
        let mut client = 'a';
        if let Some(after) = rest.strip_prefix('[') {
            let (name, after) = after.split_once("] ").expect("a client's name ends in a bracket");
            client = name.chars().next().expect("a client has a name");
            rest = after;
        }
        let mut compare = Compare::Exact;
        if let Some((sign, after)) = rest.split_once(' ')
            && let [sign] = sign.chars().collect::<Vec<_>>()[..]
            && let Some(found) = Compare::of(sign)
        {
            compare = found;
            rest = after;
        }
        let act = match rest.split_once(' ').unwrap_or((rest, "")) {
            ("+", command) => Act::Pipelined(words(command)),
            ("raw", bytes) => Act::Raw(words(bytes).concat()),
            ("send", command) => Act::Send(words(command)),
            ("reply", _) => Act::Reply,
            ("closed", _) => Act::Closed,
            ("until", rest) => {
                let (reply, command) = rest.split_once(' ').expect("a reply and a command");
                Act::Until(reply.to_owned(), words(command))
            }
            _ => Act::Command(words(rest)),
        };
        Self { text: line.to_owned(), client, compare, act, recorded: BTreeMap::new() }
    }

    pub(crate) fn recorded(&self, variant: Variant) -> Option<&str> {
        self.recorded.get(&variant).map(String::as_str)
    }

    pub(crate) fn record(&mut self, variant: Variant, said: &str) {
        self.recorded.insert(variant, said.to_owned());
    }

    /// The recorded replies as lines: one where all agree, and else one for each protocol, server, or both.
    pub(crate) fn lines(&self) -> Vec<String> {
        let of = |filter: &dyn Fn(Variant) -> bool| -> Option<&str> {
            let mut replies =
                self.recorded.iter().filter(|(variant, _)| filter(**variant)).map(|(_, said)| said);
            let first = replies.next()?;
            replies.all(|reply| reply == first).then_some(first)
        };
        if let Some(reply) = of(&|_| true) {
            return vec![format!("  | {reply}")];
        }
        for tags in [["2", "3"], ["redis", "valkey"]] {
            if let [Some(first), Some(second)] = tags.map(|tag| of(&|variant| variant.has(tag))) {
                return vec![format!("  {}| {first}", tags[0]), format!("  {}| {second}", tags[1])];
            }
        }
        self.recorded.iter().map(|(variant, said)| format!("  {variant}| {said}")).collect()
    }

    /// Reads a recorded line.
    pub(crate) fn read_recorded(&mut self, line: &str) {
        let (tags, reply) = line.trim_start().split_once("| ").expect("tags, a bar and a reply");
        for variant in Variant::ALL {
            if tags.split_whitespace().all(|tag| variant.has(tag)) {
                self.record(variant, reply);
            }
        }
    }
}

/// Words with redis-cli's double quotes; `repeat(5,x)` is `xxxxx`.
pub(crate) fn words(line: &str) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    while let Some(first) = chars.next() {
        match first {
            ' ' => {}
            '"' => words.push(quoted(&mut chars)),
            first => {
                let mut word = String::from(first);
                while let Some(next) = chars.next_if(|next| *next != ' ') {
                    word.push(next);
                }
                words.push(repeated(&word));
            }
        }
    }
    words
}

fn repeated(word: &str) -> Vec<u8> {
    let inner = word.strip_prefix("repeat(").and_then(|rest| rest.strip_suffix(')'));
    match inner.and_then(|inner| inner.split_once(',')) {
        Some((count, text)) => text.repeat(count.parse().expect("a count")).into_bytes(),
        None => word.as_bytes().to_vec(),
    }
}

/// The rest of a quoted word, its last quote included.
fn quoted(chars: &mut impl Iterator<Item = char>) -> Vec<u8> {
    let mut word = Vec::new();
    loop {
        match chars.next().expect("a quote is closed") {
            '"' => return word,
            '\\' => match chars.next().expect("an escape has a letter") {
                'n' => word.push(b'\n'),
                'r' => word.push(b'\r'),
                't' => word.push(b'\t'),
                'x' => {
                    let digits: String = chars.by_ref().take(2).collect();
                    word.push(u8::from_str_radix(&digits, 16).expect("two hexadecimal digits"));
                }
                other => word.push(u8::try_from(other).expect("an ASCII letter")),
            },
            c => word.extend(c.to_string().bytes()),
        }
    }
}
