//! Random sequences of commands, sent to the embedded server and to its original.
//!
//! The same sequences every time; `PROPTEST_CASES` makes them more, and `STAMPEDE_SEED` others.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use stampede::server::embedded::{Embedded, Options};

use crate::case::Variant;
use crate::client::{Client, shown};
use crate::originals;
use crate::step::words;

/// How many sequences for each original and protocol.
const SEQUENCES: u32 = 100;

/// How far apart two countdowns may be, in the unit of each command.
const TOLERANCE: i64 = 5_000;

/// What is sent. `{k}` is a key, `{h}` a key that mostly holds a hash, `{w}` one that scripts write
/// to (Valkey stores that in another encoding), `{f}` a field, `{v}` a value, `{n}` a number, `{d}` a
/// decimal number, `{t}` a life, `{a}` a deadline, `{u}` one
/// ahead (what lies behind, Redis counts in `DBSIZE` until it happens to look), `{o}` and `{x}` options. Lives are never compared with one another: that
/// would depend on the millisecond in which they were given.
const TEMPLATES: &[&str] = &[
    "GET {k}",
    "SET {k} {v}",
    "SET {k} {v} {o}",
    "SET {k} {v} {o} {o}",
    "SET {k} {v} EX {t}",
    "SET {k} {v} PXAT {u} {o}",
    "SETNX {k} {v}",
    "SETEX {k} {t} {v}",
    "PSETEX {k} 100000 {v}",
    "GETSET {k} {v}",
    "GETDEL {k}",
    "GETEX {k}",
    "GETEX {k} PERSIST",
    "GETEX {k} PXAT {a}",
    "GETEX {k} EX {t}",
    "MGET {k} {h} {k}",
    "MSET {k} {v} {k} {v}",
    "MSETNX {k} {v} {k} {v}",
    "APPEND {k} {v}",
    "STRLEN {k}",
    "GETRANGE {k} {n} {n}",
    "SETRANGE {k} {s} {v}",
    "INCR {k}",
    "DECR {k}",
    "INCRBY {k} {n}",
    "DECRBY {k} {n}",
    "INCRBYFLOAT {k} {d}",
    "DEL {k} {h}",
    "UNLINK {k}",
    "EXISTS {k} {h} {k}",
    "TYPE {k}",
    "TYPE {h}",
    "RENAME {k} {k}",
    "RENAMENX {h} {k}",
    "COPY {k} {k}",
    "COPY {h} {k} REPLACE",
    "MOVE {k} 1",
    "SELECT 1",
    "SELECT 0",
    "KEYS *",
    "SCAN 0 COUNT 1000",
    "SCAN 0 COUNT 1000 MATCH [a-b]*",
    "DBSIZE",
    "EXPIRE {k} {t}",
    "EXPIRE {k} {t} NX",
    "EXPIRE {h} {t} XX",
    "PEXPIREAT {k} {a} {x}",
    "PEXPIREAT {h} {a} {x} {x}",
    "EXPIREAT {k} {t}",
    "PERSIST {k}",
    "TTL {k}",
    "PTTL {k}",
    "EXPIRETIME {k}",
    "PEXPIRETIME {h}",
    "OBJECT ENCODING {k}",
    "OBJECT ENCODING {h}",
    "HSET {h} {f} {v}",
    "HSET {h} {f} {v} {f} {n}",
    "HSETNX {h} {f} {v}",
    "HMSET {h} {f} {v}",
    "HGET {h} {f}",
    "HMGET {h} {f} {f}",
    "HGETALL {h}",
    "HKEYS {h}",
    "HVALS {h}",
    "HLEN {h}",
    "HEXISTS {h} {f}",
    "HSTRLEN {h} {f}",
    "HDEL {h} {f} {f}",
    "HINCRBY {h} {f} {n}",
    "HINCRBYFLOAT {h} {f} {d}",
    "MULTI",
    "EXEC",
    "EXEC",
    "DISCARD",
    "WATCH {k}",
    "UNWATCH",
    "FLUSHDB",
    "EVAL \"return redis.call('get',KEYS[1])\" 1 {k}",
    "EVAL \"return redis.call('set',KEYS[1],ARGV[1])\" 1 {w} {v}",
    "GET {w}",
    "EVAL \"return {redis.pcall('incr',KEYS[1]),redis.pcall('hget',KEYS[1],ARGV[1])}\" 1 {k} {f}",
    "EVAL \"redis.call('append',KEYS[1],ARGV[1]) return redis.call('incrby',KEYS[1],ARGV[2])\" 1 {w} {v} {n}",
    "EVAL \"return #redis.call('hgetall',KEYS[1])\" 1 {h}",
    "EVAL \"return tonumber(ARGV[1])\" 0 {d}",
    "EVAL_RO \"return redis.call('mget',KEYS[1],KEYS[2])\" 2 {k} {h}",
    "PING {v}",
    "ECHO {v}",
];

/// A sender, a command, and a word that is left out or put in to make it wrong.
type Sent = (char, String);

fn sent() -> impl Strategy<Value = Sent> {
    let client = prop_oneof![9 => Just('a'), 1 => Just('b')];
    let command = select(TEMPLATES).prop_flat_map(|template| {
        let words: Vec<BoxedStrategy<String>> = words_of(template).into_iter().map(word).collect();
        words.prop_map(|words| words.join(" "))
    });
    let slip = prop_oneof![12 => Just(None), 1 => any::<u8>().prop_map(Some)];
    (client, command, slip).prop_map(|(client, command, slip)| match slip {
        None => (client, command),
        Some(0..=127) => (client, format!("{command} x")),
        Some(_) => (client, command.rsplit_once(' ').map_or("GET", |(front, _)| front).to_owned()),
    })
}

