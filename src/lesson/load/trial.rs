//! `trial.toml`: what the lesson is tried by.

use std::collections::BTreeMap;

use toml::Spanned;

use super::read::{Context, Loader};
use crate::lab::Program;
use crate::lesson::error::LessonError;
use crate::lesson::front::{LawFront, RepairFront, TrialFront};
use crate::lesson::model::{Claim, ClaimTime, Knob, Take};
use crate::lesson::source::Source;
use crate::lesson::trial::{Law, Repair, Trial};

/// The file's name.
pub(super) const FILE: &str = "trial.toml";

impl Loader<'_> {
    /// Reads it; a lesson without one is tried by nothing.
    pub(super) fn trial(&self, takes: &[Take], knobs: &[Knob]) -> Result<Trial, LessonError> {
        let Some(text) = self.folder.files.get(FILE) else { return Ok(Trial::default()) };
        let path = format!("{}/{FILE}", self.folder.path);
        let source = Source { path: &path, text };
        let front: TrialFront = source.toml(0..text.len())?;
        let reader = Loader { source, offset: 0, folder: self.folder, programs: Vec::new() };
        let names: Vec<String> = knobs.iter().map(|knob| knob.name.clone()).collect();
        let laws = front.laws.iter().map(|law| reader.law(law, &names)).collect::<Result<_, _>>()?;
        let mut breaks = BTreeMap::new();
        for entry in front.breaks {
            let take = reader.take_named(&entry.take, takes)?;
            if takes[take].sound {
                let message = format!("`{}` is marked as right", takes[take].name);
                return Err(reader.at(&entry.take.span(), message, "a take that shows a mistake"));
            }
            breaks.insert(take, entry.by);
        }
        let setting = reader.settings(&front.setting, knobs)?;
        let repair = front.repair.map(|repair| reader.repair(repair, takes)).transpose()?;
        Ok(Trial { laws, breaks, workers: front.workers, setting, spared: front.spared, repair })
    }

    fn law(&self, law: &Spanned<LawFront>, knobs: &[String]) -> Result<Law, LessonError> {
        let front = law.get_ref();
        let (when, expr) = match (&front.always, &front.end) {
            (Some(expr), None) => (ClaimTime::Always, expr),
            (None, Some(expr)) => (ClaimTime::AtEnd, expr),
            _ => {
                let expected = "one of `always` or `end` with an expression";
                return Err(self.at(&law.span(), "when must this law hold?", expected));
            }
        };
        // Laws are about no worker: the takes that they bind have casts of their own.
        let context = Context { knobs, cast: 0 };
        let expr = self.truth(expr, &context)?;
        let claim = Claim { text: self.sentence(&front.text, &context)?, when, expr };
        Ok(Law { claim, binds: front.binds })
    }

    fn repair(&self, front: RepairFront, takes: &[Take]) -> Result<Repair, LessonError> {
        let take = self.take_named(&front.take, takes)?;
        if takes[take].needs.is_some() {
            let message = format!("`{}` needs a server that not everybody has", takes[take].name);
            return Err(self.at(&front.take.span(), message, "a take that runs everywhere"));
        }
        let hints = front.hints.get_ref();
        if hints.len() != HINTS {
            let message = format!("there are {} hints", hints.len());
            return Err(self.at(&front.hints.span(), message, "three: point, narrow, show"));
        }
        let program: Program = self.compiled(&front.program)?;
        let solution = self.compiled(&front.solution)?;
        Ok(Repair { task: front.task, take, program, solution, hints: front.hints.into_inner() })
    }
}

/// Point, narrow, show.
const HINTS: usize = 3;
