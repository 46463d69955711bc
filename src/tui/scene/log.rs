//! The log: real commands and real replies, newest last, with runs of retries folded.

use std::collections::BTreeMap;

use super::words::{command_words, lever_words, remark_words, short_token};
use crate::lab::{
    CallId, Change, Command, Event, Fact, Heard, LabTime, Lever, LogRow, Quality, Remark, Reply, Turn,
    WorkerId, World,
};
use crate::tui::session::Session;
use crate::tui::theme::Tone;

/// A run of retries at least this long is folded to one row.
const FOLD_FROM: usize = 4;

/// A row as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// `17`, or `12-90` for folded rows; empty for what has not happened.
    pub step: String,
    pub at: Option<LabTime>,
    pub who: Option<WorkerId>,
    /// It was the learner.
    pub yours: bool,
    pub text: RowText,
    pub remark: String,
    pub tone: Tone,
    /// Its place among the world's rows; the last of those that are folded.
    pub index: Option<usize>,
}

/// What a row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowText {
    /// A command and its reply.
    Exchange(String, String),
    Told(String),
    /// A command that is on its way.
    Next(String),
}

/// The last `count` rows, `skip` rows above the newest.
pub(crate) fn rows(session: &Session, count: usize, skip: usize) -> Vec<Row> {
    let world = &session.world;
    let events = session.tape.events();
    let mut found = Vec::new();
    if skip == 0
        && !world.ended
        && let Some((who, command)) = world.on_the_way().next()
    {
        let text = RowText::Next(command_words(command, world));
        let row = Row {
            step: String::new(),
            at: None,
            who: Some(who),
            yours: false,
            text,
            remark: String::new(),
            tone: Tone::Dim,
            index: None,
        };
        found.push(row);
    }
    let mut end = world.log.len();
    let wanted = count + skip;
    while end > 0 && found.len() < wanted {
        let run = world.log[..end].iter().rev().take_while(|row| is_retry(row)).count();
        if run >= FOLD_FROM {
            found.push(Row { index: Some(end - 1), ..folded(&world.log[end - run..end], events) });
            end -= run;
        } else {
            end -= 1;
            if let Some(row) = shown(world.log[end], events, world) {
                found.push(Row { index: Some(end), ..row });
            }
        }
    }
    let mut rows: Vec<Row> = found.into_iter().skip(skip).take(count).collect();
    rows.reverse();
    rows
}

fn is_retry(row: &LogRow) -> bool {
    row.remark.is_some_and(crate::lab::Remark::is_a_retry)
}

/// Many retries as one row: how many of what, and by whom.
fn folded(rows: &[LogRow], events: &[Event]) -> Row {
    let mut by: BTreeMap<WorkerId, usize> = BTreeMap::new();
    for row in rows {
        if let Some(id) = events.get(row.event).and_then(|event| event.worker) {
            *by.entry(id).or_default() += 1;
        }
    }
    let count = |is: fn(Remark) -> bool| rows.iter().filter(|row| row.remark.is_some_and(is)).count();
    let kinds = [
        (count(|remark| matches!(remark, Remark::Miss | Remark::Claimed)), "read missed", "reads missed"),
        (count(|remark| matches!(remark, Remark::Lost(_))), "try found it locked", "tries found it locked"),
        (count(|remark| matches!(remark, Remark::Joined(_))), "joined a load", "joined a load"),
        (count(|remark| remark == Remark::NoPermit), "wanted a permit", "wanted a permit"),
    ];
    let told = kinds.iter().filter(|(count, ..)| *count > 0);
    let told = told.map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }));
    let what = told.collect::<Vec<_>>().join(", ");
    let who = if by.len() <= 4 {
        by.iter().map(|(id, count)| format!("{id} {count}")).collect::<Vec<_>>().join(", ")
    } else {
        format!("{} workers", by.len())
    };
    let (first, last) = (rows.first().map_or(0, |row| row.step), rows.last().map_or(0, |row| row.step));
    let at = rows.last().map(|row| row.at);
    Row {
        step: format!("{first}-{last}"),
        at,
        who: None,
        yours: false,
        text: RowText::Told(what),
        remark: who,
        tone: Tone::Dim,
        index: None,
    }
}

