//! One row of the log, told at length.

use super::log::{command_of, one_line, rows};
use super::words::{remark_words, short_token};
use crate::lab::{Change, Entry, Fact, LabTime, Reply};
use crate::tui::session::Session;

/// Everything that is known of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Details {
    /// Where and when: step, time, worker, line.
    pub place: String,
    /// The command as one would type it, or what happened instead.
    pub what: String,
    /// What such a command does.
    pub means: Option<&'static str>,
    pub reply: Option<String>,
    /// Keys before and after.
    pub changes: Vec<(String, String, String)>,
    pub remark: Option<String>,
}

/// The row that stands last in the log pane.
pub(crate) fn details(session: &Session) -> Option<Details> {
    let world = &session.world;
    // The newest may be a command that is only on its way.
    let shown = rows(session, 2, usize::from(session.log_scroll));
    let index = shown.iter().rev().find_map(|row| row.index)?;
    let row = world.log.get(index)?;
    let events = session.tape.events();
    let event = events.get(row.event)?;
    let who = event.worker.map_or_else(|| "nobody".to_owned(), |id| id.to_string());
    let line = event.line.map(|line| format!(", line {line}")).unwrap_or_default();
    let mut details = Details {
        place: format!("step {}, {}: {who}{line}", row.step, event.at),
        what: String::new(),
        means: None,
        reply: None,
        changes: Vec::new(),
        remark: row.remark.map(remark_words),
    };
    match &event.fact {
        Fact::Executed { call, reply, effects } => {
            let command = command_of(*call, &events[..row.event])?;
            details.what = command.to_string();
            details.means = meaning(&command.name());
            details.reply = Some(match reply {
                Reply::Error { code, text } => format!("({code}) {text}"),
                reply => reply.to_string(),
            });
            details.changes = effects.iter().map(|change| told(change, event.at)).collect();
        }
        Fact::QueryStarted { sql, takes, .. } => {
            details.what = one_line(sql);
            details.reply = Some(format!("on its way for {takes}"));
        }
        Fact::Expired { key } => {
            details.what = format!("{key} has come to its deadline, and Redis has dropped it");
        }
        _ => "this row says all there is to say".clone_into(&mut details.what),
    }
    Some(details)
}

/// A key, and what was under it before and after.
fn told(change: &Change, now: LabTime) -> (String, String, String) {
    let entry = |entry: &Option<Entry>| match entry {
        None => "nothing".to_owned(),
        Some(entry) => {
            let left = entry.deadline.map(|at| at.since(now).as_millis_up());
            let life = left.map_or_else(|| "no expiry".to_owned(), |left| format!("{left} ms"));
            format!("{} ({life})", short_token(&entry.value))
        }
    };
    (change.key.to_string(), entry(&change.before), entry(&change.after))
}

/// What a command does, in a sentence.
fn meaning(name: &str) -> Option<&'static str> {
    const KNOWN: &[(&str, &str)] = &[
        ("CLUSTER", "Tells of the cluster; KEYSLOT: the hash slot of a key."),
        ("DEL", "Removes a key, whoever put it there. Answers how many were removed."),
        ("DELIFEQ", "Removes a key if it holds this value. Valkey 9.0 and later."),
        ("EVAL", "Runs a Lua script inside the server. Nothing else runs meanwhile."),
        ("EVALSHA", "Runs a script that the server knows, by its digest."),
        ("EXPIRE", "Gives a key a life in seconds. 1: done, 0: no such key."),
        ("GET", "Reads a string. nil when there is no such key."),
        ("GETDEL", "Reads a string and removes the key, whatever it held."),
        ("INCR", "Adds one to a number, and answers what it is now."),
        ("PEXPIRE", "Gives a key a life in milliseconds. 1: done, 0: no such key."),
        ("PTTL", "Milliseconds a key has left. -1: no expiry, -2: no such key."),
        (
            "SET",
            "Writes a string. NX: only if there is none; EX, PX: with a life. OK, or nil when NX finds one.",
        ),
        ("SETNX", "Writes a string if there is none, without a life. 1: written, 0: not."),
        ("TIME", "The server's own clock: seconds and microseconds."),
        ("TTL", "Seconds a key has left. -1: no expiry, -2: no such key."),
        ("UNLINK", "Removes a key; its memory is freed later."),
    ];
    KNOWN.iter().find(|(known, _)| *known == name).map(|(_, means)| *means)
}
