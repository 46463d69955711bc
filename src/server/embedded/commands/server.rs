//! The server itself: time, waiting, pauses, and its end.

use std::time::Duration;

use super::options::upper;
use super::{config, info};
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::number::{integer, integer_argument};
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Spec};

/// What "for ever" comes to: nobody connects to this server for longer.
const FOR_EVER: Duration = Duration::from_hours(100 * 365 * 24);

fn time(call: &mut Call<'_>) -> Answer {
    // In Redis 7.0 the clock goes on for this command even where it stands still for all others.
    let micros = match call.engine.dialect {
        Dialect::Redis => call.engine.read_clock(),
        Dialect::Valkey => call.engine.now_micros(),
    };
    let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
    Ok(Reply::Array(vec![Reply::bulk(seconds.to_string()), Reply::bulk(micros.to_string())]))
}

/// There are no replicas: whoever waits for one waits in vain, to the end of its patience.
fn wait(call: &mut Call<'_>) -> Answer {
    let replicas = integer_argument(call.arg(1))?;
    let timeout =
        integer(call.arg(2)).ok_or(CommandError::new("ERR timeout is not an integer or out of range"))?;
    let timeout = u64::try_from(timeout).map_err(|_| CommandError::new("ERR timeout is negative"))?;
    if replicas > 0 && !call.session.in_batch {
        call.session.pause = Some(if timeout == 0 { FOR_EVER } else { Duration::from_millis(timeout) });
    }
    Ok(Reply::Integer(0))
}

/// Only `DEBUG SLEEP`: everybody waits, as when Redis itself is stopped.
fn debug(call: &mut Call<'_>) -> Answer {
    let seconds = std::str::from_utf8(call.arg(2)).ok().and_then(|seconds| seconds.parse::<f64>().ok());
    match (upper(call.arg(1)).as_slice(), call.args.len()) {
        (b"SLEEP", 3) => {
            let pause = Duration::try_from_secs_f64(seconds.unwrap_or(0.0)).unwrap_or_default();
            call.shared.pause(pause);
            Ok(Reply::OK)
        }
        _ => Err(CommandError::about(
            "ERR unknown subcommand or wrong number of arguments for '",
            call.arg(1),
            "'. Try DEBUG HELP.",
        )),
    }
}

fn shutdown(call: &mut Call<'_>) -> Answer {
    let known: [&[u8]; 5] = [b"NOSAVE", b"SAVE", b"NOW", b"FORCE", b"ABORT"];
    if !call.rest(1).iter().all(|word| known.contains(&upper(word).as_slice())) {
        return Err(CommandError::SYNTAX);
    }
    if call.rest(1).iter().any(|word| upper(word) == b"ABORT") {
        return Err(CommandError::new("ERR No shutdown in progress."));
    }
    call.shared.stop();
    call.session.closing = true;
    Ok(Reply::OK)
}

fn lolwut(call: &mut Call<'_>) -> Answer {
    Ok(Reply::Verbatim(format!("Redis ver. {} (embedded)\n", call.engine.dialect.version())))
}

const ADMIN: &[Flags] = &[Flags::ADMIN, Flags::NOSCRIPT, Flags::LOADING, Flags::STALE];

const CONFIG: &[Spec] = &[
    Spec::new(Group::Server, "config|get", -3, config::get)
        .flags(ADMIN)
        .about("2.0.0", "Settings that fit a pattern"),
    Spec::new(Group::Server, "config|set", -4, config::set)
        .flags(ADMIN)
        .about("2.0.0", "Changes a setting, where the embedded server has one to change"),
];

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    Spec::new(Group::Server, "time", 1, time)
        .flags(&[Flags::LOADING, Flags::STALE, Flags::FAST])
        .about("2.6.0", "The time of day by the server's clock"),
    Spec::new(Group::Generic, "wait", 3, wait)
        .flags(&[Flags::NOSCRIPT])
        .about("3.0.0", "Waits for replicas, of which there are none"),
    Spec::new(Group::Server, "debug", -2, debug)
        .flags(ADMIN)
        .about("1.0.0", "DEBUG SLEEP seconds: everybody waits"),
    Spec::new(Group::Server, "shutdown", -1, shutdown)
        .flags(ADMIN)
        .flags(&[Flags::ALLOW_BUSY])
        .about("1.0.0", "Ends the server and all connections"),
    Spec::new(Group::Server, "info", -1, info::info)
        .flags(&[Flags::LOADING, Flags::STALE])
        .about("1.0.0", "What is known of the server"),
    Spec::new(Group::Server, "lolwut", -1, lolwut)
        .flags(&[Flags::READONLY, Flags::FAST])
        .about("5.0.0", "The version, without the picture"),
    Spec::container(Group::Server, "config", CONFIG).about("2.0.0", "The server's settings"),
];
