//! A sitting with the cards.

use super::recall::{Expected, Posed};
use super::scroll::Scroll;
use crate::drill::{At, Deck, Limits, Progress, Queue, Retention, queue};

/// What a sitting is about.
#[derive(Clone, Debug, Default)]
pub struct Sitting {
    /// Only cards of this deck.
    pub only: Option<String>,
    pub limits: Limits,
    /// What is wished for from now on, if something else than before.
    pub retention: Option<Retention>,
    /// When it ends, if not with the last card.
    pub ends: Option<At>,
}

/// Where the card on the screen stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The card with this id is being made ready.
    Waiting(String),
    Asked,
    /// The options that were put in order so far.
    Ordering(Vec<usize>),
    /// The answer is on the screen. `known`: whether a choice was right; of what was said aloud only the learner knows.
    Told {
        known: Option<bool>,
    },
    /// The grade is being written down.
    Graded,
    /// Nothing is left, or the time is over.
    Over,
}

/// The cards on the screen.
#[derive(Clone, Debug)]
pub(super) struct Drilling {
    /// Which request it answers.
    pub number: u32,
    pub sitting: Sitting,
    pub deck: Deck,
    pub card: Option<Posed>,
    pub stage: Stage,
    pub trouble: Option<String>,
    pub asked: u32,
    pub recalled: u32,
    /// The card that was graded last, and whether it was recalled.
    pub last: Option<(String, bool)>,
    /// How far the card is scrolled.
    pub scroll: Scroll,
}

impl Drilling {
    pub(super) fn new(number: u32, sitting: Sitting, deck: Deck) -> Self {
        Self {
            number,
            sitting,
            deck,
            card: None,
            stage: Stage::Over,
            trouble: None,
            asked: 0,
            recalled: 0,
            last: None,
            scroll: Scroll::default(),
        }
    }

    /// What is left of today.
    pub(super) fn queue(&self, progress: &Progress, now: At) -> Queue {
        queue(&self.deck, progress, now, self.sitting.limits)
    }

    /// Shows the answer; what is to be said now stands at the end of it.
    pub(super) fn tell(&mut self, known: Option<bool>) {
        self.stage = Stage::Told { known };
        self.scroll = Scroll::at_end();
    }

    /// The card that waits to be graded, on the screen or on its way there.
    pub(super) fn open(&self) -> Option<&str> {
        match &self.stage {
            Stage::Waiting(card) => Some(card),
            Stage::Asked | Stage::Ordering(_) | Stage::Told { known: None | Some(true) } => {
                self.card.as_ref().map(|card| card.id.as_str())
            }
            Stage::Told { known: Some(false) } | Stage::Graded | Stage::Over => None,
        }
    }

    pub(super) fn expected(&self) -> Option<&Expected> {
        self.card.as_ref().map(|card| &card.expected)
    }
}
