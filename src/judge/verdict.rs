//! What held.

use serde::Serialize;

use super::totals::Totals;
use crate::lab::{Event, World};

/// A claim and whether it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    pub text: String,
    pub holds: bool,
}

/// The outcome of one take.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub take: String,
    pub claims: Vec<Judged>,
    pub totals: Totals,
    pub journal: Vec<Event>,
}

impl Verdict {
    pub(super) fn new(take: String, claims: Vec<Judged>, world: &World, journal: Vec<Event>) -> Self {
        Self { take, claims, totals: Totals::of(world), journal }
    }

    pub fn holds(&self) -> bool {
        self.claims.iter().all(|claim| claim.holds)
    }
}