fn shown(row: LogRow, events: &[Event], world: &World) -> Option<Row> {
    let event = events.get(row.event)?;
    let told = |text: &str| RowText::Told(text.to_owned());
    let mut tone = Tone::Plain;
    let mut remark = row.remark.map(remark_words).unwrap_or_default();
    let text = match &event.fact {
        Fact::Executed { call, reply, .. } => {
            RowText::Exchange(sent(*call, row.event, events, world), reply_words(reply))
        }
        Fact::Answered { heard: Heard::TimedOut, call } => {
            tone = Tone::Accent;
            told(&format!("{}: no reply in time", sent(*call, row.event, events, world)))
        }
        Fact::Answered { call, .. } => {
            tone = Tone::Accent;
            told(&format!("{}: connection lost", sent(*call, row.event, events, world)))
        }
        Fact::Expired { key } => told(&format!("{key} expired")),
        Fact::QueryStarted { sql, takes, .. } => {
            if remark.is_empty() {
                remark = format!("takes {takes}");
            }
            RowText::Told(one_line(sql))
        }
        Fact::QueryFinished { query, failed, .. } => {
            let what = started(*query, row.event, events)?;
            told(&if *failed { "query FAILED".to_owned() } else { what })
        }
        Fact::Served { quality, value } => {
            tone = if *quality == Quality::Fresh { Tone::Good } else { Tone::Accent };
            told(&format!("answers its reader: {value} ({})", format!("{quality:?}").to_ascii_lowercase()))
        }
        Fact::Finished { error } => {
            tone = Tone::Accent;
            told(&format!("fails: {}", error.as_deref().unwrap_or_default()))
        }
        Fact::Noted { text } => told(text),
        Fact::Crashed => {
            tone = Tone::Accent;
            told("CRASHES: it will never say anything again")
        }
        Fact::ConnectionDropped => {
            tone = Tone::Accent;
            told("its connection breaks")
        }
        Fact::ReplyLost { .. } => {
            tone = Tone::Accent;
            told("the reply is lost on the way")
        }
        Fact::Paused { until } => {
            tone = Tone::Accent;
            told(&format!("stands still for {}", until.since(event.at)))
        }
        Fact::Resumed => told("goes on"),
        Fact::Waits { on: Turn::Flight, .. } => told("joins a load under way in its process"),
        Fact::Waits { on: Turn::Permit, .. } => told("wants a permit"),
        Fact::Proceeds { .. } => {
            tone = Tone::Accent;
            told("no permit came free in time")
        }
        Fact::ClientLeft => {
            tone = Tone::Bad;
            told("nobody answered in time: its client has gone")
        }
        Fact::AnswerLost { .. } => {
            tone = Tone::Accent;
            told("the query's answer is lost, and nothing says so")
        }
        Fact::FailedOver { lost } => {
            tone = Tone::Accent;
            told(&format!("FAILOVER: a replica takes over that never had {}", keys_of(lost)))
        }
        Fact::Acted { lever } => {
            tone = Tone::Accent;
            acted(lever, events.get(row.event + 1), world)
        }
        Fact::Outside(change) => {
            tone = Tone::Accent;
            told(&outside_words(change))
        }
        Fact::PutBack { key } => told(&format!("{key} had run out while we were stopped; it is back")),
        Fact::Ended => told("the run has ended"),
        Fact::Began(_)
        | Fact::Arrived
        | Fact::TokenDrawn { .. }
        | Fact::Sent { .. }
        | Fact::Typed { .. }
        | Fact::QueryQueued { .. }
        | Fact::Measured { .. }
        | Fact::Waits { on: Turn::Thread, .. }
        | Fact::Slept { .. } => return None,
    };
    if row.remark.is_some_and(crate::lab::Remark::is_alarming) {
        tone = Tone::Bad;
    }
    let (step, at) = (row.step.to_string(), Some(row.at));
    let yours = matches!(event.fact, Fact::Acted { .. });
    Some(Row { step, at, who: event.worker, yours, text, remark, tone, index: None })
}

/// What the learner did; what a command of theirs answered is the next event.
fn acted(lever: &Lever, next: Option<&Event>, world: &World) -> RowText {
    match (lever, next.map(|event| &event.fact)) {
        (Lever::Type(command), Some(Fact::Typed { reply, .. })) => {
            RowText::Exchange(command_words(command, world), reply_words(reply))
        }
        (lever, _) => RowText::Told(lever_words(lever)),
    }
}

/// What somebody outside did.
fn outside_words(change: &Change) -> String {
    let after = change.after.as_ref().map_or_else(|| "gone".to_owned(), |entry| short_token(&entry.value));
    format!("somebody outside changed {}: {after}", change.key)
}

/// The row that stands last in the log pane as one would type it into `redis-cli`, if it is a command.
pub(crate) fn row_as_typed(session: &Session) -> Option<String> {
    let shown = rows(session, 2, usize::from(session.log_scroll));
    let index = shown.iter().rev().find_map(|row| row.index)?;
    let (events, row) = (session.tape.events(), session.world.log.get(index)?);
    match &events.get(row.event)?.fact {
        Fact::Executed { call, .. } | Fact::Answered { call, .. } => {
            Some(command_of(*call, &events[..row.event])?.to_string())
        }
        Fact::Acted { lever: Lever::Type(command) } => Some(command.to_string()),
        _ => None,
    }
}

/// The keys of some changes, or that there are none.
fn keys_of(changes: &[Change]) -> String {
    let keys: Vec<_> = changes.iter().map(|change| change.key.to_string()).collect();
    if keys.is_empty() { "nothing".to_owned() } else { keys.join(", ") }
}

/// The command of a call in words.
fn sent(call: CallId, before: usize, events: &[Event], world: &World) -> String {
    command_of(call, &events[..before]).map(|command| command_words(command, world)).unwrap_or_default()
}

/// The command of a call, looked up where it was sent.
pub(super) fn command_of(call: CallId, events: &[Event]) -> Option<&Command> {
    events.iter().rev().find_map(|event| match &event.fact {
        Fact::Sent { call: id, command } if *id == call => Some(command),
        _ => None,
    })
}

/// What came of a query, looked up where it began.
fn started(query: crate::lab::QueryId, before: usize, events: &[Event]) -> Option<String> {
    events[..before].iter().rev().find_map(|event| match &event.fact {
        Fact::QueryStarted { query: id, commits: true, .. } if *id == query => Some("committed".to_owned()),
        Fact::QueryStarted { query: id, row, .. } if *id == query => {
            let version = row.as_ref().and_then(|row| row.get("version")).map(|version| match version {
                crate::lab::Cell::Integer(n) => format!("version {n}"),
                other => format!("version {other:?}"),
            });
            let found = if row.is_some() { "1 row" } else { "no row" };
            let found = version.map_or(found.to_owned(), |version| format!("{found}, {version}"));
            Some(format!("query done: {found}"))
        }
        _ => None,
    })
}

fn reply_words(reply: &Reply) -> String {
    match reply {
        Reply::Bulk(bytes) => short_token(bytes),
        Reply::Error { code, text } => format!("({code}) {text}"),
        other => other.to_string(),
    }
}

pub(super) fn one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}
