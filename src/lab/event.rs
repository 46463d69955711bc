//! What the lab writes down.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use super::command::Command;
use super::database::Row;
use super::keyspace::Change;
use super::reply::Reply;
use super::setup::{Global, Keys};
use super::time::{LabTime, Span};
use super::worker::{Member, WorkerId};

/// The version of the journal's form. Raise it when an old journal would be read wrongly.
pub const JOURNAL_VERSION: u32 = 1;

/// A command on its way: the lab's number for one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub u32);

/// A database query: the lab's number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueryId(pub u32);

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    #[serde(rename = "at_ms")]
    pub at: LabTime,
    /// The entry of the lab's queue that caused it. What one entry causes happens together.
    pub tick: u32,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worker: Option<WorkerId>,
    /// The line of the worker's program that asked for it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    #[serde(flatten)]
    pub fact: Fact,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fact {
    /// The first event of every journal: what the run is made of.
    Began(Box<Opening>),
    /// A worker starts its program.
    Arrived,
    /// A worker drew a token for an acquisition.
    TokenDrawn {
        token: String,
    },
    /// A command left the worker.
    Sent {
        call: CallId,
        command: Command,
    },
    /// The server executed it: this is when it really ran.
    Executed {
        call: CallId,
        reply: Reply,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        effects: Vec<Change>,
    },
    /// What the worker got to hear.
    Answered {
        call: CallId,
        heard: Heard,
    },
    /// All connections of the database's pool are busy; the query waits for one.
    QueryQueued {
        query: QueryId,
        sql: String,
    },
    /// The query has a connection and ran; its result travels for `takes`.
    QueryStarted {
        query: QueryId,
        sql: String,
        /// What a query that only reads has found. A commit runs when it ends.
        row: Option<Row>,
        takes: Span,
        /// It may change something.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        commits: bool,
    },
    QueryFinished {
        query: QueryId,
        failed: bool,
        /// After a commit, in lessons that say how to ask for it: what the cached value ought to be from here on.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        truth: Option<Bytes>,
    },
    Slept {
        until: LabTime,
    },
    Noted {
        text: String,
    },
    /// The worker answered its reader.
    Served {
        quality: Quality,
        value: Bytes,
    },
    /// The worker's program came to its end, or failed with an error that nobody caught.
    Finished {
        #[serde(skip_serializing_if = "Option::is_none", default)]
        error: Option<String>,
    },
    Crashed,
    ConnectionDropped,
    /// The reply to this call will never arrive.
    ReplyLost {
        call: CallId,
    },
    Paused {
        until: LabTime,
    },
    Resumed,
    /// A key came to its deadline.
    Expired {
        key: Bytes,
    },
    /// Somebody outside the lab changed a key. From here on the run cannot be reproduced.
    Outside(Change),
    /// The server had dropped a key while the program was stopped; it is back as it was.
    PutBack {
        key: Bytes,
    },
    /// Nothing is left to happen.
    Ended,
}

/// What a run is made of, for readers of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    pub version: u32,
    pub lesson: String,
    pub take: String,
    pub seed: u64,
    pub knobs: BTreeMap<String, Global>,
    pub keys: Keys,
    pub cast: Vec<Member>,
    pub pool: usize,
    /// What the cached value ought to be, in lessons that say how to ask for it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub truth: Option<Bytes>,
}

/// What a worker heard of its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heard {
    Reply,
    /// Nothing within the timeout. The command may have run.
    TimedOut,
    /// The connection broke. The command may have run.
    Disconnected,
}

/// How good an answer a reader got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    Fresh,
    Stale,
    Degraded,
    Failed,
}

impl Event {
    /// True for what a learner steps through: the rows of the log. The others only lead up to these.
    pub fn is_step(&self) -> bool {
        match &self.fact {
            Fact::Answered { .. }
            | Fact::QueryStarted { .. }
            | Fact::QueryFinished { .. }
            | Fact::Served { .. }
            | Fact::Noted { .. }
            | Fact::Crashed
            | Fact::ConnectionDropped
            | Fact::ReplyLost { .. }
            | Fact::Paused { .. }
            | Fact::Resumed
            | Fact::Expired { .. }
            | Fact::Outside(_)
            | Fact::PutBack { .. }
            | Fact::Ended => true,
            Fact::Finished { error } => error.is_some(),
            Fact::Began(_)
            | Fact::Arrived
            | Fact::TokenDrawn { .. }
            | Fact::Sent { .. }
            | Fact::Executed { .. }
            | Fact::QueryQueued { .. }
            | Fact::Slept { .. } => false,
        }
    }
}
