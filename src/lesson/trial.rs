//! What a lesson is tried by: the laws that no schedule may break, and the program that the learner is to repair.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::model::{Claim, Take};
use crate::lab::Program;

/// A lesson's `trial.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    pub laws: Vec<Law>,
    /// How few things must go wrong before a take that shows a mistake breaks a law, by the take's place.
    pub breaks: BTreeMap<usize, usize>,
    /// Only the first so many of a cast take part while schedules are tried: fewer show the same and take less time.
    pub workers: Option<usize>,
    /// Where knobs stand meanwhile.
    pub setting: BTreeMap<String, i64>,
    /// What is not tried, because no program could do anything about it.
    pub spared: Vec<Trouble>,
    pub repair: Option<Repair>,
}

/// Something that must hold whatever goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Law {
    pub claim: Claim,
    pub binds: Binds,
}

/// Whom a law binds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binds {
    #[default]
    All,
    /// The takes of the lesson.
    Takes,
    /// Those that show a mistake: for what even a right program cannot keep under every schedule.
    Mistakes,
    /// The learner's program.
    Repair,
}

/// A kind of trouble that the judge makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// A worker dies, before, between or after its commands.
    Crash,
    /// A connection breaks.
    Drop,
    /// A command runs, and its sender never hears of it.
    LoseReply,
    /// A worker stands still, shortly or for longer than any lease.
    Pause,
    /// Of things that happen at once another one comes first.
    Tie,
}

/// The exercise: a program with a fault in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What is wrong, as the one who hands it over would say it.
    pub task: String,
    /// The take whose cast, database and faults it runs with, by its place.
    pub take: usize,
    pub program: Program,
    pub solution: Program,
    /// Point, narrow, show.
    pub hints: Vec<String>,
}

impl Trial {
    /// The laws that bind the learner's program.
    pub fn laws_of_repair(&self) -> impl Iterator<Item = &Claim> {
        self.binding([Binds::All, Binds::Repair])
    }

    /// The laws that bind a take.
    pub fn laws_of(&self, take: &Take) -> impl Iterator<Item = &Claim> {
        self.binding([Binds::All, Binds::Takes])
            .chain(self.binding([Binds::Mistakes]).filter(|_| !take.sound))
    }

    fn binding<const N: usize>(&self, binds: [Binds; N]) -> impl Iterator<Item = &Claim> {
        self.laws.iter().filter(move |law| binds.contains(&law.binds)).map(|law| &law.claim)
    }
}
