//! What expressions are made of.

use std::fmt;

use crate::lab::{Span, World};

/// The kind of a value, known before it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Number,
    Time,
    Text,
    Truth,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a number",
            Self::Time => "a time",
            Self::Text => "a text",
            Self::Truth => "a truth (true or false)",
        })
    }
}

/// A value. Times are microseconds and may be negative between two others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd)]
pub enum Value {
    Number(i64),
    Time(i64),
    Text(String),
    Truth(bool),
    /// Not known yet, like the p50 before the first answer. Equal to nothing else and in no order.
    Unknown,
}

impl Value {
    pub(super) fn count(n: usize) -> Self {
        Self::Number(i64::try_from(n).unwrap_or(i64::MAX))
    }

    /// What the guards of all processes have counted under this name.
    pub(super) fn counter(world: &World, name: &str) -> Self {
        Self::Number(world.counted(name).cast_signed())
    }

    pub(super) fn span(span: Span) -> Self {
        Self::Time(span.as_micros().cast_signed())
    }

    pub(super) fn arithmetic(&self, other: &Self, f: impl Fn(i64, i64) -> i64) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(f(*a, *b)),
            (Self::Time(a), Self::Time(b) | Self::Number(b)) | (Self::Number(a), Self::Time(b)) => {
                Self::Time(f(*a, *b))
            }
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(n) => write!(f, "{n}"),
            Self::Time(micros) if *micros < 0 => write!(f, "-{}", Span::from_micros(micros.unsigned_abs())),
            Self::Time(micros) => write!(f, "{}", Span::from_micros(micros.unsigned_abs())),
            Self::Text(text) => f.write_str(text),
            Self::Truth(truth) => f.write_str(if *truth { "yes" } else { "no" }),
            Self::Unknown => f.write_str("-"),
        }
    }
}
