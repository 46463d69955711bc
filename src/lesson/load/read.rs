//! From a folder to a lesson.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::folder::Folder;
use super::{study, trial};
use crate::lab::Program;
use crate::lesson::body::{self, RawTake};
use crate::lesson::error::{LessonError, did_you_mean};
use crate::lesson::front::Front;
use crate::lesson::model::{Lesson, Take};
use crate::lesson::source::Source;
use crate::lesson::trial::Trial;

const FENCE: &str = "+++\n";

/// Reads and checks a lesson.
///
/// # Errors
/// The first mistake, with its place.
pub fn load(folder: &Folder) -> Result<Lesson, LessonError> {
    let path = format!("{}/lesson.md", folder.path);
    let text = folder.files.get("lesson.md").ok_or_else(|| {
        LessonError::of_file(folder.path.clone(), "there is no lesson.md in this folder", "a file lesson.md")
    })?;
    let source = Source { path: &path, text };
    let (front_at, body_at) = fences(&source)?;
    let front: Front = source.toml(front_at.clone())?;
    Loader { source, offset: front_at.start, folder, programs: Vec::new() }.lesson(front, body_at)
}

/// Where the front matter and the body stand.
fn fences(source: &Source<'_>) -> Result<(Range<usize>, usize), LessonError> {
    let start = FENCE.len();
    if !source.text.starts_with(FENCE) {
        let end = source.text.lines().next().map_or(0, str::len);
        return Err(source.error(0..end, "a lesson begins with its front matter", "a first line `+++`"));
    }
    match source.text.get(start..).and_then(|rest| rest.find("\n+++\n")) {
        Some(end) => Ok((start..start + end + 1, start + end + 5)),
        None => Err(source.error(0..3, "the front matter has no end", "a line `+++` after the TOML")),
    }
}

pub(super) struct Loader<'a> {
    pub(super) source: Source<'a>,
    /// Where the TOML that spans refer to begins in the file.
    pub(super) offset: usize,
    pub(super) folder: &'a Folder,
    pub(super) programs: Vec<Program>,
}

/// What is known while one take is read.
pub(super) struct Context<'a> {
    pub(super) knobs: &'a [String],
    pub(super) cast: usize,
}

impl Loader<'_> {
    fn lesson(mut self, front: Front, body_at: usize) -> Result<Lesson, LessonError> {
        let body = body::cut(&self.source, body_at)?;
        let knobs = self.knobs(&front)?;
        let names: Vec<String> = knobs.iter().map(|knob| knob.name.clone()).collect();
        let database = self.database(&front)?;
        let keys = self.keys(&front, &names)?;
        let (processes, threads) = self.app(&front, &knobs)?;
        let none = Context { knobs: &names, cast: 0 };
        let hook = self.prose(&body.hook, &none)?;
        let mut sections: BTreeMap<String, RawTake> = BTreeMap::new();
        let known: Vec<&str> = front.takes.iter().map(|take| take.name.get_ref().as_str()).collect();
        for section in body.takes {
            if !known.contains(&section.name.as_str()) {
                let hint = did_you_mean(&section.name, known.iter().copied());
                let message = format!("there is no take `{}` in the front matter", section.name);
                let expected = if hint.is_empty() { format!("one of {}", known.join(", ")) } else { hint };
                return Err(self.source.error(section.at, message, expected));
            }
            sections.insert(section.name.clone(), section);
        }
        let mut takes: Vec<Take> = Vec::new();
        for take in front.takes {
            let section = sections.remove(take.name.get_ref());
            if takes.iter().any(|known| known.name == *take.name.get_ref()) {
                return Err(self.at(&take.name.span(), "two takes have this name", "a name of its own"));
            }
            takes.push(self.take(take, section, &knobs, &names, &keys)?);
        }
        if takes.is_empty() {
            return Err(LessonError::of_file(self.source.path, "a lesson needs a take", "[[takes]]"));
        }
        let survey = front.survey.as_ref().map(|survey| self.survey(survey, &takes, &knobs)).transpose()?;
        let study = self.study(&takes, &knobs)?;
        let trial = self.trial(&takes, &knobs)?;
        self.no_stray_files(&trial)?;
        Ok(Lesson {
            slug: self.folder.name.clone(),
            title: front.title,
            question: front.question,
            minutes: front.minutes,
            hook,
            keys,
            knobs,
            database,
            processes,
            threads,
            programs: self.programs,
            takes,
            study,
            survey,
            trial,
        })
    }

    fn no_stray_files(&self, trial: &Trial) -> Result<(), LessonError> {
        let repair = trial.repair.iter().flat_map(|repair| [&repair.program, &repair.solution]);
        let used: BTreeSet<&str> =
            self.programs.iter().chain(repair).map(|program| program.name.as_str()).collect();
        let known =
            |file: &str| ["lesson.md", study::FILE, trial::FILE].contains(&file) || used.contains(file);
        match self.folder.files.keys().find(|file| !known(file)) {
            None => Ok(()),
            Some(file) => Err(LessonError::of_file(
                format!("{}/{file}", self.folder.path),
                "no take uses this file",
                "only lesson.md, study.toml, trial.toml and the programs that they name",
            )),
        }
    }
}
