//! The words of the course.

use std::sync::LazyLock;

use serde::Deserialize;

/// A word, what it means, and the lesson that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    pub word: String,
    pub text: String,
    /// The lesson's slug.
    pub lesson: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    terms: Vec<Term>,
}

static TERMS: LazyLock<Vec<Term>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../assets/glossary.toml"))
        .expect("the glossary that ships was read by a test");
    file.terms
});

/// All words, in alphabetical order.
pub fn glossary() -> &'static [Term] {
    &TERMS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::Shelf;

    #[test]
    fn every_word_is_short_in_its_place_and_leads_to_a_lesson() {
        let shelf = Shelf::open(None).unwrap();
        for pair in glossary().windows(2) {
            assert!(pair[0].word < pair[1].word, "{} comes after {}", pair[0].word, pair[1].word);
        }
        for term in glossary() {
            assert!(term.text.chars().count() <= 120, "{}: too long", term.word);
            assert!(shelf.find(&term.lesson).is_ok(), "{} leads to no lesson", term.word);
        }
    }
}
