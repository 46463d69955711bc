//! What is written down of a learner's work: one line of JSON each.

use serde::{Deserialize, Serialize};

use super::interview::Level;
use super::retention::Retention;
use super::time::At;

/// Something that the learner did, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub at: At,
    pub did: Did,
}

/// What it was. Names of variants and fields stand in files that people keep: they may be added to, not changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Did {
    /// Opened a take of a lesson.
    Opened { lesson: String, take: String },
    /// Played a take to its last beat. `answered`: with every question of it.
    Watched { lesson: String, take: String, answered: bool },
    /// Predicted how a beat goes on, before it did.
    Predicted { lesson: String, take: String, beat: u32, confidence: Confidence, right: bool },
    /// Said the lesson's answer aloud, with so many of its points.
    Said { lesson: String, points: u32, of: u32 },
    /// Reached one of the lesson's goals, counted from 1.
    Reached { lesson: String, goal: u32 },
    /// Repaired the lesson's program so that it survived; its queries, and those of the model solution.
    Repaired { lesson: String, queries: u64, solution: Option<u64> },
    /// Answered a question of the mock interview that began then: with so many of its points and red flags, and what was
    /// missed, each by the lesson that shows it.
    Answered {
        interview: At,
        level: Level,
        question: String,
        points: u32,
        of: u32,
        flags: u32,
        missed: Vec<String>,
    },
    /// Had a whole interview: how they were written down before each answer was.
    Interviewed { level: Level, points: u32, of: u32, flags: u32 },
    /// Graded a card.
    Graded { card: String, grade: Grade },
    /// Took the last grade of a card back.
    Undone { card: String },
    /// Wished for more or less to be recalled, from then on.
    Wished { retention: Retention },
}

/// How sure a prediction was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    Guess,
    ThinkSo,
    Certain,
}

/// How well a card was recalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Not at all, or wrong.
    Again,
    Hard,
    Good,
    Easy,
}

impl Grade {
    pub const ALL: [Self; 4] = [Self::Again, Self::Hard, Self::Good, Self::Easy];

    /// True when it was recalled.
    pub fn passed(self) -> bool {
        self != Self::Again
    }
}
