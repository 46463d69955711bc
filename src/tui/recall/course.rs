//! All cards of the course.

use std::sync::{Arc, LazyLock};

use crate::drill::{Card, Deck, DeckError, Kind, Progress, question_of};
use crate::lesson::Lesson;

/// The cards of the interview, which belong to no lesson.
static INTERVIEW: LazyLock<Deck> = LazyLock::new(|| {
    Deck::of_interview(include_str!("../../../assets/drill.toml")).expect("a test reads it, too")
});

/// The cards of the lessons, each with its question to answer aloud, and those of the interview. The question of a beat is a
/// card of its own once the learner was certain of it and wrong.
///
/// # Errors
/// When two cards have one id.
pub fn course(lessons: &[Arc<Lesson>], progress: &Progress) -> Result<Deck, DeckError> {
    let own = lessons.iter().flat_map(|lesson| of_lesson(lesson, progress));
    Deck::new(own.chain(INTERVIEW.cards.iter().cloned()).collect())
}

fn of_lesson(lesson: &Lesson, progress: &Progress) -> Vec<Card> {
    let card = |id: String, kind: Kind| Card { group: id.clone(), id, deck: lesson.slug.clone(), kind };
    let recall = |id: String, ask: &str, tell: String| card(id, Kind::Recall { ask: ask.to_owned(), tell });
    let own = lesson.study.cards.iter().map(|card| recall(card.id.clone(), &card.ask, card.tell.clone()));
    let said = lesson.study.say.iter();
    let said = said.map(|say| recall(format!("{}/say", lesson.slug), &say.question, say.points.join("; ")));
    let predictions = lesson.takes.iter().flat_map(|take| {
        (1..).zip(&take.beats).filter(|(_, beat)| beat.prediction.is_some()).filter_map(move |(number, _)| {
            let id = question_of(&lesson.slug, &take.name, number);
            let (lesson, take, ask) = (lesson.slug.clone(), take.name.clone(), take.title.clone());
            let kind = Kind::Prediction { ask, lesson, take, beat: number as usize };
            progress.cards.contains_key(&id).then(|| card(id, kind))
        })
    });
    own.chain(said).chain(predictions).collect()
}
