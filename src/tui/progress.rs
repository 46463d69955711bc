//! How far the learner has come with each lesson, for the marks on the map.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::lesson::Lesson;

/// How far one lesson is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stand {
    New,
    Begun,
    /// Seen to its end, but a question was passed over.
    Watched,
    Done,
}

/// What was seen and answered in this session, by lesson and take.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    begun: BTreeSet<String>,
    ended: BTreeMap<(String, String), bool>,
    /// How many points the answers to the questions had that were said aloud.
    said: BTreeMap<String, usize>,
    /// By lesson, the best of the repairs that survived.
    scores: BTreeMap<String, Score>,
}

/// What a repair that survived has cost, beside what the model solution costs in the same runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// Queries where nothing goes wrong, over all seeds.
    pub queries: usize,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub solution: Option<usize>,
}

impl Progress {
    pub(super) fn begin(&mut self, lesson: &Lesson) {
        self.begun.insert(lesson.slug.clone());
    }

    /// A take was played to its last beat. `answered`: every question was answered before it ran.
    pub(super) fn end(&mut self, lesson: &Lesson, take: usize, answered: bool) {
        let key = (lesson.slug.clone(), lesson.takes[take].name.clone());
        *self.ended.entry(key).or_default() |= answered;
    }

    pub(super) fn say(&mut self, lesson: &Lesson, points: usize) {
        self.said.insert(lesson.slug.clone(), points);
    }

    pub(super) fn has_said(&self, lesson: &Lesson) -> bool {
        self.said.contains_key(&lesson.slug)
    }

    /// A repair survived. Returns the lesson's best score so far.
    pub(super) fn repaired(&mut self, lesson: &Lesson, score: Score) -> Score {
        let best = self.scores.entry(lesson.slug.clone()).or_insert(score);
        if score.queries < best.queries {
            *best = score;
        }
        *best
    }

    /// The best score of a lesson's repair.
    pub(super) fn score(&self, lesson: &Lesson) -> Option<Score> {
        self.scores.get(&lesson.slug).copied()
    }

    pub(super) fn take_stand(&self, lesson: &Lesson, take: &str) -> Stand {
        match self.ended.get(&(lesson.slug.clone(), take.to_owned())) {
            Some(true) => Stand::Done,
            Some(false) => Stand::Watched,
            None => Stand::New,
        }
    }

    pub(super) fn stand(&self, lesson: &Lesson) -> Stand {
        let least =
            lesson.takes.iter().map(|take| self.take_stand(lesson, &take.name)).min().unwrap_or(Stand::New);
        match least {
            Stand::New | Stand::Begun if self.begun.contains(&lesson.slug) => Stand::Begun,
            other => other,
        }
    }
}
