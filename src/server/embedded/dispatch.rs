//! From words to a reply: finding the command, refusing what it may not do, queueing or running it.
//!
//! ```text
//!  words ─▶ find ─▶ arity ─▶ slots ─▶ MULTI? ──no──▶ run ─▶ reply
//!                                       └──yes─▶ queue ─▶ QUEUED
//! ```

use super::call::Call;
use super::codec::Reply;
use super::data::slot;
use super::dialect::Dialect;
use super::engine::Engine;
use super::error::{CommandError, c_string};
use super::lua::Sandbox;
use super::running::NotEnded;
use super::session::{Hearing, Queue, Session};
use super::shared::Shared;
use super::spec::{Answer, Flags, Run, Spec};
use super::table;

/// How much of the words of an unknown command an error repeats.
const MOST_REPEATED: usize = 128;

/// What an error about an unknown command ends with.
pub(super) const HINT: &str = "(this is stampede's embedded server, which has the commands of its lessons; COMMAND LIST \
                               names them, and --server spawn starts a real one)";

/// Runs, queues or refuses what a client sent.
pub(super) fn run(
    shared: &Shared,
    engine: &mut Engine,
    sandbox: &mut Option<Sandbox>,
    session: &mut Session,
    args: &[&[u8]],
) -> Reply {
    engine.begin();
    let answer = match admit(engine, session, args) {
        Err(error) if is_exec(args) => {
            session.queue = None;
            session.unwatch(engine);
            Err(aborted(error))
        }
        Err(error) => {
            session.spoil();
            Err(error)
        }
        Ok(spec) => match &mut session.queue {
            Some(queue) if !spec.has(Flags::IMMEDIATE) => {
                queue.commands.push((spec, args.iter().map(|arg| arg.to_vec()).collect()));
                session.note(spec);
                Ok(Reply::Status("QUEUED"))
            }
            _ => call(shared, engine, sandbox, session, spec, args),
        },
    };
    session.show();
    answer.unwrap_or_else(CommandError::into_reply)
}

/// Runs a command that was let through.
pub(super) fn call(
    shared: &Shared,
    engine: &mut Engine,
    sandbox: &mut Option<Sandbox>,
    session: &mut Session,
    spec: &'static Spec,
    args: &[&[u8]],
) -> Answer {
    let (Run::Command(run) | Run::Container(_, run)) = spec.run;
    engine.commands_run += 1;
    session.note(spec);
    run(&mut Call { spec, args, session, engine, shared, sandbox })
}

/// Finds the command and checks what can be checked before it runs.
fn admit(engine: &Engine, session: &mut Session, args: &[&[u8]]) -> Result<&'static Spec, CommandError> {
    let name = args.first().copied().unwrap_or_default();
    if is_http(name) {
        // Somebody's browser was led here: nothing it sends is meant for us.
        session.hearing = Hearing::Off;
        session.closing = true;
    }
    let spec = find(engine.dialect, args)?;
    if !spec.takes(args.len()) {
        return Err(CommandError::wrong_arity(spec.name));
    }
    if session.queue.is_some() && engine.dialect == Dialect::Valkey && spec.has(Flags::NO_MULTI) {
        let refused = format!("ERR Command '{}' not allowed inside a transaction", spec.name);
        return Err(CommandError::owned(refused));
    }
    if engine.node.is_some() {
        one_slot(&spec.keys.of(args))?;
    }
    Ok(spec)
}

/// The command or subcommand that these words name.
pub(super) fn find(dialect: Dialect, args: &[&[u8]]) -> Result<&'static Spec, CommandError> {
    let name = args.first().copied().unwrap_or_default();
    let Some(spec) = table::find(dialect, name) else { return Err(unknown(args)) };
    match (&spec.run, args.get(1)) {
        (Run::Container(..), Some(second)) => {
            let hinted = || unknown_subcommand(spec, second).with(HINT);
            table::find_subcommand(dialect, spec, second).ok_or_else(hinted)
        }
        _ => Ok(spec),
    }
}

