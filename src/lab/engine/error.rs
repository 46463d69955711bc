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
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("could not start a worker: {0}")]
    Script(#[from] ScriptError),
}
