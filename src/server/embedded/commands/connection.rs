//! The connection: greeting, protocol, database, and leaving.

use super::options::{Words, upper};
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::{Protocol, Reply};
use crate::server::embedded::data::number::{integer, integer_argument};
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::session::Hearing;
use crate::server::embedded::spec::{Answer, Flags, Group, Spec};

fn ping(call: &mut Call<'_>) -> Answer {
    match call.rest(1) {
        [] => Ok(Reply::Status("PONG")),
        [message] => Ok(Reply::bulk(message)),
        _ => Err(call.wrong_arity()),
    }
}

fn echo(call: &mut Call<'_>) -> Answer {
    Ok(Reply::bulk(call.arg(1)))
}

fn hello(call: &mut Call<'_>) -> Answer {
    let mut words = Words::new(call.rest(1));
    let mut protocol = call.session.protocol;
    if let Some(version) = words.next() {
        let version = integer(version)
            .ok_or(CommandError::new("ERR Protocol version is not an integer or out of range"))?;
        protocol = match version {
            2 => Protocol::Resp2,
            3 => Protocol::Resp3,
            _ => return Err(CommandError::new("NOPROTO unsupported protocol version")),
        };
    }
    let mut user = None;
    let mut name = None;
    while let Some(word) = words.next() {
        let wrong = || CommandError::about("ERR Syntax error in HELLO option '", word, "'");
        match upper(word).as_slice() {
            b"AUTH" => user = Some((words.next().ok_or_else(wrong)?, words.next().ok_or_else(wrong)?)),
            b"SETNAME" => name = Some(words.next().ok_or_else(wrong)?),
            _ => return Err(wrong()),
        }
    }
    if let Some((user, _)) = user {
        known_user(user)?;
    }
    if let Some(name) = name {
        super::client::set_name(call, name)?;
    }
    call.session.protocol = protocol;
    let field = |name: &str, value: Reply| (Reply::bulk(name), value);
    let dialect = call.engine.dialect;
    // In Valkey the scripting engine is one.
    let modules = match dialect {
        Dialect::Redis => Vec::new(),
        Dialect::Valkey => vec![Reply::Map(vec![
            field("name", Reply::bulk("lua")),
            field("ver", Reply::Integer(1)),
            field("path", Reply::bulk("lua")),
            field("args", Reply::Array(Vec::new())),
        ])],
    };
    Ok(Reply::Map(vec![
        field("server", Reply::bulk(dialect.name())),
        field("version", Reply::bulk(dialect.version())),
        field("proto", Reply::Integer(if protocol == Protocol::Resp2 { 2 } else { 3 })),
        field("id", Reply::Integer(i64::try_from(call.session.id).unwrap_or(i64::MAX))),
        field("mode", Reply::bulk(if call.engine.node.is_some() { "cluster" } else { "standalone" })),
        field("role", Reply::bulk("master")),
        field("modules", Reply::Array(modules)),
    ]))
}

fn auth(call: &mut Call<'_>) -> Answer {
    match call.rest(1) {
        [_] => Err(CommandError::new(
            "ERR AUTH <password> called without any password configured for the default user. Are you sure your \
             configuration is correct?",
        )),
        [user, _] => known_user(user).map(|()| Reply::OK),
        _ => Err(CommandError::SYNTAX),
    }
}

/// There is one user, and any password is right for it.
fn known_user(user: &[u8]) -> Result<(), CommandError> {
    if user == b"default" {
        return Ok(());
    }
    Err(CommandError::new("WRONGPASS invalid username-password pair or user is disabled."))
}

fn select(call: &mut Call<'_>) -> Answer {
    let word = call.arg(1);
    if call.engine.node.is_some() && integer_argument(word)? != 0 {
        return Err(match call.engine.dialect {
            Dialect::Redis => CommandError::new("ERR SELECT is not allowed in cluster mode"),
            Dialect::Valkey => CommandError::DB_OUT_OF_RANGE,
        });
    }
    call.session.db = call.database_number(word)?;
    Ok(Reply::OK)
}

fn quit(call: &mut Call<'_>) -> Answer {
    call.session.closing = true;
    Ok(Reply::OK)
}

fn reset(call: &mut Call<'_>) -> Answer {
    call.session.queue = None;
    call.session.unwatch(call.engine);
    call.session.db = 0;
    call.session.protocol = Protocol::Resp2;
    call.session.hearing = Hearing::On;
    let mut card = call.session.card.lock();
    card.name = String::new();
    card.never_evicted = false;
    Ok(Reply::Status("RESET"))
}

const HANDSHAKE: &[Flags] =
    &[Flags::NOSCRIPT, Flags::LOADING, Flags::STALE, Flags::FAST, Flags::NO_AUTH, Flags::ALLOW_BUSY];

const fn connection(name: &'static str, arity: i64, run: fn(&mut Call<'_>) -> Answer) -> Spec {
    Spec::new(Group::Connection, name, arity, run)
}

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    connection("ping", -1, ping).flags(&[Flags::FAST]).about("1.0.0", "Answers PONG, or what it was sent"),
    connection("echo", 2, echo)
        .flags(&[Flags::LOADING, Flags::STALE, Flags::FAST])
        .about("1.0.0", "Answers with what it was sent"),
    connection("hello", -1, hello)
        .flags(HANDSHAKE)
        .about("6.0.0", "Chooses the protocol and says who the server is"),
    connection("auth", -2, auth).flags(HANDSHAKE).about("1.0.0", "Names the user and its password"),
    connection("select", 2, select)
        .flags(&[Flags::LOADING, Flags::STALE, Flags::FAST])
        .about("1.0.0", "Chooses a database"),
    connection("quit", -1, quit)
        .flags(HANDSHAKE)
        .flags(&[Flags::IMMEDIATE])
        .about("1.0.0", "Ends the connection"),
    connection("reset", 1, reset)
        .flags(HANDSHAKE)
        .flags(&[Flags::IMMEDIATE])
        .about("6.2.0", "Makes the connection as good as new"),
];
