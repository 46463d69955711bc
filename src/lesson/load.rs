//! Reading a lesson's folder: what is written, checked against itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::Spanned;

use super::body::{self, RawBeat, RawBlock, RawTake};
use super::error::{LessonError, did_you_mean};
use super::expr::{self, Expr, Kind};
use super::front::{
    BeatFront, CastFront, ClaimFront, CountFront, FaultFront, Front, PredictFront, TakeFront,
};
use super::model::{
    Beat, CastEntry, Choice, Claim, ClaimTime, Count, FaultEntry, Knob, Lesson, Prediction, Take,
};
use super::prose::{self, Block, BlockKind, Inline, Names, Prose, Sentence};
use super::source::Source;
use crate::lab::{DatabaseSetup, Keys, LabTime, Program, Span, WorkerId, lua};

/// The files of a lesson's folder.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// The folder's own name; the lesson's slug.
    pub name: String,
    /// Where it is, as errors say it.
    pub path: String,
    pub files: BTreeMap<String, String>,
}

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

struct Loader<'a> {
    source: Source<'a>,
    /// Where the TOML that spans refer to begins in the file.
    offset: usize,
    folder: &'a Folder,
    programs: Vec<Program>,
}

/// What is known while one take is read.
struct Context<'a> {
    knobs: &'a [String],
    cast: usize,
}

impl Loader<'_> {
    fn lesson(mut self, front: Front, body_at: usize) -> Result<Lesson, LessonError> {
        let body = body::cut(&self.source, body_at)?;
        let knobs = self.knobs(&front)?;
        let names: Vec<String> = knobs.iter().map(|knob| knob.name.clone()).collect();
        let database = self.database(&front)?;
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
            takes.push(self.take(take, section, &knobs, &names)?);
        }
        if takes.is_empty() {
            return Err(LessonError::of_file(self.source.path, "a lesson needs a take", "[[takes]]"));
        }
        self.no_stray_files()?;
        Ok(Lesson {
            slug: self.folder.name.clone(),
            title: front.title,
            question: front.question,
            minutes: front.minutes,
            hook,
            keys: Keys { value: front.keys.value.into(), lock: front.keys.lock.map(Into::into) },
            knobs,
            database,
            programs: self.programs,
            takes,
        })
    }

    /// An error about a span of the TOML that `offset` stands for.
    fn at(
        &self,
        span: &Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> LessonError {
        self.source.error(self.offset + span.start..self.offset + span.end, message, expected)
    }

    fn knobs(&self, front: &Front) -> Result<Vec<Knob>, LessonError> {
        let mut knobs = Vec::new();
        for (name, knob) in &front.knobs {
            let default = *knob.default.get_ref();
            if default < knob.min || default > knob.max {
                let expected = format!("a number from {} to {}", knob.min, knob.max);
                return Err(self.at(
                    &knob.default.span(),
                    format!("{default} is outside the knob's own range"),
                    expected,
                ));
            }
            knobs.push(Knob {
                name: name.clone(),
                label: knob.label.clone(),
                default,
                min: knob.min,
                max: knob.max,
                step: knob.step.max(1),
                unit: knob.unit.clone(),
            });
        }
        Ok(knobs)
    }

    fn database(&self, front: &Front) -> Result<DatabaseSetup, LessonError> {
        let database = &front.database;
        if *database.pool.get_ref() == 0 {
            return Err(self.at(&database.pool.span(), "a pool needs a connection", "a number from 1 up"));
        }
        let setup = DatabaseSetup {
            schema: database.schema.get_ref().clone(),
            pool: *database.pool.get_ref(),
            p50: database.p50,
            p99: database.p99,
        };
        match setup.check() {
            Ok(()) => Ok(setup),
            Err(error) => Err(self.at(&database.schema.span(), error.to_string(), "SQL that SQLite runs")),
        }
    }

    fn take(
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
    fn program(&mut self, name: &Spanned<String>) -> Result<usize, LessonError> {
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
        let program = Program { name: file.clone(), source: text.clone() };
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
                when: pause.clone().unwrap_or(crate::lab::Moment::At(LabTime::START)),
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

    fn beat(&mut self, raw: &RawBeat, context: &Context<'_>) -> Result<Beat, LessonError> {
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

    /// An expression that is true or false.
    fn truth(&self, text: &Spanned<String>, context: &Context<'_>) -> Result<Expr, LessonError> {
        let start = self.offset + self.text_start(text);
        let expr = expr::parse(text.get_ref(), context.knobs, context.cast).map_err(|error| {
            self.source.error(
                start + error.range.start..start + error.range.end,
                error.message,
                error.expected,
            )
        })?;
        if expr.kind() != Kind::Truth {
            return Err(self.at(&text.span(), format!("this is {}", expr.kind()), Kind::Truth.to_string()));
        }
        Ok(expr)
    }

    fn sentence(&self, text: &Spanned<String>, context: &Context<'_>) -> Result<Sentence, LessonError> {
        let start = self.offset + self.text_start(text);
        let names = Names { knobs: context.knobs, cast: context.cast };
        prose::sentence(&self.source, start..start, text.get_ref().trim(), names)
    }

    /// Where the characters of a TOML string begin, behind its quotes.
    fn text_start(&self, text: &Spanned<String>) -> usize {
        let start = text.span().start;
        let written = self.source.text.get(self.offset + start..).unwrap_or_default();
        start + if written.starts_with("\"\"\"") || written.starts_with("'''") { 3 } else { 1 }
    }

    fn prose(&self, raw: &[RawBlock], context: &Context<'_>) -> Result<Prose, LessonError> {
        let names = Names { knobs: context.knobs, cast: context.cast };
        let mut blocks = Vec::new();
        for block in raw {
            let mut text = Sentence::default();
            for (style, at, words) in &block.pieces {
                if block.kind == BlockKind::Code {
                    // Code stands as it is, braces and all.
                    text.parts.push((*style, Inline::Text(words.clone())));
                    continue;
                }
                prose::inlines(&self.source, at.start, words, *style, names, &mut text)?;
            }
            blocks.push(Block { kind: block.kind, text });
        }
        Ok(Prose { blocks })
    }

    fn no_stray_files(&self) -> Result<(), LessonError> {
        let used: BTreeSet<&str> = self.programs.iter().map(|program| program.name.as_str()).collect();
        match self.folder.files.keys().find(|file| *file != "lesson.md" && !used.contains(file.as_str())) {
            None => Ok(()),
            Some(file) => Err(LessonError::of_file(
                format!("{}/{file}", self.folder.path),
                "no take uses this file",
                "only lesson.md and the programs it names",
            )),
        }
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
