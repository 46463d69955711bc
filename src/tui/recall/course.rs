//! All cards of the course.

use std::sync::Arc;

use super::pose::at_the_start;
use crate::drill::{Card, Deck, DeckError, Kind, Progress, question_of};
use crate::lesson::{Beat, Lesson};
use crate::tui::host::Bench;

/// The cards of the interview, which belong to no lesson.
const INTERVIEW: &str = include_str!("../../../assets/drill.toml");

/// The cards of the lessons, each with its question to answer aloud, and those of the interview. The question of a beat is a
/// card of its own once the learner was certain of it and wrong.
///
/// # Errors
/// When two cards have one id.
pub fn course(lessons: &[Arc<Lesson>], progress: &Progress, bench: &Bench) -> Result<Deck, DeckError> {
    let cards = lessons.iter().flat_map(|lesson| of_lesson(lesson, progress, bench)).collect();
    Deck::new(cards, INTERVIEW)
}

fn of_lesson(lesson: &Arc<Lesson>, progress: &Progress, bench: &Bench) -> Vec<Card> {
    let recall = |id: String, group: String, ask: &str, tell: String| Card {
        id,
        deck: lesson.slug.clone(),
        group,
        kind: Kind::Recall { ask: ask.to_owned(), tell },
    };
    let mut cards: Vec<Card> = lesson
        .study
        .cards
        .iter()
        .map(|card| recall(card.id.clone(), card.id.clone(), &card.ask, card.tell.clone()))
        .collect();
    if let Some(say) = &lesson.study.say {
        let id = format!("{}/say", lesson.slug);
        cards.push(recall(id.clone(), id, &say.question, say.points.join("; ")));
    }
    for (index, take) in lesson.takes.iter().enumerate() {
        for (number, beat) in (1..).zip(&take.beats) {
            let id = question_of(&lesson.slug, &take.name, number);
            if progress.cards.contains_key(&id) {
                cards.extend(of_beat(lesson, index, beat, id, bench));
            }
        }
    }
    cards
}

/// The question of a beat, with its numbers as they are when a run begins.
fn of_beat(lesson: &Arc<Lesson>, take: usize, beat: &Beat, id: String, bench: &Bench) -> Option<Card> {
    let prediction = beat.prediction.as_ref()?;
    let right = prediction.choices.iter().position(|choice| choice.right)?;
    let world = at_the_start(lesson, take, bench)?;
    let kind = Kind::Choice {
        ask: format!("{}: {}", lesson.takes[take].title, prediction.question.text(&world)),
        program: String::new(),
        options: prediction.choices.iter().map(|choice| choice.text.text(&world)).collect(),
        right,
        because: prediction.choices[right].because.text(&world),
    };
    Some(Card { group: id.clone(), id, deck: lesson.slug.clone(), kind })
}
