//! Scripts: `EVAL` and its relatives.

use std::sync::Arc;

use super::options::upper;
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::number::integer_argument;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::dispatch;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::lua::{self, Sandbox, Says, Script};
use crate::server::embedded::spec::{Answer, Flags, Group, Keys, Spec};

fn eval(call: &mut Call<'_>) -> Answer {
    run(call, false, from_text)
}

fn eval_ro(call: &mut Call<'_>) -> Answer {
    run(call, true, from_text)
}

fn evalsha(call: &mut Call<'_>) -> Answer {
    // A script that is not there is told before a number of keys that is wrong.
    from_digest(call)?;
    run(call, false, from_digest)
}

fn evalsha_ro(call: &mut Call<'_>) -> Answer {
    from_digest(call)?;
    run(call, true, from_digest)
}

type Source = fn(&mut Call<'_>) -> Result<Arc<Script>, CommandError>;

fn from_text(call: &mut Call<'_>) -> Result<Arc<Script>, CommandError> {
    let dialect = call.engine.dialect;
    call.engine.library.keep(call.arg(1), dialect)
}

fn from_digest(call: &mut Call<'_>) -> Result<Arc<Script>, CommandError> {
    let found = call.engine.library.find(call.arg(1));
    found.ok_or(CommandError::new(match call.engine.dialect {
        Dialect::Redis => "NOSCRIPT No matching script. Please use EVAL.",
        Dialect::Valkey => "NOSCRIPT No matching script.",
    }))
}

fn run(call: &mut Call<'_>, read_only: bool, source: Source) -> Answer {
    let count = integer_argument(call.arg(2))?;
    let words = call.rest(3);
    if count > i64::try_from(words.len()).unwrap_or(i64::MAX) {
        return Err(CommandError::new("ERR Number of keys can't be greater than number of args"));
    }
    let count =
        usize::try_from(count).map_err(|_| CommandError::new("ERR Number of keys can't be negative"))?;
    let (keys, args) = words.split_at(count);
    let script = source(call)?;
    // Taken out while it is used: a script can't run another.
    let mut sandbox = match call.sandbox.take() {
        Some(sandbox) => sandbox,
        None => Sandbox::new(call.engine.dialect, call.shared.running())?,
    };
    let read_only = read_only || script.says.contains(Says::NO_WRITES);
    let reply = sandbox.run(&lua::Run { script: &script, keys, args, read_only }, call);
    *call.sandbox = Some(sandbox);
    reply
}

fn load(call: &mut Call<'_>) -> Answer {
    let dialect = call.engine.dialect;
    let script = call.engine.library.keep(call.arg(2), dialect)?;
    Ok(Reply::bulk(&script.digest))
}

fn exists(call: &mut Call<'_>) -> Answer {
    let one = |digest: &&[u8]| Reply::yes(call.engine.library.find(digest).is_some());
    Ok(Reply::Array(call.rest(2).iter().map(one).collect()))
}

fn flush(call: &mut Call<'_>) -> Answer {
    let known = |mode: &[u8]| matches!(upper(mode).as_slice(), b"ASYNC" | b"SYNC");
    match call.rest(2) {
        [] => {}
        [mode] if known(mode) => {}
        _ => return Err(CommandError::new("ERR SCRIPT FLUSH only support SYNC|ASYNC option")),
    }
    call.engine.library.clear();
    Ok(Reply::OK)
}

fn kill(call: &mut Call<'_>) -> Answer {
    dispatch::end_script(call.shared)
}

const FLAGS: &[Flags] =
    &[Flags::NOSCRIPT, Flags::STALE, Flags::SKIP_MONITOR, Flags::NO_MANDATORY_KEYS, Flags::MOVABLEKEYS];
const QUIET: &[Flags] = &[Flags::NOSCRIPT];

const fn script(name: &'static str, arity: i64, run: fn(&mut Call<'_>) -> Answer) -> Spec {
    Spec::new(Group::Scripting, name, arity, run)
}

const SUBCOMMANDS: &[Spec] = &[
    script("script|load", 3, load)
        .flags(QUIET)
        .flags(&[Flags::STALE])
        .about("2.6.0", "Keeps a script and gives back its SHA1 digest"),
    script("script|exists", -3, exists).flags(QUIET).about("2.6.0", "Which scripts are kept"),
    script("script|flush", -2, flush).flags(QUIET).about("2.6.0", "Forgets all scripts"),
    script("script|kill", 2, kill)
        .flags(QUIET)
        .flags(&[Flags::ALLOW_BUSY])
        .about("2.6.0", "Ends the script under way, if it has changed nothing"),
];

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    script("eval", -3, eval).flags(FLAGS).keys(Keys::Counted).about("2.6.0", "Runs a Lua script in one go"),
    script("evalsha", -3, evalsha)
        .flags(FLAGS)
        .keys(Keys::Counted)
        .about("2.6.0", "Runs a script that is kept, by its SHA1 digest"),
    script("eval_ro", -3, eval_ro)
        .flags(FLAGS)
        .flags(&[Flags::READONLY])
        .keys(Keys::Counted)
        .about("7.0.0", "Runs a Lua script that changes nothing"),
    script("evalsha_ro", -3, evalsha_ro)
        .flags(FLAGS)
        .flags(&[Flags::READONLY])
        .keys(Keys::Counted)
        .about("7.0.0", "Runs a kept script that changes nothing"),
    Spec::container(Group::Scripting, "script", SUBCOMMANDS).about("2.6.0", "The scripts that are kept"),
];
