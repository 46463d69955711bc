//! A mock interview on the screen.

use std::collections::BTreeSet;
use std::time::Duration;

use tui_input::Input;

use super::scroll::Scroll;
use crate::drill::{At, Flag, Interview, Level, Outcome, Question};

/// Where an interview stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// For whom is it? The level under the cursor.
    Choosing(Level),
    /// The question can be read; its clock stands still.
    Ready,
    /// The clock runs since then.
    Answering(At),
    /// Which of its points were said, from 0.
    Ticking(BTreeSet<usize>),
    /// What to look at again, and which of it the cursor is on.
    Over(usize),
}

/// An answer that was given.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub took: Duration,
    /// What was typed of it that loses the question, and why.
    pub flags: Vec<(&'static str, &'static Flag)>,
}

/// The interview on the screen.
#[derive(Clone, Debug)]
pub(super) struct Interviewing {
    pub stage: Stage,
    pub outcome: Outcome,
    questions: Vec<&'static Question>,
    /// The question being asked, from 0.
    pub at: usize,
    /// The answers to it so far, one for each time it is to be answered in.
    pub given: Vec<Given>,
    /// What is typed of the next one.
    pub draft: Input,
    /// How far the rubric is scrolled.
    pub scroll: Scroll,
}

impl Interviewing {
    /// An interview that begins with the choice of a level.
    pub(super) fn choosing(level: Level) -> Self {
        Self {
            stage: Stage::Choosing(level),
            outcome: Outcome::new(At::default(), level),
            questions: Vec::new(),
            at: 0,
            given: Vec::new(),
            draft: Input::default(),
            scroll: Scroll::default(),
        }
    }

    /// The interview number `turn` of this level.
    pub(super) fn begin(level: Level, turn: usize, now: At) -> Self {
        let questions = Interview::shipped().questions(level, turn);
        Self { stage: Stage::Ready, outcome: Outcome::new(now, level), questions, ..Self::choosing(level) }
    }

    pub(super) fn count(&self) -> usize {
        self.questions.len()
    }

    pub(super) fn question(&self) -> Option<&'static Question> {
        self.questions.get(self.at).copied()
    }

    /// How long the next answer may take.
    pub(super) fn limit(&self) -> Option<Duration> {
        self.question()?.limits().nth(self.given.len())
    }

    /// How long the answer that is being given has taken.
    pub(super) fn running(&self, now: At) -> Option<Duration> {
        match self.stage {
            Stage::Answering(began) => Some(Duration::from_millis(now.0.saturating_sub(began.0))),
            _ => None,
        }
    }

    /// The answer is given: the next time it is to be answered in, or its rubric.
    pub(super) fn give(&mut self, now: At) {
        let Some(took) = self.running(now) else { return };
        let flags = Interview::shipped().flags(self.draft.value());
        self.given.push(Given { took, flags });
        self.draft.reset();
        self.stage = if self.limit().is_some() { Stage::Ready } else { Stage::Ticking(BTreeSet::new()) };
    }

    /// The next question, or the end.
    pub(super) fn go_on(&mut self) {
        self.at += 1;
        self.given.clear();
        self.scroll = Scroll::default();
        self.stage = if self.at < self.questions.len() { Stage::Ready } else { Stage::Over(0) };
    }
}
