//! The mock interview: what is asked of whom, what a good answer has, and which phrases lose the question.

use std::sync::LazyLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What somebody is interviewed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Junior,
    Middle,
    Senior,
    Principal,
}

impl Level {
    pub const ALL: [Self; 4] = [Self::Junior, Self::Middle, Self::Senior, Self::Principal];

    pub fn name(self) -> &'static str {
        match self {
            Self::Junior => "junior",
            Self::Middle => "middle",
            Self::Senior => "senior",
            Self::Principal => "principal",
        }
    }
}

/// Everything that can be asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interview {
    questions: Vec<Question>,
    flags: Vec<Flag>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub id: String,
    levels: Vec<Level>,
    /// Asked of everybody, before the others.
    #[serde(default)]
    main: bool,
    pub ask: String,
    /// How long an answer may take; one that is asked in several forms has several.
    seconds: Vec<u32>,
    points: Vec<Point>,
}

/// What a good answer has.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub text: String,
    /// Of whom it is expected; empty for everybody.
    #[serde(default)]
    levels: Vec<Level>,
    /// The lesson that shows it.
    pub lesson: String,
}

/// Phrases that lose the question.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    phrases: Vec<String>,
    pub because: String,
    pub lesson: String,
}

/// Follow-ups of one interview.
const FOLLOW_UPS: usize = 3;

static SHIPPED: LazyLock<Interview> = LazyLock::new(|| {
    toml::from_str(include_str!("../../assets/interview.toml")).expect("a test reads it, too")
});

impl Interview {
    /// The one that ships with the program.
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// The questions of one interview: the main one, then some of those of the level, other ones for another `turn`.
    pub fn questions(&self, level: Level, turn: usize) -> Vec<&Question> {
        let of_level = self.questions.iter().filter(|question| question.levels.contains(&level));
        let (main, others): (Vec<_>, Vec<_>) = of_level.partition(|question| question.main);
        let count = others.len();
        let drawn = (0..FOLLOW_UPS.min(count)).map(|index| others[(turn * FOLLOW_UPS + index) % count]);
        main.into_iter().chain(drawn).collect()
    }

    /// The phrases of a typed answer that lose the question. It looks for words and understands nothing.
    pub fn flags(&self, answer: &str) -> Vec<(&str, &Flag)> {
        let answer = answer.to_lowercase();
        let said = |flag: &'_ Flag| flag.phrases.iter().position(|phrase| answer.contains(phrase.as_str()));
        self.flags
            .iter()
            .filter_map(|flag| said(flag).map(|phrase| (flag.phrases[phrase].as_str(), flag)))
            .collect()
    }

    /// The lessons that anything here leads to.
    pub fn lessons(&self) -> impl Iterator<Item = &str> {
        let points = self.questions.iter().flat_map(|question| &question.points);
        points.map(|point| point.lesson.as_str()).chain(self.flags.iter().map(|flag| flag.lesson.as_str()))
    }
}

impl Question {
    /// How long an answer may take, for each form that is asked for.
    pub fn limits(&self) -> impl Iterator<Item = Duration> {
        self.seconds.iter().map(|seconds| Duration::from_secs(u64::from(*seconds)))
    }

    /// What is expected of this level.
    pub fn points(&self, level: Level) -> Vec<&Point> {
        let expected = |point: &&Point| point.levels.is_empty() || point.levels.contains(&level);
        self.points.iter().filter(expected).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_a_main_question_and_follow_ups_of_its_own() {
        let interview = Interview::shipped();
        for level in Level::ALL {
            let first = interview.questions(level, 0);
            assert!(first.len() >= 3 && first[0].main, "{level:?}");
            assert!(first.iter().all(|question| !question.points(level).is_empty()), "{level:?}");
        }
        let expected = |level| interview.questions(level, 0)[0].points(level).len();
        assert!(Level::ALL.map(expected).is_sorted_by(|less, more| less < more), "each level adds something");
        assert_ne!(interview.questions(Level::Senior, 0), interview.questions(Level::Senior, 1));
    }

    #[test]
    fn phrases_are_found_whatever_their_case() {
        let interview = Interview::shipped();
        let found =
            |answer: &str| interview.flags(answer).into_iter().map(|(phrase, _)| phrase).collect::<Vec<_>>();
        assert_eq!(found("I use SETNX, and then DEL the lock."), ["setnx", "del the lock"]);
        assert_eq!(found("SET NX PX, compare and delete"), Vec::<&str>::new());
    }
}
