//! What a lesson lets be tried, and what should come of it.

use std::sync::Arc;

use super::exploration::Exploration;
use crate::judge::order::Order;
use crate::lesson::Lesson;

/// A take, or a program of the exercise, to be tried.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub order: Order,
    pub should: Should,
}

/// What should come of trying it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Should {
    /// A take that is right, or the solution of the exercise.
    Survive,
    /// A take that shows a mistake, with so many things going wrong and no fewer.
    BreakWith(usize),
    /// The exercise as it is given, or a take that shows a mistake and does not say how little breaks it.
    Break,
}

/// Everything that a lesson lets be tried: its takes, then its exercise unsolved and solved.
pub fn cases(lesson: &Arc<Lesson>, seed: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    for (index, take) in lesson.takes.iter().enumerate() {
        let should = match lesson.trial.breaks.get(&index) {
            _ if take.sound => Should::Survive,
            Some(count) => Should::BreakWith(*count),
            None => Should::Break,
        };
        let order = Order::new(Arc::clone(lesson), index, seed);
        cases.push(Case { name: take.name.clone(), order, should });
    }
    if let Some(repair) = &lesson.trial.repair {
        for (program, should) in [(&repair.program, Should::Break), (&repair.solution, Should::Survive)] {
            let source = program.source.as_str().into();
            let order = Order { repair: Some(source), ..Order::new(Arc::clone(lesson), repair.take, seed) };
            cases.push(Case { name: program.name.clone(), order, should });
        }
    }
    cases
}

impl Case {
    /// Why what was found is not what should be.
    pub fn astray(&self, found: &Exploration) -> Option<String> {
        let broke = found.length();
        match self.should {
            Should::Survive if broke.is_some() => Some("is said to be right, and should survive".to_owned()),
            Should::Break if broke.is_none() => {
                Some("is said to be wrong, and should break a law".to_owned())
            }
            Should::BreakWith(count) if broke != Some(count) => {
                Some(format!("should break a law as soon as {count} things go wrong"))
            }
            _ => None,
        }
    }
}
