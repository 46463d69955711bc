//! What stays of a lesson: what to say aloud, what to recall, what to bring about.

use std::collections::BTreeMap;

use super::expr::Expr;
use crate::lab::Intervention;

/// A lesson's `study.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Study {
    pub say: Option<Say>,
    pub cards: Vec<Card>,
    pub goals: Vec<Goal>,
}

/// The interview question of the lesson, to be answered aloud in a minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Say {
    pub question: String,
    /// What a good answer has.
    pub points: Vec<String>,
}

/// One fact to recall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Stays as it is when the text is mended.
    pub id: String,
    pub ask: String,
    pub tell: String,
}

/// Something to bring about, with the knobs or by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub text: String,
    /// The take's place in the lesson.
    pub take: usize,
    /// True at the end of a run that reaches it.
    pub when: Expr,
    /// A setting that does; kept from the learner.
    pub by: BTreeMap<String, i64>,
    /// What is to be done by hand for it, at the prompt or with a fault; kept from the learner, too.
    pub hand: Vec<Intervention>,
}
