//! One row of the log, told at length.

use super::log::{command_of, one_line, rows};
use super::words::{lever_words, remark_words, short_token};
use crate::lab::{Change, Entry, Fact, LabTime, Lever, Reply};
use crate::tui::manual;
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
    let who = event.worker.map_or_else(|| by_nobody(&event.fact).to_owned(), |id| id.to_string());
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
            details.means = manual::entry(&command.name()).map(|entry| entry.does.as_str());
            details.reply = Some(match reply {
                Reply::Error { code, text } => format!("({code}) {text}"),
                reply => reply.to_string(),
            });
            details.changes = effects.iter().map(|change| told(change, event.at)).collect();
        }
        Fact::Acted { lever } => {
            lever_words(lever).clone_into(&mut details.what);
            if let Lever::Type(command) = lever {
                details.what = command.to_string();
                details.means = manual::entry(&command.name()).map(|entry| entry.does.as_str());
            }
            if let Some(Fact::Typed { reply, effects }) = events.get(row.event + 1).map(|event| &event.fact) {
                details.reply = Some(reply.to_string());
                details.changes = effects.iter().map(|change| told(change, event.at)).collect();
            }
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

/// Who it was when it was no worker.
fn by_nobody(fact: &Fact) -> &'static str {
    if matches!(fact, Fact::Acted { .. }) { "you" } else { "nobody" }
}
