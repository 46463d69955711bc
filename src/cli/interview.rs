//! `stampede interview`: the question of the course, follow-ups, an honest rubric, and what to look at again.

use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use super::Failure;
use super::args::{Global, Interview as Args, WhichLevel};
use super::failure::ENVIRONMENT;
use super::lines::line;
use super::open;
use super::play;
use crate::clock::{Clock, Wall, now, since};
use crate::drill::{At, Did, Entry, Interview, InterviewRecord, Level, Question, Store};
use crate::lesson::Shelf;

/// What is asked.
const INTERVIEW: &str = include_str!("../../assets/interview.toml");

pub(super) fn interview(global: &Global, args: &Args) -> Result<ExitCode, Failure> {
    let shelf = open::shelf(global)?;
    let (mut store, told) = open::progress(global)?;
    let interview = Interview::read(INTERVIEW)
        .map_err(|error| Failure::new(format!("the questions of the interview: {error}"), "", ENVIRONMENT))?;
    let level = match args.level {
        WhichLevel::Junior => Level::Junior,
        WhichLevel::Middle => Level::Middle,
        WhichLevel::Senior => Level::Senior,
        WhichLevel::Principal => Level::Principal,
    };
    let mut out = io::stdout().lock();
    for line in told {
        writeln!(out, "note: {line}")?;
    }
    let input = &mut io::stdin().lock();
    let wanted = Sitting { interview: &interview, level, shelf: &shelf }.run(&mut store, input, &mut out)?;
    drop(out);
    store.close().map_err(|error| Failure::new(error.to_string(), "", ENVIRONMENT))?;
    match wanted {
        Some(lesson) if io::stdin().is_terminal() && io::stdout().is_terminal() => {
            play::lesson(global, shelf, lesson)
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

struct Sitting<'a> {
    interview: &'a Interview,
    level: Level,
    shelf: &'a Shelf,
}

/// How an interview went.
#[derive(Default)]
struct Outcome {
    points: u32,
    of: u32,
    flags: u32,
    /// What was missed, by the lesson that shows it.
    missed: BTreeMap<String, Vec<String>>,
}

impl Sitting<'_> {
    /// Runs it; returns the lesson that is to be opened then.
    fn run(
        &self,
        store: &mut Store,
        input: &mut impl BufRead,
        out: &mut impl Write,
    ) -> io::Result<Option<usize>> {
        let before = store.progress().interviews.iter().filter(|earlier| earlier.level == self.level).count();
        let questions = self.interview.questions(self.level, before);
        writeln!(out, "A mock interview, {}: {} questions.", self.level.name(), questions.len())?;
        writeln!(out, "Say each answer aloud and press Enter, or type it. q ends the interview.")?;
        let mut outcome = Outcome::default();
        for (number, question) in (1..).zip(&questions) {
            writeln!(out, "\n{number}. {}", question.ask)?;
            if self.ask(question, &mut outcome, input, out)?.is_none() {
                break;
            }
        }
        if outcome.of == 0 {
            writeln!(out, "\nNothing was answered; nothing is kept.")?;
            return Ok(None);
        }
        let Outcome { points, of, flags, .. } = outcome;
        let did = Did::Interviewed { level: self.level, points, of, flags };
        if let Err(error) = store.append(Entry { at: At::unix(Wall.unix()), did }) {
            writeln!(out, "note: {error}")?;
        }
        self.debrief(&outcome, &store.progress().interviews, out)?;
        self.wanted(&outcome, input, out)
    }

    /// The answers to one question, then its rubric. `None`: no more of this.
    fn ask(
        &self,
        question: &Question,
        outcome: &mut Outcome,
        input: &mut impl BufRead,
        out: &mut impl Write,
    ) -> io::Result<Option<()>> {
        for seconds in &question.seconds {
            write!(out, "   in {}: ", spoken(u64::from(*seconds)))?;
            out.flush()?;
            let began = now();
            let Some(answer) = line(input)?.filter(|answer| answer != "q") else { return Ok(None) };
            let took = since(began).as_secs();
            let judged = if took > u64::from(*seconds) { "too long" } else { "in time" };
            writeln!(out, "   {} taken, {judged}.", spoken(took))?;
            for (phrase, flag) in self.interview.flags(&answer) {
                outcome.flags += 1;
                outcome.miss(&flag.lesson, &flag.because);
                writeln!(
                    out,
                    "   red flag: “{phrase}”. {} (Words are matched, nothing is understood.)",
                    flag.because
                )?;
            }
        }
        writeln!(out, "   Which of these did you say? Their numbers, or Enter for none.")?;
        let points = question.points(self.level);
        for (number, point) in (1..).zip(&points) {
            writeln!(out, "     {number}. {}", point.text)?;
        }
        write!(out, "   said: ")?;
        out.flush()?;
        let Some(said) = line(input)?.filter(|said| said != "q") else { return Ok(None) };
        for (number, point) in (1..=9).zip(&points) {
            outcome.of += 1;
            if said.contains(char::from_digit(number, 10).unwrap_or('0')) {
                outcome.points += 1;
            } else {
                outcome.miss(&point.lesson, &point.text);
            }
        }
        Ok(Some(()))
    }

    fn debrief(&self, outcome: &Outcome, all: &[InterviewRecord], out: &mut impl Write) -> io::Result<()> {
        let Outcome { points, of, flags, missed } = outcome;
        let red = match flags {
            0 => String::new(),
            1 => ", 1 red flag".to_owned(),
            flags => format!(", {flags} red flags"),
        };
        writeln!(out, "\n{points} of {of} points{red}.")?;
        for (slug, what) in missed {
            if let Some(lesson) = self.shelf.lessons.iter().find(|lesson| lesson.slug == *slug) {
                writeln!(out, "\n  lesson {}, {}", lesson.number(), lesson.title)?;
                what.iter().try_for_each(|what| writeln!(out, "    {what}"))?;
            }
        }
        let trend: Vec<String> = all
            .iter()
            .filter(|earlier| earlier.level == self.level)
            .map(|earlier| format!("{:.0} %", earlier.share() * 100.0))
            .collect();
        if trend.len() > 1 {
            writeln!(out, "\nso far, {}: {}", self.level.name(), trend.join(", "))?;
        }
        Ok(())
    }

    fn wanted(
        &self,
        outcome: &Outcome,
        input: &mut impl BufRead,
        out: &mut impl Write,
    ) -> io::Result<Option<usize>> {
        if outcome.missed.is_empty() {
            return Ok(None);
        }
        write!(out, "\nThe number of a lesson opens it, Enter ends: ")?;
        out.flush()?;
        let number = line(input)?.and_then(|line| line.parse::<u32>().ok());
        writeln!(out)?;
        Ok(self.shelf.lessons.iter().position(|lesson| Some(lesson.number()) == number))
    }
}

impl Outcome {
    fn miss(&mut self, lesson: &str, what: &str) {
        let missed = self.missed.entry(lesson.to_owned()).or_default();
        if !missed.iter().any(|known| known == what) {
            missed.push(what.to_owned());
        }
    }
}

/// A time as it is said.
fn spoken(seconds: u64) -> String {
    match (seconds / 60, seconds % 60) {
        (0, 1) => "1 second".to_owned(),
        (0, seconds) => format!("{seconds} seconds"),
        (1, 0) => "1 minute".to_owned(),
        (minutes, 0) => format!("{minutes} minutes"),
        (minutes, seconds) => format!("{minutes}:{seconds:02} minutes"),
    }
}