/// All keys in one slot, or a refusal.
pub(super) fn one_slot(keys: &[&[u8]]) -> Result<(), CommandError> {
    let mut slots = keys.iter().map(|key| slot::slot(key));
    let first = slots.next();
    if slots.all(|slot| Some(slot) == first) { Ok(()) } else { Err(CommandError::CROSS_SLOT) }
}

/// Answers a client while a script runs on and on. Without the engine, only what ends the one or the other can be done.
pub(super) fn run_past_a_script(
    shared: &Shared,
    session: &mut Session,
    dialect: Dialect,
    args: &[&[u8]],
) -> Reply {
    let spec = match find(dialect, args) {
        Ok(spec) => spec,
        Err(error) => {
            session.spoil();
            return error.into_reply();
        }
    };
    if !spec.takes(args.len()) {
        session.spoil();
        return CommandError::wrong_arity(spec.name).into_reply();
    }
    let busy = format!(
        "BUSY {} is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
        dialect.title()
    );
    match spec.name {
        "quit" => {
            session.closing = true;
            Reply::OK
        }
        "multi" if session.queue.is_none() => {
            session.queue = Some(Queue::default());
            Reply::OK
        }
        "exec" if session.queue.take().is_some() => {
            session.forget(shared);
            aborted(CommandError::owned(busy)).into_reply()
        }
        "discard" if session.queue.take().is_none() => CommandError::NO_MULTI_TO_DISCARD.into_reply(),
        "discard" => {
            session.forget(shared);
            Reply::OK
        }
        "script|kill" => end_script(shared).unwrap_or_else(CommandError::into_reply),
        "shutdown" if args.get(1).is_some_and(|how| how.eq_ignore_ascii_case(b"nosave")) => {
            shared.stop();
            session.closing = true;
            Reply::OK
        }
        _ => {
            session.spoil();
            CommandError::owned(busy).into_reply()
        }
    }
}

/// `SCRIPT KILL`.
pub(super) fn end_script(shared: &Shared) -> Answer {
    match shared.running().kill() {
        Ok(()) => Ok(Reply::OK),
        Err(NotEnded::NotBusy) => Err(CommandError::new("NOTBUSY No scripts in execution right now.")),
        Err(NotEnded::HasWritten) => Err(CommandError::new(
            "UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the \
             script termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.",
        )),
    }
}

fn unknown(args: &[&[u8]]) -> CommandError {
    let mut repeated = Vec::new();
    for arg in args.iter().skip(1) {
        let room = MOST_REPEATED.saturating_sub(repeated.len());
        if room == 0 {
            break;
        }
        repeated.extend_from_slice(&[b"'", c_string(arg.get(..room).unwrap_or(arg)), b"' "].concat());
    }
    let name = args.first().copied().unwrap_or_default();
    let name = c_string(name.get(..MOST_REPEATED).unwrap_or(name));
    let parts: [&[u8]; 5] =
        [b"ERR unknown command '", name, b"', with args beginning with: ", &repeated, HINT.as_bytes()];
    CommandError::owned(parts.concat())
}

/// Without the hint, which scripts do without.
pub(super) fn unknown_subcommand(container: &Spec, second: &[u8]) -> CommandError {
    let after = format!("'. Try {} HELP.", container.name.to_ascii_uppercase());
    CommandError::about("ERR unknown subcommand '", second.get(..MOST_REPEATED).unwrap_or(second), &after)
}

/// A transaction that `EXEC` can't even try.
fn aborted(why: CommandError) -> CommandError {
    let why = why.into_text();
    let why = why.strip_prefix(b"ERR ").unwrap_or(&why);
    CommandError::owned([b"EXECABORT Transaction discarded because of: ", why].concat())
}

fn is_exec(args: &[&[u8]]) -> bool {
    args.first().is_some_and(|name| name.eq_ignore_ascii_case(b"exec"))
}

fn is_http(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"post") || name.eq_ignore_ascii_case(b"host:")
}
