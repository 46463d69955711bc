//! What the user can do something about.

use std::process::ExitCode;

use super::lines::tell;
use crate::lab::LabError;
use crate::lesson::{LessonError, ShelfError, StageError};
use crate::server::{ChoiceError, ServerError};

/// Ended by a signal, as shells count it.
const INTERRUPTED: u8 = 130;

/// A message, what to do about it, and the exit code.
#[derive(Clone, Debug)]
pub struct Failure {
    pub message: String,
    pub hint: String,
    pub code: u8,
}

/// A claim did not hold.
pub(super) const CLAIM_FAILED: u8 = 1;
/// The command line asks for something that is not there.
pub(super) const USAGE: u8 = 2;
/// The environment is not as it must be.
pub(super) const ENVIRONMENT: u8 = 3;

impl Failure {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>, code: u8) -> Self {
        Self { message: message.into(), hint: hint.into(), code }
    }

    /// Says it on standard error.
    pub fn report(&self) -> ExitCode {
        if self.message.is_empty() {
            return ExitCode::from(self.code);
        }
        tell(format_args!("error: {}", self.message));
        if !self.hint.is_empty() {
            tell(format_args!("hint: {}", self.hint));
        }
        ExitCode::from(self.code)
    }
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        Self::new(error.to_string(), error.hint(), ENVIRONMENT)
    }
}

impl From<ChoiceError> for Failure {
    fn from(error: ChoiceError) -> Self {
        Self::new(error.to_string(), "unset it, or pass --redis URL or --server spawn", ENVIRONMENT)
    }
}

impl From<ShelfError> for Failure {
    fn from(error: ShelfError) -> Self {
        let code = if matches!(error, ShelfError::Lesson(_)) { CLAIM_FAILED } else { USAGE };
        Self::new(error.to_string(), "", code)
    }
}

impl From<LessonError> for Failure {
    fn from(error: LessonError) -> Self {
        Self::new(error.to_string(), "", CLAIM_FAILED)
    }
}

impl From<StageError> for Failure {
    fn from(error: StageError) -> Self {
        Self::new(error.to_string(), "`stampede list` shows lessons, takes and knobs", USAGE)
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        let code = if matches!(error, LabError::Interrupted) { INTERRUPTED } else { ENVIRONMENT };
        Self::new(error.to_string(), error.hint(), code)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            // Whoever read the output has had enough of it.
            return Self::new("", "", 0);
        }
        Self::new(format!("could not write the output: {error}"), "", ENVIRONMENT)
    }
}
