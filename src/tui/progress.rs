//! How far the learner has come with each lesson, for the marks on the map.

use std::collections::{BTreeMap, BTreeSet};

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
    /// The fewest queries that a repair which survived has made, and those of the solution in the same runs.
    repaired: BTreeMap<String, (usize, Option<usize>)>,
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

    /// A repair survived, with so many queries; `best` is what the solution needs.
    pub(super) fn repaired(&mut self, lesson: &Lesson, queries: usize, best: Option<usize>) {
        let score = self.repaired.entry(lesson.slug.clone()).or_insert((queries, best));
        *score = (score.0.min(queries), best.or(score.1));
    }

    /// The best score of a lesson's repair, and what the solution needs.
    pub(super) fn score(&self, lesson: &Lesson) -> Option<(usize, Option<usize>)> {
        self.repaired.get(&lesson.slug).copied()
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
