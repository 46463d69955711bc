//! When something goes wrong.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::command::Command;
use super::time::{LabTime, Span};

/// When: at a time, or at one of the three moments of the worker's n-th command of some name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    At(LabTime),
    /// Instead of sending it.
    Before(Nth),
    /// Right after the server has executed it, before the answer arrives.
    Executed(Nth),
    /// When its answer arrives.
    After(Nth),
}

/// The name under which moments count database queries.
pub const QUERY: &str = "QUERY";

/// A worker's n-th command of this name; the first is 1. Its database queries count under the name `QUERY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nth {
    pub name: String,
    pub nth: u32,
}

impl Nth {
    pub fn is(&self, command: &Command, nth: u32) -> bool {
        self.nth == nth && self.name == command.name()
    }

    /// True for a worker's n-th query.
    pub fn is_query(&self, nth: u32) -> bool {
        self.nth == nth && self.name == QUERY
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(at) => write!(f, "at {at}"),
            Self::Before(nth) => write!(f, "before {}", nth.name),
            Self::Executed(nth) => write!(f, "after the server ran {}, before the answer", nth.name),
            Self::After(nth) => write!(f, "after {}", nth.name),
        }
    }
}

impl Moment {
    /// As a lesson writes it: what [`Moment::from_str`] reads.
    pub fn written(&self) -> String {
        match self {
            Self::At(at) => format!("at {}", at.since(LabTime::START).written()),
            Self::Before(nth) => format!("before {nth}"),
            Self::Executed(nth) => format!("executed {nth}"),
            Self::After(nth) => format!("after {nth}"),
        }
    }
}

/// `SET`, or `SET 2`.
impl fmt::Display for Nth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nth == 1 { f.write_str(&self.name) } else { write!(f, "{} {}", self.name, self.nth) }
    }
}

/// Why a text is not a moment.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not a moment; expected `at 3s`, `before EXPIRE`, `executed SETNX`, `after GET 2` or `after QUERY`"
)]
pub struct MomentError(String);

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        let wrong = || MomentError(text.to_owned());
        let mut words = text.split_whitespace();
        let (when, what) = words.next().zip(words.next()).ok_or_else(wrong)?;
        if when == "at" && words.clone().next().is_none() {
            let span = what.parse::<Span>().map_err(|_| wrong())?;
            return Ok(Self::At(LabTime::START + span));
        }
        let nth = words.next().map_or(Ok(1), str::parse).map_err(|_| wrong())?;
        let known = what.eq_ignore_ascii_case(QUERY) || Command::of([what]).is_known();
        if nth == 0 || words.next().is_some() || !known {
            return Err(wrong());
        }
        let nth = Nth { name: what.to_ascii_uppercase(), nth };
        match when {
            "before" => Ok(Self::Before(nth)),
            "executed" => Ok(Self::Executed(nth)),
            "after" => Ok(Self::After(nth)),
            _ => Err(wrong()),
        }
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_reads_what_it_writes() {
        for text in ["at 3s", "at 1500ms", "at 1us", "before GET", "executed SET 2", "after QUERY"] {
            assert_eq!(text.parse::<Moment>().unwrap().written(), text);
        }
    }

    #[test]
    fn moments_read_as_lessons_write_them() {
        let nth = |name: &str, nth| Nth { name: name.to_owned(), nth };
        assert_eq!("after SETNX".parse::<Moment>().unwrap(), Moment::After(nth("SETNX", 1)));
        assert_eq!("before expire 2".parse::<Moment>().unwrap(), Moment::Before(nth("EXPIRE", 2)));
        assert_eq!("at 3s".parse::<Moment>().unwrap(), Moment::At(LabTime::from_micros(3_000_000)));
        for wrong in [
            "",
            "after",
            "whenever GET",
            "at noon",
            "after GET twice",
            "after GTE",
            "after GET 0",
            "at 3s sharp",
        ] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }
}
