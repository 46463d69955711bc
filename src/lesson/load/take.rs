//! A take: program, cast, faults, claims.

use std::ops::Range;

use toml::Spanned;

use super::read::{Context, Loader};
use crate::lab::{LabTime, Moment, Program, Span, WorkerId, lua};
use crate::lesson::body::RawTake;
use crate::lesson::error::{LessonError, did_you_mean};
use crate::lesson::front::{CastFront, ClaimFront, CountFront, FaultFront, TakeFront};
use crate::lesson::model::{CastEntry, Claim, ClaimTime, Count, FaultEntry, Knob, Take};
use crate::lesson::prose::Prose;
use crate::lesson::source::Source;

impl Loader<'_> {
    pub(super) fn take(
        &mut self,
        front: TakeFront,
        section: Option<RawTake>,
        knobs: &[Knob],
        names: &[String],
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
            faults.push(self.fault(entry, size)?);
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
        Ok(Take {
            name: front.name.into_inner(),
            title: front.title,
            sound: front.sound,
            program,
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
        self.programs.push(program);
        Ok(self.programs.len() - 1)
    }

    fn cast_entry(
        &mut self,
        entry: &CastFront,
        main: usize,
        knobs: &[Knob],
    ) -> Result<CastEntry, LessonError> {
        let count = match &entry.count {
            CountFront::Exactly(n) => Count::Exactly(*n),
            CountFront::Knob(name) => {
                if !knobs.iter().any(|knob| knob.name == *name) {
                    let expected = "a number, or the name of a knob";
                    return Err(self.at(
                        &entry.at.span(),
                        format!("the count of this entry, `{name}`, is no knob"),
                        expected,
                    ));
                }
                Count::Knob(name.clone())
            }
        };
        let program = entry.program.as_ref().map_or(Ok(main), |name| self.program(name))?;
        let arrive = arrival(entry.at.get_ref()).ok_or_else(|| {
            self.at(&entry.at.span(), "this is no time of arrival", "`3s`, or a window like `0ms..20ms`")
        })?;
        Ok(CastEntry { count, role: entry.role, program, arrive, fill: entry.fill })
    }

    fn fault(&self, entry: &Spanned<FaultFront>, cast: usize) -> Result<FaultEntry, LessonError> {
        let (fault, span) = (entry.get_ref(), entry.span());
        let worker = fault.worker.as_ref().map(|name| match WorkerId::named(name.get_ref()) {
            Some(id) if id.index() < cast => Ok(id),
            _ => {
                let message = format!("there is no worker `{}`: the cast has {cast}", name.get_ref());
                Err(self.at(&name.span(), message, "a worker of this take, like `A`"))
            }
        });
        let worker = worker.transpose()?;
        let harms =
            [&fault.crash, &fault.drop_connection, &fault.lose_reply, &fault.pause, &fault.database_fails];
        if harms.iter().filter(|harm| harm.is_some()).count() != 1 {
            let expected = "one of crash, drop_connection, lose_reply, pause, database_fails";
            return Err(self.at(&span, "a fault is one thing that goes wrong", expected));
        }
        let need_worker =
            || worker.ok_or_else(|| self.at(&span, "whom does this befall?", "`worker = \"A\"`"));
        let need_span =
            || fault.lasts.ok_or_else(|| self.at(&span, "how long does this last?", "`lasts = \"1s\"`"));
        let refuse = |expected| Err(self.at(&span, "this fault cannot happen at that moment", expected));
        match (&fault.lose_reply, &fault.pause, &fault.database_fails) {
            (Some(Moment::Before(_) | Moment::After(_)), ..) => return refuse("`executed SET` or `at 3s`"),
            (_, Some(Moment::Before(_)), _) => return refuse("`after GET`, `executed GET` or `at 3s`"),
            (.., Some(Moment::Before(_) | Moment::Executed(_) | Moment::After(_))) => {
                return refuse("`at 3s`");
            }
            _ => {}
        }
        if let Some(when) = &fault.database_fails {
            return Ok(FaultEntry::DatabaseFails { when: when.clone(), lasts: need_span()? });
        }
        let worker = need_worker()?;
        Ok(match (&fault.crash, &fault.drop_connection, &fault.lose_reply, &fault.pause) {
            (Some(when), ..) => FaultEntry::Crash { worker, when: when.clone() },
            (_, Some(when), ..) => FaultEntry::Drop { worker, when: when.clone() },
            (_, _, Some(when), _) => FaultEntry::LoseReply { worker, when: when.clone() },
            (.., pause) => FaultEntry::Pause {
                worker,
                when: pause.clone().unwrap_or(Moment::At(LabTime::START)),
                lasts: need_span()?,
            },
        })
    }

    fn claim(&self, entry: &Spanned<ClaimFront>, context: &Context<'_>) -> Result<Claim, LessonError> {
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
fn most(count: &Count, knobs: &[Knob]) -> usize {
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
