//! `stampede handout`: lessons on paper, as Markdown, with or without the answers.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Failure;
use super::args::{Global, Handout};
use super::open;
use super::servers::Servers;
use crate::judge::{self, Judged, Order};
use crate::lab::World;
use crate::lesson::{Beat, BlockKind, Inline, Lesson, Prediction, Prose, Seen, Sentence, Style, Take};
use crate::tui::{Glyphs, still};

/// A timeline's width on paper.
const WIDTH: usize = 76;

/// A timeline's lanes on paper.
const LANES: usize = 8;

pub(super) fn handout(global: &Global, args: &Handout) -> Result<ExitCode, Failure> {
    let shelf = open::shelf(global)?;
    let lessons = open::lessons(&shelf, &args.lesson)?;
    let mut servers = Servers::open(open::choice(global)?)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for lesson in lessons {
        let page = Page { lesson: &Arc::new(lesson.clone()), global, args };
        page.write(&mut out, &mut servers)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

struct Page<'a> {
    lesson: &'a Arc<Lesson>,
    global: &'a Global,
    args: &'a Handout,
}

/// A take that was run.
struct Told {
    /// Before anything happened.
    opening: World,
    /// At the end of each beat.
    beats: Vec<World>,
    claims: Vec<Judged>,
}

impl Page<'_> {
    fn write(&self, out: &mut impl Write, servers: &mut Servers) -> Result<(), Failure> {
        let lesson = self.lesson;
        let runs =
            (0..lesson.takes.len()).map(|take| self.run(servers, take)).collect::<Result<Vec<_>, _>>()?;
        let key = if self.args.key { ", with answers" } else { "" };
        writeln!(out, "# {}. {}{key}\n\n*{}*\n", lesson.number(), lesson.title, lesson.question)?;
        let first = runs.iter().find_map(|told| told.as_ref().ok());
        prose(out, &lesson.hook, first.map_or(&World::default(), |told| &told.opening))?;
        for (take, told) in lesson.takes.iter().zip(&runs) {
            self.take(out, take, told)?;
        }
        if let Some(say) = &lesson.study.say {
            writeln!(out, "## Say it\n\n{}\n", say.question)?;
            if self.args.key {
                say.points.iter().try_for_each(|point| writeln!(out, "- {point}"))?;
                writeln!(out)?;
            }
        }
        for card in lesson.study.cards.iter().filter(|_| self.args.key) {
            writeln!(out, "**{}** {}\n", card.ask, card.tell)?;
        }
        Ok(())
    }

    /// Runs a take, or says why it cannot be run.
    fn run(&self, servers: &mut Servers, take: usize) -> Result<Result<Told, String>, Failure> {
        let wire = match servers.wire_or_reason(self.lesson.need(take))? {
            Ok(wire) => wire,
            Err(reason) => return Ok(Err(reason)),
        };
        let order = Order {
            prefix: self.global.key_prefix.clone(),
            ..Order::new(Arc::clone(self.lesson), take, self.args.seed)
        };
        let verdict = judge::run(order, wire, &AtomicBool::new(false))?;
        let opening = verdict.journal.first().map(|event| World::after([event])).unwrap_or_default();
        let beats = judge::told(&self.lesson.takes[take], &verdict.journal);
        Ok(Ok(Told { opening, beats, claims: verdict.claims }))
    }

    fn take(&self, out: &mut impl Write, take: &Take, told: &Result<Told, String>) -> io::Result<()> {
        writeln!(out, "## {}\n", capital(&take.title))?;
        let Told { opening, beats, claims } = match told {
            Err(reason) => return writeln!(out, "Not run: {reason}.\n"),
            Ok(told) => told,
        };
        prose(out, &take.intro, opening)?;
        let program = &self.lesson.programs[take.program];
        let language = if program.name.starts_with("guard:") { "rust" } else { "lua" };
        writeln!(out, "```{language}\n{}\n```\n", program.source.trim_end())?;
        let mut before = opening;
        let mut asked = false;
        for (beat, world) in take.beats.iter().zip(beats) {
            // What comes after a question answers it.
            if self.args.key || !asked || beat.prediction.is_some() {
                self.beat(out, beat, before, world, asked)?;
            }
            asked |= beat.prediction.is_some();
            before = world;
        }
        if self.args.key {
            self.timeline(out, before)?;
            claims
                .iter()
                .filter(|claim| claim.holds)
                .try_for_each(|claim| writeln!(out, "- {}", claim.text))?;
            writeln!(out)?;
        }
        Ok(())
    }

    fn beat(
        &self,
        out: &mut impl Write,
        beat: &Beat,
        before: &World,
        after: &World,
        asked: bool,
    ) -> io::Result<()> {
        writeln!(out, "### {}\n", beat.title)?;
        if let Some(prediction) = &beat.prediction {
            // What has happened so far is what the question is about.
            if !self.args.key && !asked && before.step > 0 {
                self.timeline(out, before)?;
            }
            self.question(out, prediction, before, after)?;
        }
        if let Some(seen) = &beat.seen {
            self.sights(out, seen, after)?;
        }
        if beat.prediction.is_some() && !self.args.key {
            return Ok(());
        }
        prose(out, &beat.prose, after)
    }

    fn question(
        &self,
        out: &mut impl Write,
        prediction: &Prediction,
        before: &World,
        after: &World,
    ) -> io::Result<()> {
        writeln!(out, "**{}**\n", markdown(&prediction.question, before))?;
        for (number, choice) in (1..).zip(&prediction.choices) {
            let text = markdown(&choice.text, if self.args.key { after } else { before });
            if self.args.key {
                let mark = if choice.right { "**right.**" } else { "no." };
                writeln!(out, "{number}. {text} — {mark} {}", markdown(&choice.because, after))?;
            } else {
                writeln!(out, "{number}. [ ] {text}")?;
            }
        }
        writeln!(out)
    }

    /// What is to be looked for in the run.
    fn sights(&self, out: &mut impl Write, seen: &Seen, world: &World) -> io::Result<()> {
        writeln!(out, "*Look:* {}\n", markdown(&seen.question, world))?;
        for (number, sight) in (1..).zip(&seen.sights) {
            let text = markdown(&sight.text, world);
            match (self.args.key, sight.when.holds(world)) {
                (false, _) => writeln!(out, "{number}. [ ] {text}")?,
                (true, true) => writeln!(out, "{number}. {text} — **so it was.**")?,
                (true, false) => writeln!(out, "{number}. {text}")?,
            }
        }
        writeln!(out)
    }

    fn timeline(&self, out: &mut impl Write, world: &World) -> io::Result<()> {
        let glyphs = if self.global.ascii { Glyphs::Ascii } else { Glyphs::Unicode };
        writeln!(out, "```text")?;
        still(world, WIDTH, LANES, glyphs).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out, "```\n")
    }
}

fn prose(out: &mut impl Write, prose: &Prose, world: &World) -> io::Result<()> {
    for block in &prose.blocks {
        let text = markdown(&block.text, world);
        match block.kind {
            BlockKind::Paragraph => writeln!(out, "{text}\n")?,
            BlockKind::Item => writeln!(out, "- {text}")?,
            BlockKind::Code => writeln!(out, "    {}", block.text.text(world))?,
        }
    }
    Ok(())
}

/// A sentence with its styles as Markdown has them.
fn markdown(sentence: &Sentence, world: &World) -> String {
    let part = |(style, inline): &(Style, Inline)| {
        let text = inline.text(world);
        match style {
            Style::Plain => text,
            Style::Code => format!("`{text}`"),
            Style::Emphasis => format!("*{text}*"),
            Style::Strong => format!("**{text}**"),
        }
    };
    sentence.parts.iter().map(part).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
