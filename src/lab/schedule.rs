//! What is done to a run beyond its setup: faults that the judge tries, ties decided otherwise, and what a learner did by
//! hand. With them a run can be had again, byte for byte.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::command::Command;
use super::fault::Fault;
use super::harm::Harm;
use super::time::{LabTime, Span};
use super::worker::WorkerId;

/// Something that a learner does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lever {
    Harm(Harm),
    /// A worker that stands still goes on at once.
    Thaw(WorkerId),
    /// A command at the prompt.
    Type(Command),
}

/// Something that a learner did, and where in the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// How many entries of the lab's queue had been dealt with.
    pub after: u32,
    pub at: LabTime,
    pub lever: Lever,
}

/// One thing that makes a run differ from the one that its setup alone gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intervention {
    Fault(Fault),
    /// At the n-th moment when several things are due at once, counted from 0: which of them comes first, counted from 0.
    Tie {
        nth: usize,
        first: usize,
    },
    Act(Act),
}

/// As [`Lever::from_str`] reads it.
impl fmt::Display for Lever {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Harm(harm) => harm.fmt(f),
            Self::Thaw(id) => write!(f, "{id} thaw"),
            Self::Type(command) => write!(f, "> {command}"),
        }
    }
}

/// As [`Intervention::from_str`] reads it.
impl fmt::Display for Intervention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => fault.fmt(f),
            Self::Tie { nth, first } => write!(f, "tie {nth} first {first}"),
            Self::Act(Act { after, at, lever }) => {
                write!(f, "{after} at {}: {lever}", at.since(LabTime::START).written())
            }
        }
    }
}

/// Why a text is no intervention.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is no intervention; expected a fault (`A crash after SET`), a tie (`tie 3 first 1`) or an act \
     (`17 at 1500ms: > DEL lock`)"
)]
pub struct InterventionError(String);

impl FromStr for Intervention {
    type Err = InterventionError;

    fn from_str(text: &str) -> Result<Self, InterventionError> {
        let fault = || text.parse().ok().map(Self::Fault);
        act(text).or_else(|| tie(text)).or_else(fault).ok_or_else(|| InterventionError(text.to_owned()))
    }
}

fn act(text: &str) -> Option<Intervention> {
    let (place, lever) = text.split_once(": ")?;
    let (after, at) = place.split_once(" at ")?;
    let at = LabTime::START + at.parse::<Span>().ok()?;
    Some(Intervention::Act(Act { after: after.parse().ok()?, at, lever: lever.parse().ok()? }))
}

fn tie(text: &str) -> Option<Intervention> {
    let (nth, first) = text.strip_prefix("tie ")?.split_once(" first ")?;
    Some(Intervention::Tie { nth: nth.parse().ok()?, first: first.parse().ok()? })
}

impl FromStr for Lever {
    type Err = InterventionError;

    fn from_str(text: &str) -> Result<Self, InterventionError> {
        let wrong = || InterventionError(text.to_owned());
        if let Some(line) = text.strip_prefix("> ") {
            return line.parse().map(Self::Type).map_err(|_| wrong());
        }
        match text.strip_suffix(" thaw") {
            Some(worker) => WorkerId::named(worker).map(Self::Thaw).ok_or_else(wrong),
            None => text.parse().map(Self::Harm).map_err(|_| wrong()),
        }
    }
}

/// In a journal these are the texts that the command line takes.
macro_rules! as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

as_text!(Lever);
as_text!(Intervention);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intervention_reads_what_it_writes() {
        for text in [
            "A crash after SET",
            "tie 3 first 1",
            "17 at 1500ms: A crash",
            "0 at 0s: B thaw",
            "4 at 12345us: > SET k \"a: b\" PX 5000",
            "9 at 3s: > DEL lock",
        ] {
            assert_eq!(text.parse::<Intervention>().unwrap().to_string(), text);
        }
        for wrong in ["", "tie 3", "17 at noon: A crash", "17 at 3s: A sulks", "3 at 1s: > "] {
            assert!(wrong.parse::<Intervention>().is_err(), "{wrong}");
        }
    }
}
