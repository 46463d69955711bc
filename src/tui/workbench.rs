//! The learner's repair of a lesson's exercise: the program, what came of judging it, and how much help was taken.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::scroll::Scroll;
use crate::judge::{Exploration, Order, Progress};
use crate::lab::{Program, lua};
use crate::lesson::{Lesson, Repair};

/// Honest tries after which the solution may be looked at.
pub(super) const TRIES: usize = 2;

/// A repair under way.
#[derive(Clone, Debug)]
pub(super) struct Workbench {
    pub lesson: Arc<Lesson>,
    /// Where the learner's program is.
    pub path: PathBuf,
    /// What is in it; `None` until it has been read.
    pub source: Option<String>,
    /// The line that does not compile, and why.
    pub error: Option<(u32, String)>,
    pub judging: Option<Judging>,
    pub verdict: Option<Verdict>,
    /// Programs that were judged and not survived, all different from each other and from the one given.
    pub tried: BTreeSet<String>,
    /// How many hints have been given.
    pub hints: usize,
    pub shows_solution: bool,
    pub scroll: Scroll,
}

/// A judgement under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judging {
    /// Which request it answers.
    pub number: u32,
    pub progress: Progress,
}

/// What came of judging a program.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    /// The program that was judged.
    pub source: String,
    pub outcome: Result<Arc<Exploration>, String>,
}

impl Workbench {
    pub(super) fn new(lesson: Arc<Lesson>, state: &Path) -> Self {
        let path = state.join("repairs").join(&lesson.slug).join("repair.lua");
        Self {
            lesson,
            path,
            source: None,
            error: None,
            judging: None,
            verdict: None,
            tried: BTreeSet::new(),
            hints: 0,
            shows_solution: false,
            scroll: Scroll::default(),
        }
    }

    /// The exercise; a workbench is opened only for lessons that have one.
    pub(super) fn repair(&self) -> Option<&Repair> {
        self.lesson.trial.repair.as_ref()
    }

    /// Takes in what is in the file now.
    pub(super) fn read(&mut self, source: String) {
        if self.source.as_ref() == Some(&source) {
            return;
        }
        let program = Program { name: "repair.lua".to_owned(), source, native: None };
        // What is missing at the end is told at the last line there is.
        let last = program.source.lines().count().max(1) as u32;
        self.error = lua::check(&program).err().map(|error| (error.line.clamp(1, last), error.message));
        self.source = Some(program.source);
    }

    /// What the judge is to try.
    pub(super) fn order(&self, seed: u64, prefix: &str) -> Option<Order> {
        let (repair, source) = (self.repair()?, self.source.as_ref()?);
        let order = Order::new(Arc::clone(&self.lesson), repair.take, seed);
        Some(Order { repair: Some(source.as_str().into()), prefix: prefix.to_owned(), ..order })
    }

    /// Takes a judgement in. A program that was changed and did not survive is an honest try.
    pub(super) fn judged(&mut self, verdict: Verdict) {
        let survived = verdict.outcome.as_ref().is_ok_and(|found| found.survives());
        let changed = self.repair().is_some_and(|repair| repair.program.source != verdict.source);
        if !survived && changed {
            self.tried.insert(verdict.source.clone());
        }
        self.judging = None;
        self.verdict = Some(verdict);
    }

    /// True when the program that was judged last stands as it was, and survived.
    pub(super) fn is_repaired(&self) -> bool {
        self.verdict.as_ref().is_some_and(|verdict| {
            Some(&verdict.source) == self.source.as_ref()
                && verdict.outcome.as_ref().is_ok_and(|found| found.survives())
        })
    }

    pub(super) fn may_see_solution(&self) -> bool {
        self.tried.len() >= TRIES || self.is_repaired()
    }
}
