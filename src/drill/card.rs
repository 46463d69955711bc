//! Cards: what is asked, in how many ways.

use serde::Deserialize;

/// One card.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// Stays as it is when the text is mended, so that what is known of it is kept.
    pub id: String,
    /// A lesson's name, or `interview`.
    pub deck: String,
    /// Cards of one group give each other away: on one day only one of them comes up.
    pub group: String,
    pub kind: Kind,
}

/// What it asks.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, tag = "kind")]
pub enum Kind {
    /// To be recalled, and graded by the learner.
    Recall { ask: String, tell: String },
    /// Something said in an interview: fine, or does it lose the question?
    RedFlag { said: String, fine: bool, because: String },
    /// Steps in their order; they are shown in another one.
    Order { ask: String, steps: Vec<String> },
    /// A question with choices; for "fix the line", with the program above it.
    Choice {
        ask: String,
        #[serde(default)]
        program: String,
        options: Vec<String>,
        /// From 0.
        right: usize,
        because: String,
    },
    /// A run that stands still: what does its timeline say?
    Reading {
        ask: String,
        lesson: String,
        take: String,
        /// The beat at whose end it stands, from 1.
        beat: usize,
        /// An expression over the world; what it gives is the answer.
        answer: String,
    },
    /// Commands that run on a server, and one whose reply is asked for before it runs.
    Reply {
        ask: String,
        #[serde(default)]
        before: Vec<String>,
        command: String,
    },
    /// The question that a lesson asks before a beat; its numbers are those with which a run begins.
    #[serde(skip)]
    Prediction { ask: String, lesson: String, take: String, beat: usize },
}

impl Kind {
    /// What kind of question it is, in a word or two.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Recall { .. } => "recall",
            Self::RedFlag { .. } => "red flag?",
            Self::Order { .. } => "order the steps",
            Self::Choice { program, .. } if !program.is_empty() => "fix the line",
            Self::Choice { .. } => "choose",
            Self::Reading { .. } => "read the timeline",
            Self::Reply { .. } => "predict the reply",
            Self::Prediction { .. } => "predict",
        }
    }

    /// The question.
    pub fn ask(&self) -> &str {
        match self {
            Self::Recall { ask, .. }
            | Self::Order { ask, .. }
            | Self::Choice { ask, .. }
            | Self::Reading { ask, .. }
            | Self::Reply { ask, .. }
            | Self::Prediction { ask, .. } => ask,
            Self::RedFlag { said, .. } => said,
        }
    }
}

/// A fixed order of `count` steps that is not the right one, the same for the same card.
pub fn shuffled(id: &str, count: usize) -> Vec<usize> {
    // A turn by a number from the name, and every other one swapped: short, and never the identity for two or more.
    let turn = id.bytes().map(usize::from).sum::<usize>() % count.saturating_sub(1).max(1) + 1;
    let mut order: Vec<usize> = (0..count).map(|step| (step + turn) % count).collect();
    for pair in order.chunks_exact_mut(2).skip(1) {
        pair.swap(0, 1);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_never_shown_in_their_order() {
        for count in 2..8 {
            for id in ["a", "b", "release-order", "x1", "x2"] {
                let order = shuffled(id, count);
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_ne!(order, sorted, "{id} {count}");
                assert_eq!(sorted, (0..count).collect::<Vec<_>>());
            }
        }
    }
}
