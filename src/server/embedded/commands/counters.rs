//! Counters: strings that hold a number.

use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::Value;
use crate::server::embedded::data::decimal::Decimal;
use crate::server::embedded::data::number::{integer, integer_argument};
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Keys, Spec};

fn incr(call: &mut Call<'_>) -> Answer {
    add(call, 1)
}

fn decr(call: &mut Call<'_>) -> Answer {
    add(call, -1)
}

fn incrby(call: &mut Call<'_>) -> Answer {
    let by = integer_argument(call.arg(2))?;
    add(call, by)
}

fn decrby(call: &mut Call<'_>) -> Answer {
    let by = integer_argument(call.arg(2))?;
    add(call, by.checked_neg().ok_or(CommandError::new("ERR decrement would overflow"))?)
}

fn add(call: &mut Call<'_>, by: i64) -> Answer {
    let key = call.arg(1);
    let before = match call.db().text(key)? {
        Some(text) => integer(text).ok_or(CommandError::NOT_AN_INTEGER)?,
        None => 0,
    };
    let after = before.checked_add(by).ok_or(CommandError::OVERFLOW)?;
    call.db().set_keeping_deadline(key, Value::text(after.to_string().as_bytes()));
    Ok(Reply::Integer(after))
}

fn incrbyfloat(call: &mut Call<'_>) -> Answer {
    let key = call.arg(1);
    let before = call.db().text(key)?.map_or(Some(Decimal::zero()), Decimal::parse);
    let before = before.ok_or(CommandError::NOT_A_FLOAT)?;
    let by = Decimal::parse(call.arg(2)).ok_or(CommandError::NOT_A_FLOAT)?;
    let after = before.plus(&by).ok_or(CommandError::NOT_FINITE)?.to_string();
    call.db().set_keeping_deadline(key, Value::computed(after.as_bytes()));
    Ok(Reply::bulk(after))
}

const FLAGS: &[Flags] = &[Flags::WRITE, Flags::DENYOOM, Flags::FAST];

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    Spec::new(Group::String, "incr", 2, incr)
        .flags(FLAGS)
        .keys(Keys::FIRST)
        .about("1.0.0", "Adds one to a counter"),
    Spec::new(Group::String, "decr", 2, decr)
        .flags(FLAGS)
        .keys(Keys::FIRST)
        .about("1.0.0", "Takes one from a counter"),
    Spec::new(Group::String, "incrby", 3, incrby)
        .flags(FLAGS)
        .keys(Keys::FIRST)
        .about("1.0.0", "Adds to a counter"),
    Spec::new(Group::String, "decrby", 3, decrby)
        .flags(FLAGS)
        .keys(Keys::FIRST)
        .about("1.0.0", "Takes from a counter"),
    Spec::new(Group::String, "incrbyfloat", 3, incrbyfloat)
        .flags(FLAGS)
        .keys(Keys::FIRST)
        .about("2.6.0", "Adds a decimal number to a counter"),
];
