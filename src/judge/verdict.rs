//! What held.

use serde::Serialize;

use super::totals::Totals;
use crate::lab::{Event, Fact, WorkerId, World};

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

    /// Errors that a program did not catch, by worker and line.
    pub fn errors(&self) -> impl Iterator<Item = (WorkerId, u32, &str)> {
        self.journal.iter().filter_map(|event| match &event.fact {
            Fact::Finished { error: Some(error) } => {
                Some((event.worker?, event.line.unwrap_or(0), error.as_str()))
            }
            _ => None,
        })
    }

    pub fn holds(&self) -> bool {
        self.claims.iter().all(|claim| claim.holds)
    }
}
