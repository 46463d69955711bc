//! Beats and their questions.

use super::read::{Context, Loader};
use crate::lesson::body::RawBeat;
use crate::lesson::error::LessonError;
use crate::lesson::front::{BeatFront, PredictFront};
use crate::lesson::model::{Beat, Choice, Prediction};

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
        self.offset = outer;
        Ok(Beat { title: raw.title.clone(), until, prediction, prose: self.prose(&raw.prose, context)? })
    }

    fn prediction(&self, front: &PredictFront, context: &Context<'_>) -> Result<Prediction, LessonError> {
        let options = front.options.get_ref();
        if !(2..=4).contains(&options.len()) {
            return Err(self.at(
                &front.options.span(),
                format!("{} options", options.len()),
                "two to four of them",
            ));
        }
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
