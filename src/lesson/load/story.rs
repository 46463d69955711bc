//! Beats and their questions.

use toml::Spanned;

use super::read::{Context, Loader};
use crate::lesson::body::RawBeat;
use crate::lesson::error::LessonError;
use crate::lesson::front::{BeatFront, PredictFront, SeenFront};
use crate::lesson::model::{Beat, Choice, Prediction, Seen, Sight};

impl Loader<'_> {
    pub(super) fn beat(&mut self, raw: &RawBeat, context: &Context<'_>) -> Result<Beat, LessonError> {
        let outer = self.offset;
        let Some(at) = &raw.beat else {
            return Err(self.source.error(
                raw.at.clone(),
                "this beat never ends",
                "a ```beat block with `until = \"…\"`",
            ));
        };
        let front: BeatFront = self.source.toml(at.clone())?;
        self.offset = at.start;
        let until = self.truth(&front.until, context)?;
        let prediction = match &raw.predict {
            None => None,
            Some(at) => {
                let front: PredictFront = self.source.toml(at.clone())?;
                self.offset = at.start;
                Some(self.prediction(&front, context)?)
            }
        };
        let seen = match &raw.seen {
            None => None,
            Some(at) => {
                let front: SeenFront = self.source.toml(at.clone())?;
                self.offset = at.start;
                Some(self.seen(&front, context)?)
            }
        };
        self.offset = outer;
        let prose = self.prose(&raw.prose, context)?;
        Ok(Beat { title: raw.title.clone(), until, prediction, seen, prose })
    }

    fn seen(&self, front: &SeenFront, context: &Context<'_>) -> Result<Seen, LessonError> {
        self.two_to_four(&front.options)?;
        let mut sights = Vec::new();
        for option in front.options.get_ref() {
            let text = self.sentence(&option.text, context)?;
            sights.push(Sight { text, when: self.truth(&option.when, context)? });
        }
        Ok(Seen { question: self.sentence(&front.question, context)?, sights })
    }

    fn two_to_four<T>(&self, options: &Spanned<Vec<T>>) -> Result<(), LessonError> {
        let count = options.get_ref().len();
        if (2..=4).contains(&count) {
            return Ok(());
        }
        Err(self.at(&options.span(), format!("{count} options"), "two to four of them"))
    }

    fn prediction(&self, front: &PredictFront, context: &Context<'_>) -> Result<Prediction, LessonError> {
        let options = front.options.get_ref();
        self.two_to_four(&front.options)?;
        if options.iter().filter(|option| option.right).count() != 1 {
            return Err(self.at(
                &front.question.span(),
                "which option is right?",
                "`right = true` on exactly one",
            ));
        }
        let mut choices = Vec::new();
        for option in options {
            choices.push(Choice {
                text: self.sentence(&option.text, context)?,
                right: option.right,
                when: self.truth(&option.when, context)?,
                because: self.sentence(&option.because, context)?,
            });
        }
        Ok(Prediction { question: self.sentence(&front.question, context)?, choices })
    }
}
