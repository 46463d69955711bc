//! Transactions: commands collected and run in one go, if what they depend on has not changed.

use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::dispatch;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::session::Queue;
use crate::server::embedded::spec::{Answer, Flags, Group, Keys, Spec};

fn multi(call: &mut Call<'_>) -> Answer {
    if call.session.queue.is_some() {
        return Err(CommandError::new("ERR MULTI calls can not be nested"));
    }
    call.session.queue = Some(Queue::default());
    Ok(Reply::OK)
}

fn exec(call: &mut Call<'_>) -> Answer {
    let queue = call.session.queue.take().ok_or(CommandError::new("ERR EXEC without MULTI"))?;
    let changed = call.session.unwatch(call.engine);
    if queue.spoilt {
        return Err(CommandError::new("EXECABORT Transaction discarded because of previous errors."));
    }
    if call.engine.node.is_some() {
        // All of them together, as if it were one command.
        let keys: Vec<&[u8]> =
            queue.commands.iter().flat_map(|(spec, args)| spec.keys.of(&slices(args))).collect();
        dispatch::one_slot(&keys)?;
    }
    if changed {
        return Ok(Reply::NullArray);
    }
    call.session.in_batch = true;
    let mut replies = Vec::with_capacity(queue.commands.len());
    for (spec, args) in &queue.commands {
        let answer =
            dispatch::call(call.shared, call.engine, call.sandbox, call.session, spec, &slices(args));
        replies.push(answer.unwrap_or_else(CommandError::into_reply));
    }
    call.session.in_batch = false;
    Ok(Reply::Array(replies))
}

fn slices(words: &[Vec<u8>]) -> Vec<&[u8]> {
    words.iter().map(Vec::as_slice).collect()
}

fn discard(call: &mut Call<'_>) -> Answer {
    if call.session.queue.take().is_none() {
        return Err(CommandError::NO_MULTI_TO_DISCARD);
    }
    call.session.unwatch(call.engine);
    Ok(Reply::OK)
}

fn watch(call: &mut Call<'_>) -> Answer {
    if call.session.queue.is_some() {
        return Err(CommandError::new("ERR WATCH inside MULTI is not allowed"));
    }
    for (db, key, flag) in call.shared.clients().take_forgotten() {
        call.engine.databases[db].unwatch(&key, &flag);
    }
    for key in call.rest(1) {
        call.session.watch(call.engine, key);
    }
    Ok(Reply::OK)
}

fn unwatch(call: &mut Call<'_>) -> Answer {
    call.session.unwatch(call.engine);
    Ok(Reply::OK)
}

const FLAGS: &[Flags] = &[Flags::NOSCRIPT, Flags::LOADING, Flags::STALE, Flags::FAST, Flags::ALLOW_BUSY];

const fn transaction(name: &'static str, arity: i64, run: fn(&mut Call<'_>) -> Answer) -> Spec {
    Spec::new(Group::Transactions, name, arity, run)
}

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    transaction("multi", 1, multi)
        .flags(FLAGS)
        .flags(&[Flags::IMMEDIATE, Flags::NO_MULTI])
        .about("1.2.0", "Begins to collect commands"),
    transaction("exec", 1, exec)
        .flags(&[Flags::NOSCRIPT, Flags::LOADING, Flags::STALE, Flags::SKIP_SLOWLOG, Flags::IMMEDIATE])
        .about("1.2.0", "Runs the commands collected, unless a watched key has changed"),
    transaction("discard", 1, discard)
        .flags(FLAGS)
        .flags(&[Flags::IMMEDIATE])
        .about("2.0.0", "Forgets the commands collected"),
    transaction("watch", -2, watch)
        .flags(FLAGS)
        .flags(&[Flags::IMMEDIATE, Flags::NO_MULTI])
        .keys(Keys::ALL)
        .about("2.2.0", "Lets EXEC do nothing if one of the keys changes before it"),
    transaction("unwatch", 1, unwatch).flags(FLAGS).about("2.2.0", "Watches nothing any more"),
];
