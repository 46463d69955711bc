//! What makes no sense as a choice, and how it is said.

use std::time::Duration;

/// No wait, lease or hold may be longer than this: what is meant to be "for ever" is a mistake in a guard.
pub const LONGEST: Duration = Duration::from_hours(1);

/// A choice that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{option} is {is}; expected {expected}")]
pub struct OptionsError {
    option: &'static str,
    is: String,
    expected: String,
}

impl OptionsError {
    pub(in crate::guard) fn new(option: &'static str, is: impl std::fmt::Debug, expected: &str) -> Self {
        Self { option, is: format!("{is:?}"), expected: expected.to_owned() }
    }
}

/// A life that a server's keys can have: whole milliseconds, at least one.
pub(super) fn check_life(option: &'static str, life: Duration) -> Result<(), OptionsError> {
    if life < Duration::from_millis(1) {
        return Err(OptionsError::new(option, life, "at least 1 ms"));
    }
    Ok(())
}

/// A time that somebody waits or holds something.
pub(super) fn check_hold(option: &'static str, time: Duration) -> Result<(), OptionsError> {
    if time > LONGEST {
        return Err(OptionsError::new(option, time, "at most an hour: no wait is without an end"));
    }
    check_life(option, time)
}
