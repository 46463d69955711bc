//! Lives and deadlines of keys.

use bitflags::bitflags;

use super::options::upper;
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::number::integer_argument;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Keys, Spec};

/// The unit of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Seconds,
    Milliseconds,
}

fn expire(call: &mut Call<'_>) -> Answer {
    let now = call.now();
    set_deadline(call, Unit::Seconds, now)
}

fn pexpire(call: &mut Call<'_>) -> Answer {
    let now = call.now();
    set_deadline(call, Unit::Milliseconds, now)
}

fn expireat(call: &mut Call<'_>) -> Answer {
    set_deadline(call, Unit::Seconds, 0)
}

fn pexpireat(call: &mut Call<'_>) -> Answer {
    set_deadline(call, Unit::Milliseconds, 0)
}

bitflags! {
    /// When a new deadline is to replace the one there is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Conditions: u8 {
        /// There is none.
        const NX = 1;
        /// There is one.
        const XX = 1 << 1;
        /// The new one is later. No deadline is later than any.
        const GT = 1 << 2;
        /// The new one is earlier.
        const LT = 1 << 3;
    }
}

impl Conditions {
    fn read(words: &[&[u8]]) -> Result<Self, CommandError> {
        let mut conditions = Self::empty();
        for word in words {
            let name = String::from_utf8_lossy(&upper(word)).into_owned();
            conditions |= Self::from_name(&name)
                .ok_or_else(|| CommandError::about("ERR Unsupported option ", word, ""))?;
        }
        if conditions.contains(Self::NX) && conditions != Self::NX {
            return Err(CommandError::new(
                "ERR NX and XX, GT or LT options at the same time are not compatible",
            ));
        }
        if conditions.contains(Self::GT | Self::LT) {
            return Err(CommandError::new("ERR GT and LT options at the same time are not compatible"));
        }
        Ok(conditions)
    }

    fn hold(self, before: Option<u64>, after: i64) -> bool {
        let before = before.map(|before| i64::try_from(before).unwrap_or(i64::MAX));
        self.iter().all(|condition| match condition {
            Self::NX => before.is_none(),
            Self::XX => before.is_some(),
            Self::GT => before.is_some_and(|before| after > before),
            _ => before.is_none_or(|before| after < before),
        })
    }
}

fn set_deadline(call: &mut Call<'_>, unit: Unit, from: u64) -> Answer {
    let (key, now) = (call.arg(1), call.now());
    let conditions = Conditions::read(call.rest(3))?;
    let amount = integer_argument(call.arg(2))?;
    let milliseconds = match unit {
        Unit::Seconds => amount.checked_mul(1000),
        Unit::Milliseconds => Some(amount),
    };
    let deadline = milliseconds
        .and_then(|milliseconds| milliseconds.checked_add_unsigned(from))
        .ok_or_else(|| CommandError::invalid_expire(call.spec.name))?;
    let Some(entry) = call.db().get(key) else { return Ok(Reply::Integer(0)) };
    if !conditions.hold(entry.expires, deadline) {
        return Ok(Reply::Integer(0));
    }
    match u64::try_from(deadline) {
        Ok(deadline) if deadline > now => call.db().set_deadline(key, Some(deadline)),
        // It lies behind us.
        _ => {
            call.db().remove(key);
        }
    }
    Ok(Reply::Integer(1))
}

fn ttl(call: &mut Call<'_>) -> Answer {
    let now = call.now();
    answer(call, Unit::Seconds, |deadline| deadline.saturating_sub(now))
}

fn pttl(call: &mut Call<'_>) -> Answer {
    let now = call.now();
    answer(call, Unit::Milliseconds, |deadline| deadline.saturating_sub(now))
}

fn expiretime(call: &mut Call<'_>) -> Answer {
    answer(call, Unit::Seconds, |deadline| deadline)
}

fn pexpiretime(call: &mut Call<'_>) -> Answer {
    answer(call, Unit::Milliseconds, |deadline| deadline)
}

/// A number made from the deadline; -1 where there is none, -2 where there is no key. Seconds are rounded to the nearest.
fn answer(call: &mut Call<'_>, unit: Unit, number: impl Fn(u64) -> u64) -> Answer {
    let key = call.arg(1);
    let milliseconds = match call.db().peek(key).map(|entry| entry.expires) {
        None => return Ok(Reply::Integer(-2)),
        Some(None) => return Ok(Reply::Integer(-1)),
        Some(Some(deadline)) => number(deadline),
    };
    let number = match unit {
        Unit::Seconds => milliseconds.saturating_add(500) / 1000,
        Unit::Milliseconds => milliseconds,
    };
    Ok(Reply::Integer(i64::try_from(number).unwrap_or(i64::MAX)))
}

fn persist(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    let ends = call.db().get(key).is_some_and(|entry| entry.expires.is_some());
    if ends {
        call.db().set_deadline(key, None);
    }
    Ok(Reply::yes(ends))
}

const fn writes(name: &'static str, arity: i64, run: fn(&mut Call<'_>) -> Answer) -> Spec {
    Spec::new(Group::Generic, name, arity, run).flags(&[Flags::WRITE, Flags::FAST]).keys(Keys::FIRST)
}

const fn reads(name: &'static str, run: fn(&mut Call<'_>) -> Answer) -> Spec {
    Spec::new(Group::Generic, name, 2, run).flags(&[Flags::READONLY, Flags::FAST]).keys(Keys::FIRST)
}

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    writes("expire", -3, expire).about("1.0.0", "Gives a key a life in seconds"),
    writes("pexpire", -3, pexpire).about("2.6.0", "Gives a key a life in milliseconds"),
    writes("expireat", -3, expireat).about("1.2.0", "Lets a key end at a second of the time of day"),
    writes("pexpireat", -3, pexpireat).about("2.6.0", "Lets a key end at a millisecond of the time of day"),
    writes("persist", 2, persist).about("2.2.0", "Takes a key's deadline away"),
    reads("ttl", ttl).about("1.0.0", "What is left of a key's life, in seconds"),
    reads("pttl", pttl).about("2.6.0", "What is left of a key's life, in milliseconds"),
    reads("expiretime", expiretime).about("7.0.0", "The second at which a key ends"),
    reads("pexpiretime", pexpiretime).about("7.0.0", "The millisecond at which a key ends"),
];
