//! What a learner wishes of the schedule.

use serde::{Deserialize, Serialize};

/// How many of a hundred cards shall be recalled when they come up. More of them means that each comes up more often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "u32", into = "u32")]
pub struct Retention(u32);

impl Retention {
    /// Below, more is forgotten than learned; above, there is no end of reviews.
    pub const MIN: u32 = 70;
    pub const MAX: u32 = 97;

    /// The nearest that can be wished for.
    pub fn percent(wish: u32) -> Self {
        Self(wish.clamp(Self::MIN, Self::MAX))
    }

    pub fn share(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// One of a hundred more, or less.
    #[must_use]
    pub fn turned(self, up: bool) -> Self {
        Self::percent(if up { self.0 + 1 } else { self.0 - 1 })
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self(90)
    }
}

impl From<u32> for Retention {
    fn from(wish: u32) -> Self {
        Self::percent(wish)
    }
}

impl From<Retention> for u32 {
    fn from(wish: Retention) -> Self {
        wish.0
    }
}

impl std::fmt::Display for Retention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} %", self.0)
    }
}
