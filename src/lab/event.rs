//! What the lab writes down.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use super::command::Command;
use super::database::Row;
use super::keyspace::Change;
use super::reply::Reply;
use super::schedule::{Intervention, Lever};
use super::setup::{AppSetup, Global, Keys};
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
    /// The answer to this query will never arrive, and nothing says so.
    AnswerLost {
        query: QueryId,
    },
    /// Something that its process has only so many of, or does only once, is not to be had now.
    Waits {
        on: Turn,
        /// Who does the load it waits for.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        leader: Option<WorkerId>,
    },
    /// The wait is over; `got` says whether with what it waited for.
    Proceeds {
        on: Turn,
        got: bool,
    },
    QueryFinished {
        query: QueryId,
        failed: bool,
        /// After a commit, in lessons that say how to ask for it: what the cached value ought to be from here on.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        truth: Option<Bytes>,
        /// After a commit, in lessons that watch a number of the database.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        watched: Option<i64>,
    },
    Slept {
        until: LabTime,
    },
    /// What a library has counted in this process, where that has changed.
    Measured {
        process: String,
        counts: BTreeMap<String, u64>,
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
    /// Its client has waited long enough and is gone; an answer would reach nobody.
    ClientLeft,
    /// Another Redis server took over, and it had not heard of these changes yet. All connections broke.
    FailedOver {
        lost: Vec<Change>,
    },
    /// A key came to its deadline.
    Expired {
        key: Bytes,
    },
    /// The learner pulled a lever. What comes of it follows.
    Acted {
        lever: Lever,
    },
    /// What the learner's own command answered and changed.
    Typed {
        reply: Reply,
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        effects: Vec<Change>,
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
    /// The number of the database that the lesson watches.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub watched: Option<i64>,
    #[serde(skip_serializing_if = "AppSetup::is_boundless", default)]
    pub app: AppSetup,
    /// What makes the run differ from the one that the lesson gives, what was done by hand apart.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub schedule: Vec<Intervention>,
    /// The learner's program, when it takes the place of the take's own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repair: Option<String>,
}

/// What a worker may have to wait for in its own process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// A request thread.
    Thread,
    /// A load of the same key that somebody else does already (singleflight).
    Flight,
    /// One of a bounded number of permits.
    Permit,
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
            | Fact::AnswerLost { .. }
            | Fact::Served { .. }
            | Fact::Noted { .. }
            | Fact::Crashed
            | Fact::ConnectionDropped
            | Fact::ReplyLost { .. }
            | Fact::Paused { .. }
            | Fact::Resumed
            | Fact::ClientLeft
            | Fact::FailedOver { .. }
            | Fact::Waits { on: Turn::Flight | Turn::Permit, .. }
            | Fact::Proceeds { on: Turn::Permit, got: false }
            | Fact::Expired { .. }
            | Fact::Acted { .. }
            | Fact::Outside(_)
            | Fact::PutBack { .. }
            | Fact::Ended => true,
            Fact::Finished { error } => error.is_some(),
            Fact::Began(_)
            | Fact::Arrived
            | Fact::TokenDrawn { .. }
            | Fact::Sent { .. }
            | Fact::Executed { .. }
            | Fact::Typed { .. }
            | Fact::QueryQueued { .. }
            | Fact::Measured { .. }
            | Fact::Waits { .. }
            | Fact::Proceeds { .. }
            | Fact::Slept { .. } => false,
        }
    }
}
