//! `study.toml`: beside the lesson, so that the lesson stays readable.

use super::read::{Context, Loader};
use super::take::most;
use crate::lesson::error::LessonError;
use crate::lesson::front::{GoalFront, StudyFront};
use crate::lesson::model::{Knob, Take};
use crate::lesson::source::Source;
use crate::lesson::study::{Card, Goal, Say, Study};

/// The file's name.
pub(super) const FILE: &str = "study.toml";

impl Loader<'_> {
    /// Reads it; a lesson without one has nothing to study.
    pub(super) fn study(&self, takes: &[Take], knobs: &[Knob]) -> Result<Study, LessonError> {
        let Some(text) = self.folder.files.get(FILE) else { return Ok(Study::default()) };
        let path = format!("{}/{FILE}", self.folder.path);
        let source = Source { path: &path, text };
        let front: StudyFront = source.toml(0..text.len())?;
        let reader = Loader { source, offset: 0, folder: self.folder, programs: Vec::new() };
        let mut cards: Vec<Card> = Vec::new();
        for card in front.cards {
            if cards.iter().any(|known| known.id == *card.id.get_ref()) {
                return Err(reader.at(&card.id.span(), "two cards have this id", "an id of its own"));
            }
            cards.push(Card { id: card.id.into_inner(), ask: card.ask, tell: card.tell });
        }
        let goals =
            front.goals.iter().map(|goal| reader.goal(goal, takes, knobs)).collect::<Result<_, _>>()?;
        let say = front.say.map(|say| Say { question: say.question, points: say.points });
        Ok(Study { say, cards, goals })
    }

    fn goal(&self, goal: &GoalFront, takes: &[Take], knobs: &[Knob]) -> Result<Goal, LessonError> {
        let take = self.take_named(&goal.take, takes)?;
        let names: Vec<String> = knobs.iter().map(|knob| knob.name.clone()).collect();
        let cast = takes[take].cast.iter().map(|entry| most(&entry.count, knobs)).sum();
        let when = self.truth(&goal.when, &Context { knobs: &names, cast })?;
        let by = self.settings(&goal.by, knobs)?;
        Ok(Goal { text: goal.text.clone(), take, when, by, hand: goal.hand.clone() })
    }
}