/// The words of a template; a quoted script is one.
fn words_of(template: &'static str) -> Vec<&'static str> {
    let mut words: Vec<&str> = Vec::new();
    for (index, part) in template.split('"').enumerate() {
        // Every second part stood between quotes.
        if index % 2 == 1 { words.push(part) } else { words.extend(part.split_whitespace()) }
    }
    words
}

fn word(place: &'static str) -> BoxedStrategy<String> {
    let one = |choices: &'static [&'static str]| select(choices).prop_map(str::to_owned).boxed();
    match place {
        "{k}" => one(&["a", "b", "c", "a", "b", "h"]),
        "{w}" => one(&["s", "t"]),
        "{h}" => one(&["h", "g", "h", "a"]),
        "{f}" => one(&["x", "y", "\"\"", "n"]),
        "{v}" => one(&[
            "1",
            "42",
            "-7",
            "abc",
            "\"\"",
            "1.5",
            "\"\\x00\\xff\"",
            "9223372036854775807",
            "repeat(70,z)",
            "0",
        ]),
        "{n}" => {
            one(&["0", "1", "-1", "5", "-100", "9223372036854775807", "-9223372036854775808", "x", "1.5"])
        }
        "{s}" => one(&["0", "1", "5", "20", "-1", "x"]),
        "{d}" => one(&["0", "0.1", "-0.25", "3", "1e3", "1e-5", "123456789.123", "x", "1e400"]),
        "{t}" => one(&["1000", "5000", "0", "-1", "x", "9223372036854775807", "100000"]),
        "{a}" => one(&["4102444800000", "4102444800001", "4102444801000", "1", "0", "-5", "x"]),
        "{u}" => one(&["4102444800000", "4102444800001", "4102444801000", "0", "-5", "x"]),
        "{o}" => one(&["NX", "XX", "GET", "KEEPTTL", "nx", "PX", "FOO", "EX 1000"]),
        "{x}" => one(&["NX", "XX", "GT", "LT", "gt", "FOO"]),
        script if script.contains(' ') => Just(format!("\"{script}\"")).boxed(),
        other => Just(other.to_owned()).boxed(),
    }
}

/// What must be the same in two replies to a command.
fn comparable(command: &str, reply: &[u8]) -> String {
    let name = command.split(' ').next().unwrap_or_default();
    let text = shown(reply);
    if !["KEYS", "SCAN", "HGETALL", "HKEYS", "HVALS", "EXEC"].contains(&name) {
        return text;
    }
    // Keys and fields come in any order, and a transaction may hold countdowns.
    let mut parts: Vec<&str> =
        text.split('¶').map(|part| if is_countdown(part) { ":…" } else { part }).collect();
    parts.sort_unstable();
    parts.join("¶")
}

/// Whether it could be one of the lives that are given here, in any unit.
fn is_countdown(part: &str) -> bool {
    let number = part.strip_prefix(':').and_then(|number| number.parse::<i64>().ok());
    number.is_some_and(|number| number > 900 && number < i64::MAX / 1000)
}

/// Whether both are countdowns that were read a moment apart.
fn near(command: &str, ours: &[u8], theirs: &[u8]) -> bool {
    let number = |reply: &[u8]| {
        let text = String::from_utf8_lossy(reply).into_owned();
        text.strip_prefix(':').and_then(|text| text.trim().parse::<i64>().ok())
    };
    let clock = ["TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"].iter().any(|name| command.starts_with(name));
    match (number(ours), number(theirs)) {
        (Some(ours), Some(theirs)) => clock && ours > 0 && theirs > 0 && (ours - theirs).abs() <= TOLERANCE,
        _ => false,
    }
}

#[test]
fn random_commands_get_the_same_replies() {
    let seed = std::env::var("STAMPEDE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let cases =
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(SEQUENCES);
    for original in originals() {
        let theirs = original.plain.socket().expect("it is ours");
        let options = Options { dialect: original.dialect, ..Options::default() };
        let embedded = Embedded::start(&options).expect("it starts");
        let ours = embedded.socket();
        for variant in Variant::ALL.into_iter().filter(|variant| variant.dialect == original.dialect) {
            let config = Config {
                cases,
                rng_seed: RngSeed::Fixed(seed),
                failure_persistence: None,
                max_shrink_iters: 2_000,
                ..Config::default()
            };
            let outcome = TestRunner::new(config).run(&prop::collection::vec(sent(), 1..60), |sequence| {
                let pair = |socket: &std::path::Path| {
                    let mut client = Client::connect(socket, variant.protocol);
                    client.command(&words("FLUSHALL"));
                    [client, Client::connect(socket, variant.protocol)]
                };
                let (mut ours, mut theirs) = (pair(&ours), pair(&theirs));
                for (client, command) in &sequence {
                    let which = usize::from(*client == 'b');
                    let sent = words(command);
                    let (our, their) = (ours[which].command(&sent), theirs[which].command(&sent));
                    let same = near(command, &our, &their)
                        || comparable(command, &our) == comparable(command, &their);
                    if !same {
                        let (our, their) = (shown(&our), shown(&their));
                        let said = format!("{variant}: {command}\n  original {their}\n  embedded {our}");
                        return Err(TestCaseError::fail(said));
                    }
                }
                Ok(())
            });
            if let Err(error) = outcome {
                panic!("{error}");
            }
        }
    }
}
