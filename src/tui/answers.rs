//! What the learner has said to the questions of a take.

use std::collections::BTreeSet;

use crate::lesson::Take;

/// How sure a learner is of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sureness {
    Guess,
    #[default]
    ThinkSo,
    Certain,
}

/// What was said to a question that is asked before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Chosen(usize, Sureness),
    /// "Just show me."
    PassedOver,
}

/// What was said to a question about what there was to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sighting {
    Chosen(usize),
    PassedOver,
}

/// By beat, what was answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answers {
    pub predicted: Vec<Option<Answer>>,
    pub seen: Vec<Option<Sighting>>,
    /// Predictions that have been written down.
    pub told: BTreeSet<usize>,
}

impl Answers {
    /// None yet, for the beats of this take.
    pub(super) fn none(take: &Take) -> Self {
        Self {
            predicted: vec![None; take.beats.len()],
            seen: vec![None; take.beats.len()],
            told: BTreeSet::new(),
        }
    }

    /// Takes over what was answered in an earlier run of the same take.
    pub(super) fn recall(&mut self, earlier: &Self) {
        let predicted = self.predicted.iter_mut().zip(&earlier.predicted);
        predicted.for_each(|(answer, old)| *answer = *old);
        let seen = self.seen.iter_mut().zip(&earlier.seen);
        seen.for_each(|(sighting, old)| *sighting = *old);
        self.told.extend((0..).zip(&self.predicted).filter(|(_, said)| said.is_some()).map(|(beat, _)| beat));
    }
}

/// Where a question stands while it is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    No,
    Choosing,
    /// A choice is made; how sure?
    Sure(usize),
}
