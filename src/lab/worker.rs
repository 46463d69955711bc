//! Who is who: workers, and the parts they play.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::time::{LabTime, Span};

/// A worker, numbered in order of arrival.
///
/// Its name follows from the number: `A` to `Z` for the first twenty-six, then `r27`, `r28` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u16);

impl WorkerId {
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The one character that stands for it on the lock lane.
    pub fn letter(self) -> char {
        u8::try_from(self.0).ok().filter(|n| *n < 26).map_or('r', |n| char::from(b'A' + n))
    }

    /// The worker with this name, whether or not the cast has one.
    pub fn named(name: &str) -> Option<Self> {
        match name.as_bytes() {
            [letter @ b'A'..=b'Z'] => Some(Self(u16::from(letter - b'A'))),
            [b'r', ..] => name.get(1..)?.parse::<u16>().ok().filter(|n| *n > 26).map(|n| Self(n - 1)),
            _ => None,
        }
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.letter() {
            'r' => f.pad(&format!("r{}", self.0 + 1)),
            letter => f.pad(letter.encode_utf8(&mut [0; 4])),
        }
    }
}

impl Serialize for WorkerId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WorkerId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| serde::de::Error::custom(format!("`{name}` names no worker")))
    }
}

/// The part a worker plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A request that needs the value.
    #[default]
    Reader,
    /// Somebody who looks or prepares, and is not counted among the readers.
    Observer,
    /// A health check: a request that needs a thread for a moment and nothing else.
    Probe,
}

impl Role {
    /// True for what comes over the network and needs a request thread.
    pub fn is_request(self) -> bool {
        matches!(self, Self::Reader | Self::Probe)
    }
}

/// One member of the cast.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub role: Role,
    /// Which of the setup's programs it runs.
    pub program: usize,
    pub arrives: LabTime,
    /// How long its database queries take, when that is not left to the seeded distribution.
    pub fill: Option<Span>,
    /// The process it runs in, from 0.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub process: u16,
    /// How long its client waits before it goes away.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub patience: Option<Span>,
    /// How far its process's own clock is ahead.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock_ahead: Option<Span>,
    /// The place of its key in the catalogue, if it is not the lesson's value.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub product: Option<u16>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u16) -> bool {
    *n == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree_both_ways() {
        for id in [0, 1, 25, 26, 27, 199].map(WorkerId) {
            assert_eq!(WorkerId::named(&id.to_string()), Some(id));
        }
        assert_eq!(WorkerId(0).to_string(), "A");
        assert_eq!(WorkerId(26).to_string(), "r27");
        assert_eq!(WorkerId::named("r3"), None);
        assert_eq!(WorkerId::named("bob"), None);
    }
}
