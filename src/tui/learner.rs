//! What is known of the learner, as the screen asks for it.

use std::sync::Arc;

use super::recall::course;
use crate::drill::{At, Limits, Progress, Standing, queue};
use crate::lesson::Lesson;

/// The learner's progress, and the time it is looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Learner {
    pub progress: Progress,
    /// Told by whoever waits, before each message.
    pub now: At,
}

/// What a repair that survived has cost, beside what the model solution costs in the same runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Score {
    /// Queries where nothing goes wrong, over all seeds.
    pub queries: u64,
    pub solution: Option<u64>,
}

impl Learner {
    pub(super) fn take_stand(&self, lesson: &Lesson, take: &str) -> Standing {
        self.progress.standing_of_take(&lesson.slug, take)
    }

    pub(super) fn stand(&self, lesson: &Lesson) -> Standing {
        self.progress.standing(&lesson.slug, lesson.takes.iter().map(|take| take.name.as_str()))
    }

    pub(super) fn has_said(&self, lesson: &Lesson) -> bool {
        self.progress.lessons.get(&lesson.slug).is_some_and(|record| record.said.is_some())
    }

    /// True when a goal of the lesson, from 0, was reached.
    pub(super) fn has_reached(&self, lesson: &Lesson, goal: usize) -> bool {
        let record = self.progress.lessons.get(&lesson.slug);
        record.is_some_and(|record| u32::try_from(goal + 1).is_ok_and(|goal| record.goals.contains(&goal)))
    }

    /// The best score of a lesson's repair.
    pub(super) fn score(&self, lesson: &Lesson) -> Option<Score> {
        let (queries, solution) = self.progress.lessons.get(&lesson.slug)?.repaired?;
        Some(Score { queries, solution })
    }

    /// How many cards come up that were asked before, or are owed.
    pub(super) fn due(&self, lessons: &[Arc<Lesson>]) -> usize {
        let deck = course(lessons, &self.progress).unwrap_or_default();
        let queue = queue(&deck, &self.progress, self.now, Limits::default());
        queue.due.len() + queue.learning.len() + queue.soon.len()
    }
}
