//! All cards there are: those of the lessons, which are handed in, and those of the interview, which stand in
//! `assets/drill.toml`.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::card::{Card, Kind};

/// The deck of the interview.
pub const INTERVIEW: &str = "interview";

/// The cards, in the order in which new ones are taken up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deck {
    pub cards: Vec<Card>,
}

/// What is wrong with a file of cards.
#[derive(Debug, thiserror::Error)]
pub enum DeckError {
    #[error("the cards of the interview: {0}")]
    Unreadable(#[from] toml::de::Error),
    #[error("two cards have the id `{0}`")]
    Twice(String),
    #[error("card `{0}`: {1}")]
    Wrong(String, &'static str),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cards: Vec<Front>,
}

#[derive(Deserialize)]
struct Front {
    id: String,
    #[serde(default)]
    group: Option<String>,
    #[serde(flatten)]
    kind: Kind,
}

impl Deck {
    /// The cards of the interview, from its file.
    ///
    /// # Errors
    /// When the file is not well.
    pub fn of_interview(text: &str) -> Result<Self, DeckError> {
        let file: File = toml::from_str(text)?;
        let cards = file.cards.into_iter().map(|front| Card {
            deck: INTERVIEW.to_owned(),
            group: front.group.unwrap_or_else(|| front.id.clone()),
            id: front.id,
            kind: front.kind,
        });
        Self::new(cards.collect())
    }

    /// # Errors
    /// When two cards have one id, or one cannot be asked.
    pub fn new(cards: Vec<Card>) -> Result<Self, DeckError> {
        let mut seen = BTreeSet::new();
        for card in &cards {
            if !seen.insert(&card.id) {
                return Err(DeckError::Twice(card.id.clone()));
            }
            let wrong = match &card.kind {
                Kind::Choice { options, .. } if !(2..=4).contains(&options.len()) => "two to four options",
                Kind::Choice { options, right, .. } if *right >= options.len() => {
                    "`right` is none of the options"
                }
                Kind::Order { steps, .. } if !(3..=6).contains(&steps.len()) => "three to six steps",
                _ => continue,
            };
            return Err(DeckError::Wrong(card.id.clone(), wrong));
        }
        Ok(Self { cards })
    }

    /// The cards of one lesson or of the interview; `wanted` may be a part of its name.
    #[must_use]
    pub fn only(&self, wanted: &str) -> Self {
        let cards = self.cards.iter().filter(|card| card.deck.contains(wanted)).cloned().collect();
        Self { cards }
    }

    pub fn card(&self, id: &str) -> Option<&Card> {
        self.cards.iter().find(|card| card.id == id)
    }
}
