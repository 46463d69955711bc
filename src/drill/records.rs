//! What is known of a lesson, a card, a day, an interview.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::interview::Level;
use super::memory::Memory;
use super::time::{At, Day};

/// How far a lesson or a take is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    #[default]
    New,
    Begun,
    /// Seen to its end, but a question was passed over.
    Watched,
    Done,
}

/// What is known of one lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonRecord {
    pub takes: BTreeMap<String, Standing>,
    /// Points of the best answer that was said aloud, of how many.
    pub said: Option<(u32, u32)>,
    /// Queries of the best repair that survived, and those of the model solution.
    pub repaired: Option<(u64, Option<u64>)>,
    /// The goals that were reached, from 1.
    pub goals: BTreeSet<u32>,
    /// Predictions that came true, and those that did not.
    pub right: u32,
    pub wrong: u32,
}

/// What is known of one card.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CardRecord {
    pub memory: Option<Memory>,
    /// What was known before the last grade, so that it can be taken back; once.
    pub before: Before,
    pub grades: u32,
    /// Days on which it comes up whatever its memory says.
    pub owed: BTreeSet<Day>,
}

/// What was known of a card before its last grade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Before {
    /// There is no grade to take back.
    #[default]
    Nothing,
    NeverAsked,
    Known(Memory),
}

/// How an interview went so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterviewRecord {
    /// When it began.
    pub at: At,
    pub level: Level,
    pub points: u32,
    pub of: u32,
    /// Phrases that lose the question.
    pub flags: u32,
    /// How much was missed, by the lesson that shows it.
    #[serde(default)]
    pub missed: BTreeMap<String, u32>,
}

impl InterviewRecord {
    /// The share of its points that were said.
    pub fn share(&self) -> f64 {
        f64::from(self.points) / f64::from(self.of.max(1))
    }
}

/// What was done on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DayRecord {
    /// Cards that were asked for the first time.
    pub new: u32,
    /// Grades of cards that had been learned before, and how many of these were recalled.
    pub reviews: u32,
    pub recalled: u32,
}
