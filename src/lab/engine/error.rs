//! Why a run cannot begin or go on.

use crate::lab::database::DatabaseError;
use crate::lab::lua::ScriptError;
use crate::lab::wire::WireError;

/// Why a run cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    #[error(transparent)]
    Wire(#[from] WireError),
    #[error("the server already has a key `{key}`, and this lesson would overwrite it")]
    KeyTaken { key: String },
    #[error("could not ask the server whether it has a key `{key}`: it answered {answer}")]
    Unanswered { key: String, answer: String },
    #[error("the run goes on and on: after {events} events {worker} is still at it (line {line})")]
    Endless { events: usize, worker: String, line: u32 },
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("could not start a worker: {0}")]
    Script(#[from] ScriptError),
}

impl LabError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::KeyTaken { .. } => {
                "nothing was changed; start again with --key-prefix try: (the lesson then uses longer names), or use another \
                 database with --redis redis://HOST/NUMBER"
            }
            Self::Wire(_) => "check that the server still runs, and start again",
            Self::Unanswered { .. } => {
                "the user of the URL needs EXISTS, GET, SET, DEL, PTTL, PEXPIRE and EVAL"
            }
            Self::Endless { .. } => "mend the program: its loop needs an end",
            Self::Interrupted => "the lesson's keys are removed",
            Self::Database(_) | Self::Script(_) => "mend the lesson and start again",
        }
    }
}
