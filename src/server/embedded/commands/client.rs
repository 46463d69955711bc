//! `CLIENT`: who is connected.

use super::options::upper;
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::number::integer;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::session::Hearing;
use crate::server::embedded::spec::{Answer, Flags, Group, Spec};

fn id(call: &mut Call<'_>) -> Answer {
    Ok(Reply::Integer(i64::try_from(call.session.id).unwrap_or(i64::MAX)))
}

fn getname(call: &mut Call<'_>) -> Answer {
    let card = call.session.card.lock();
    Ok(if card.name.is_empty() { Reply::Null } else { Reply::bulk(&card.name) })
}

fn setname(call: &mut Call<'_>) -> Answer {
    set_name(call, call.arg(2))?;
    Ok(Reply::OK)
}

/// Names the client for others to see.
pub(super) fn set_name(call: &mut Call<'_>, name: &[u8]) -> Result<(), CommandError> {
    let name = printable(name).ok_or(CommandError::new(
        "ERR Client names cannot contain spaces, newlines or special characters.",
    ))?;
    call.session.card.lock().name = name;
    Ok(())
}

/// A word of visible characters, as `CLIENT LIST` needs it.
fn printable(word: &[u8]) -> Option<String> {
    let visible = word.iter().all(|byte| (b'!'..=b'~').contains(byte));
    visible.then(|| String::from_utf8_lossy(word).into_owned())
}

fn setinfo(call: &mut Call<'_>) -> Answer {
    let (what, value) = (call.arg(2), call.arg(3));
    let kind = upper(what);
    if kind != b"LIB-NAME" && kind != b"LIB-VER" {
        return Err(CommandError::about("ERR Unrecognized option '", what, "'"));
    }
    let value = printable(value).ok_or_else(|| {
        CommandError::about("ERR ", what, " cannot contain spaces, newlines or special characters.")
    })?;
    let mut card = call.session.card.lock();
    if kind == b"LIB-NAME" {
        card.library = value;
    } else {
        card.library_version = value;
    }
    Ok(Reply::OK)
}

fn info(call: &mut Call<'_>) -> Answer {
    let line = call.session.card.lock().line(call.engine.dialect);
    Ok(Reply::Verbatim(line + "\n"))
}

fn list(call: &mut Call<'_>) -> Answer {
    let dialect = call.engine.dialect;
    let words: Vec<Vec<u8>> = call.rest(2).iter().map(|word| upper(word)).collect();
    let wanted: Option<Vec<u64>> = match words.iter().map(Vec::as_slice).collect::<Vec<_>>().as_slice() {
        [] | [b"TYPE", b"NORMAL"] => None,
        // There are no others.
        [b"TYPE", b"MASTER" | b"REPLICA" | b"SLAVE" | b"PUBSUB"] => Some(Vec::new()),
        [b"TYPE", _] => {
            return Err(CommandError::about("ERR Unknown client type '", call.arg(3), "'"));
        }
        [b"ID", ids @ ..] if !ids.is_empty() => {
            Some(ids.iter().map(|id| client_id(id, dialect)).collect::<Result<_, _>>()?)
        }
        _ => return Err(CommandError::SYNTAX),
    };
    let mut lines = String::new();
    for card in call.shared.clients().cards() {
        if wanted.as_ref().is_none_or(|wanted| wanted.contains(&card.id)) {
            lines.push_str(&card.line(dialect));
            lines.push('\n');
        }
    }
    Ok(Reply::Verbatim(lines))
}

fn client_id(word: &[u8], dialect: Dialect) -> Result<u64, CommandError> {
    let id = integer(word).and_then(|id| u64::try_from(id).ok()).filter(|id| *id > 0);
    id.ok_or(match dialect {
        Dialect::Redis => CommandError::new("ERR Invalid client ID"),
        Dialect::Valkey => CommandError::SYNTAX,
    })
}

fn no_evict(call: &mut Call<'_>) -> Answer {
    let on = match upper(call.arg(2)).as_slice() {
        b"ON" => true,
        b"OFF" => false,
        _ => return Err(CommandError::SYNTAX),
    };
    // Nobody is ever evicted; the flag shows in `CLIENT LIST`.
    call.session.card.lock().never_evicted = on;
    Ok(Reply::OK)
}

fn reply(call: &mut Call<'_>) -> Answer {
    call.session.hearing = match upper(call.arg(2)).as_slice() {
        b"ON" => Hearing::On,
        b"OFF" => Hearing::Off,
        b"SKIP" if call.session.hearing == Hearing::Off => Hearing::Off,
        b"SKIP" => Hearing::SkipNext,
        _ => return Err(CommandError::SYNTAX),
    };
    Ok(Reply::OK)
}

/// Invalidation messages would need what the embedded server does not have: saying yes would let a client-side cache serve
/// stale values for ever.
fn tracking(_: &mut Call<'_>) -> Answer {
    Err(CommandError::new(
        "ERR the embedded server does not track what clients read; --server spawn starts one that does",
    ))
}

const FLAGS: &[Flags] = &[Flags::NOSCRIPT, Flags::LOADING, Flags::STALE];

const fn client(name: &'static str, arity: i64, run: fn(&mut Call<'_>) -> Answer) -> Spec {
    Spec::new(Group::Connection, name, arity, run).flags(FLAGS)
}

const SUBCOMMANDS: &[Spec] = &[
    client("client|id", 2, id).about("5.0.0", "This client's number"),
    client("client|getname", 2, getname).about("2.6.9", "This client's name"),
    client("client|setname", 3, setname).about("2.6.9", "Names this client"),
    client("client|setinfo", 4, setinfo)
        .only(Dialect::Valkey)
        .about("7.2.0", "Says which library this client uses"),
    client("client|info", 2, info).about("6.2.0", "What is known of this client"),
    client("client|list", -2, list).flags(&[Flags::ADMIN]).about("2.4.0", "What is known of all clients"),
    client("client|no-evict", 3, no_evict)
        .flags(&[Flags::ADMIN])
        .about("7.0.0", "Keeps this client when memory is short"),
    client("client|reply", 3, reply).about("3.2.0", "Which replies this client wants"),
    client("client|tracking", -3, tracking).about("6.0.0", "Refused: this server does not track keys"),
];

pub(in crate::server::embedded) const COMMANDS: &[Spec] =
    &[Spec::container(Group::Connection, "client", SUBCOMMANDS)
        .about("2.4.0", "Who is connected, and what they are called")];
