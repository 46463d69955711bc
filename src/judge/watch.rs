//! A claim watched through a run.

use crate::lab::World;
use crate::lesson::{Claim, ClaimTime};

/// How a claim fares so far.
#[derive(Clone, Copy, Debug)]
pub(super) enum Watch {
    Holds,
    Open,
    Broken,
}

impl Watch {
    pub(super) fn begin(claim: &Claim) -> Self {
        if claim.when == ClaimTime::Always { Self::Holds } else { Self::Open }
    }

    pub(super) fn look(&mut self, claim: &Claim, world: &World) {
        let holds = || claim.expr.holds(world);
        match (claim.when, &self) {
            (ClaimTime::Always, Self::Holds) if !holds() => *self = Self::Broken,
            (ClaimTime::Once, Self::Open) if holds() => *self = Self::Holds,
            (ClaimTime::AtEnd, Self::Open) if world.ended => {
                *self = if holds() { Self::Holds } else { Self::Broken }
            }
            _ => {}
        }
    }

    /// True when nothing that is still to come can mend it.
    pub(super) fn is_broken(self) -> bool {
        matches!(self, Self::Broken)
    }

    pub(super) fn holds(self) -> bool {
        matches!(self, Self::Holds)
    }
}
