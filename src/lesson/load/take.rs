//! A take: program, cast, faults, claims.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use super::read::{Context, Loader};
use crate::lab::{Keys, LabTime, Program, Span, guarded, lua};
use crate::lesson::body::RawTake;
use crate::lesson::error::{LessonError, did_you_mean};
use crate::lesson::front::{CastFront, ClaimFront, CountFront, TakeFront};
use crate::lesson::model::{CastEntry, Claim, ClaimTime, Count, Knob, Take, Timeout};
use crate::lesson::prose::Prose;
use crate::lesson::source::Source;

impl Loader<'_> {
    pub(super) fn take(
        &mut self,
        front: TakeFront,
        section: Option<RawTake>,
        knobs: &[Knob],
        names: &[String],
        keys: &Keys,
    ) -> Result<Take, LessonError> {
        let program = self.program(&front.program)?;
        let mut cast = Vec::new();
        for entry in front.cast.get_ref() {
            cast.push(self.cast_entry(entry, program, knobs)?);
        }
        let size = cast.iter().map(|entry| most(&entry.count, knobs)).sum();
        let context = Context { knobs: names, cast: size };
        if size == 0 {
            return Err(self.at(
                &front.cast.span(),
                "a take needs a worker",
                "at least one entry in its cast",
            ));
        }
        let mut faults = Vec::new();
        for entry in &front.faults {
            faults.push(self.fault(entry, size, keys)?);
        }
        let mut claims = Vec::new();
        for claim in front.claims.get_ref() {
            claims.push(self.claim(claim, &context)?);
        }
        if claims.is_empty() {
            return Err(self.at(&front.claims.span(), "a take claims something", "at least one claim"));
        }
        let (intro, beats) = match section {
            None => (Prose::default(), Vec::new()),
            Some(section) => {
                let intro = self.prose(&section.intro, &context)?;
                let beats =
                    section.beats.iter().map(|beat| self.beat(beat, &context)).collect::<Result<_, _>>()?;
                (intro, beats)
            }
        };
        let knob_settings = self.settings(&front.knobs, knobs)?;
        let timeout = front.timeout.as_ref().map(|text| self.timeout(text, knobs)).transpose()?;
        Ok(Take {
            ends: front.ends.map(|span| LabTime::START + span),
            timeout,
            knobs: knob_settings,
            name: front.name.into_inner(),
            title: front.title,
            sound: front.sound,
            program,
            needs: front.needs,
            looks_at_server: front.looks_at_server,
            intro,
            cast,
            faults,
            claims,
            beats,
        })
    }

    /// Finds and compiles a program; the same file is kept once.
    pub(super) fn program(&mut self, name: &Spanned<String>) -> Result<usize, LessonError> {
        let file = name.get_ref();
        if let Some(index) = self.programs.iter().position(|program| program.name == *file) {
            return Ok(index);
        }
        let program = match guarded::program(file) {
            Some(program) => program,
            None => self.compiled(name)?,
        };
        self.programs.push(program);
        Ok(self.programs.len() - 1)
    }

    /// A program of the folder, compiled to see whether it can be.
    pub(super) fn compiled(&self, name: &Spanned<String>) -> Result<Program, LessonError> {
        let file = name.get_ref();
        let Some(text) = self.folder.files.get(file) else {
            let hint = did_you_mean(file, self.folder.files.keys().map(String::as_str));
            let expected =
                if hint.is_empty() { "a .lua file in the lesson's folder".to_owned() } else { hint };
            return Err(self.at(&name.span(), format!("there is no file `{file}`"), expected));
        };
        let program = Program { name: file.clone(), source: text.clone(), native: None };
        if let Err(error) = lua::check(&program) {
            let path = format!("{}/{file}", self.folder.path);
            let source = Source { path: &path, text };
            let range = line_range(text, error.line as usize);
            return Err(source.error(range, error.message, "a Lua 5.1 program"));
        }
        Ok(program)
    }

    fn cast_entry(
        &mut self,
        entry: &CastFront,
        main: usize,
        knobs: &[Knob],
    ) -> Result<CastEntry, LessonError> {
        let count = self.count(&entry.count, &entry.at.span(), knobs)?;
        let program = entry.program.as_ref().map_or(Ok(main), |name| self.program(name))?;
        let arrive = arrival(entry.at.get_ref()).ok_or_else(|| {
            self.at(&entry.at.span(), "this is no time of arrival", "`3s`, or a window like `0ms..20ms`")
        })?;
        Ok(CastEntry {
            count,
            role: entry.role,
            program,
            arrive,
            fill: entry.fill,
            every: entry.every,
            patience: entry.patience,
            clock_ahead: entry.clock_ahead,
            each_product: entry.each_product,
        })
    }

    /// A number, or a knob that gives it.
    pub(super) fn count(
        &self,
        count: &CountFront,
        span: &Range<usize>,
        knobs: &[Knob],
    ) -> Result<Count, LessonError> {
        match count {
            CountFront::Exactly(n) => Ok(Count::Exactly(*n)),
            CountFront::Knob(name) if knobs.iter().any(|knob| knob.name == *name) => {
                Ok(Count::Knob(name.clone()))
            }
            CountFront::Knob(name) => {
                let expected = "a number, or the name of a knob";
                Err(self.at(span, format!("the count here, `{name}`, is no knob"), expected))
            }
        }
    }

    /// A take's place by its name.
    pub(super) fn take_named(&self, name: &Spanned<String>, takes: &[Take]) -> Result<usize, LessonError> {
        let found = takes.iter().position(|take| take.name == *name.get_ref());
        found.ok_or_else(|| {
            let known = || takes.iter().map(|take| take.name.as_str());
            let hint = did_you_mean(name.get_ref(), known());
            let listed = known().collect::<Vec<_>>().join(", ");
            let expected = if hint.is_empty() { format!("one of {listed}") } else { hint };
            self.at(&name.span(), format!("there is no take `{}`", name.get_ref()), expected)
        })
    }

    pub(super) fn settings(
        &self,
        written: &BTreeMap<String, Spanned<i64>>,
        knobs: &[Knob],
    ) -> Result<BTreeMap<String, i64>, LessonError> {
        let mut settings = BTreeMap::new();
        for (name, value) in written {
            let Some(knob) = knobs.iter().find(|knob| knob.name == *name) else {
                let hint = did_you_mean(name, knobs.iter().map(|knob| knob.name.as_str()));
                return Err(self.at(&value.span(), format!("there is no knob `{name}`"), hint));
            };
            let number = *value.get_ref();
            if number < knob.min || number > knob.max {
                let expected = format!("a number from {} to {}", knob.min, knob.max);
                return Err(self.at(
                    &value.span(),
                    format!("{number} is outside the knob's range"),
                    expected,
                ));
            }
            settings.insert(name.clone(), number);
        }
        Ok(settings)
    }

    fn timeout(&self, text: &Spanned<String>, knobs: &[Knob]) -> Result<Timeout, LessonError> {
        if let Ok(span) = text.get_ref().parse() {
            return Ok(Timeout::Exactly(span));
        }
        if knobs.iter().any(|knob| knob.name == *text.get_ref()) {
            return Ok(Timeout::Knob(text.get_ref().clone()));
        }
        Err(self.at(&text.span(), "this is no timeout", "`50ms`, or the name of a knob"))
    }

    pub(super) fn claim(
        &self,
        entry: &Spanned<ClaimFront>,
        context: &Context<'_>,
    ) -> Result<Claim, LessonError> {
        let claim = entry.get_ref();
        let (when, text) = match (&claim.always, &claim.end, &claim.once) {
            (Some(text), None, None) => (ClaimTime::Always, text),
            (None, Some(text), None) => (ClaimTime::AtEnd, text),
            (None, None, Some(text)) => (ClaimTime::Once, text),
            _ => {
                let expected = "one of `always`, `end` or `once` with an expression";
                return Err(self.at(&entry.span(), "when must this claim hold?", expected));
            }
        };
        let expr = self.truth(text, context)?;
        Ok(Claim { text: self.sentence(&claim.text, context)?, when, expr })
    }
}

/// The most workers an entry can bring.
pub(super) fn most(count: &Count, knobs: &[Knob]) -> usize {
    match count {
        Count::Exactly(n) => usize::from(*n),
        Count::Knob(name) => knobs
            .iter()
            .find(|knob| knob.name == *name)
            .and_then(|knob| usize::try_from(knob.max).ok())
            .unwrap_or(0),
    }
}

/// `3s`, or a window `0ms..20ms`.
fn arrival(text: &str) -> Option<(LabTime, LabTime)> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let time = |text: &str| text.parse::<Span>().ok().map(|span| LabTime::START + span);
    let (from, to) = (time(from)?, time(to)?);
    (from <= to).then_some((from, to))
}

/// The bytes of a line, counted from 1.
fn line_range(text: &str, line: usize) -> Range<usize> {
    let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let length = text.get(start..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
    start..start + length
}
