//! `SET` with all its options, and the older commands that are parts of it.

use super::options::{Life, Words, upper};
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::Value;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Keys, Spec};

/// When to set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Condition<'a> {
    #[default]
    Always,
    IfAbsent,
    IfPresent,
    IfEqual(&'a [u8]),
}

/// What is to become of the key's deadline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Deadline<'a> {
    #[default]
    None,
    Keep,
    New(Life, &'a [u8]),
}

#[derive(Clone, Copy, Debug, Default)]
struct Request<'a> {
    condition: Condition<'a>,
    deadline: Deadline<'a>,
    /// Answer with what was there.
    get: bool,
}

impl<'a> Request<'a> {
    fn read(words: &'a [&'a [u8]], dialect: Dialect) -> Result<Self, CommandError> {
        let mut request = Self::default();
        let mut words = Words::new(words);
        while let Some(word) = words.next() {
            if let Some(life) = Life::of(word) {
                // The same option twice is read again; two different ones contradict each other.
                let same = matches!(request.deadline, Deadline::New(other, _) if other == life);
                if request.deadline != Deadline::None && !same {
                    return Err(CommandError::SYNTAX);
                }
                request.deadline = Deadline::New(life, words.value()?);
                continue;
            }
            match upper(word).as_slice() {
                b"NX" if matches!(request.condition, Condition::Always | Condition::IfAbsent) => {
                    request.condition = Condition::IfAbsent;
                }
                b"XX" if matches!(request.condition, Condition::Always | Condition::IfPresent) => {
                    request.condition = Condition::IfPresent;
                }
                b"IFEQ" if dialect == Dialect::Valkey && request.condition == Condition::Always => {
                    request.condition = Condition::IfEqual(words.value()?);
                }
                b"KEEPTTL" if matches!(request.deadline, Deadline::None | Deadline::Keep) => {
                    request.deadline = Deadline::Keep;
                }
                b"GET" => request.get = true,
                _ => return Err(CommandError::SYNTAX),
            }
        }
        Ok(request)
    }
}

fn set(call: &mut Call<'_>) -> Answer {
    let request = Request::read(call.rest(3), call.engine.dialect)?;
    store(call, call.arg(1), call.arg(2), request)
}

fn setnx(call: &mut Call<'_>) -> Answer {
    let request = Request { condition: Condition::IfAbsent, ..Request::default() };
    let reply = store(call, call.arg(1), call.arg(2), request)?;
    Ok(Reply::yes(reply == Reply::OK))
}

fn setex(call: &mut Call<'_>) -> Answer {
    set_with_life(call, Life::Seconds)
}

fn psetex(call: &mut Call<'_>) -> Answer {
    set_with_life(call, Life::Milliseconds)
}

fn set_with_life(call: &mut Call<'_>, life: Life) -> Answer {
    let request = Request { deadline: Deadline::New(life, call.arg(2)), ..Request::default() };
    store(call, call.arg(1), call.arg(3), request)
}

fn getset(call: &mut Call<'_>) -> Answer {
    store(call, call.arg(1), call.arg(2), Request { get: true, ..Request::default() })
}

fn store(call: &mut Call<'_>, key: &[u8], value: &[u8], request: Request<'_>) -> Answer {
    let (now, name) = (call.now(), call.spec.name);
    let deadline = match request.deadline {
        Deadline::New(life, amount) => Some(life.deadline(amount, now, name)?),
        Deadline::None | Deadline::Keep => None,
    };
    let before = if request.get { call.text(key)? } else { Reply::Null };
    let holds = match request.condition {
        Condition::Always => true,
        Condition::IfAbsent => call.db().peek(key).is_none(),
        Condition::IfPresent => call.db().peek(key).is_some(),
        Condition::IfEqual(expected) => call.db().text(key)? == Some(expected),
    };
    if !holds {
        return Ok(before);
    }
    match request.deadline {
        Deadline::Keep => call.db().set_keeping_deadline(key, Value::text(value)),
        // A deadline of the time of day may lie behind us.
        Deadline::New(..) if deadline.is_some_and(|deadline| deadline < now) => {
            call.db().remove(key);
        }
        Deadline::New(..) | Deadline::None => call.db().set(key, Value::text(value), deadline),
    }
    Ok(if request.get { before } else { Reply::OK })
}

const WRITES: &[Flags] = &[Flags::WRITE, Flags::DENYOOM];
const WRITES_FAST: &[Flags] = &[Flags::WRITE, Flags::DENYOOM, Flags::FAST];

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    Spec::new(Group::String, "set", -3, set)
        .flags(WRITES)
        .keys(Keys::FIRST)
        .about("1.0.0", "Stores a string; on conditions and with a life, if asked to"),
    Spec::new(Group::String, "setnx", 3, setnx)
        .flags(WRITES_FAST)
        .keys(Keys::FIRST)
        .about("1.0.0", "Stores a string where there is nothing yet"),
    Spec::new(Group::String, "setex", 4, setex)
        .flags(WRITES)
        .keys(Keys::FIRST)
        .about("2.0.0", "Stores a string with a life in seconds"),
    Spec::new(Group::String, "psetex", 4, psetex)
        .flags(WRITES)
        .keys(Keys::FIRST)
        .about("2.6.0", "Stores a string with a life in milliseconds"),
    Spec::new(Group::String, "getset", 3, getset)
        .flags(WRITES_FAST)
        .keys(Keys::FIRST)
        .about("1.0.0", "Stores a string and gives back the one before"),
];
