//! Words after the fixed ones: options and what they ask for.

use crate::server::embedded::data::number;
use crate::server::embedded::error::CommandError;

/// Reads options one after the other.
pub(super) struct Words<'a>(&'a [&'a [u8]]);

impl<'a> Words<'a> {
    pub(super) fn new(words: &'a [&'a [u8]]) -> Self {
        Self(words)
    }

    /// The word that an option takes after itself.
    pub(super) fn value(&mut self) -> Result<&'a [u8], CommandError> {
        self.next().ok_or(CommandError::SYNTAX)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }
}

/// A word in capitals, to be matched against names of options.
pub(super) fn upper(word: &[u8]) -> Vec<u8> {
    word.to_ascii_uppercase()
}

/// A life or a deadline as an option of `SET` and `GETEX` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Seconds,
    Milliseconds,
    UntilSecond,
    UntilMillisecond,
}

impl Life {
    pub(super) fn of(word: &[u8]) -> Option<Self> {
        Some(match upper(word).as_slice() {
            b"EX" => Self::Seconds,
            b"PX" => Self::Milliseconds,
            b"EXAT" => Self::UntilSecond,
            b"PXAT" => Self::UntilMillisecond,
            _ => return None,
        })
    }

    /// The deadline in milliseconds of the time of day. Nothing can be given a life that is over, or that goes on beyond
    /// what 63 bits can count.
    pub(super) fn deadline(self, amount: &[u8], now: u64, command: &str) -> Result<u64, CommandError> {
        let amount = number::integer_argument(amount)?;
        let milliseconds = match self {
            Self::Seconds | Self::UntilSecond => amount.checked_mul(1000),
            Self::Milliseconds | Self::UntilMillisecond => Some(amount),
        };
        let milliseconds = milliseconds.filter(|milliseconds| *milliseconds > 0);
        let deadline = match self {
            Self::Seconds | Self::Milliseconds => {
                milliseconds.and_then(|life| life.checked_add_unsigned(now))
            }
            Self::UntilSecond | Self::UntilMillisecond => milliseconds,
        };
        deadline
            .and_then(|deadline| u64::try_from(deadline).ok())
            .ok_or_else(|| CommandError::invalid_expire(command))
    }
}
