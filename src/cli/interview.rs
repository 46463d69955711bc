//! `stampede interview`: in the app, or line by line: the question of the course, follow-ups, an honest rubric, and what to
//! look at again.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use super::Failure;
use super::args::{Global, Interview as Args, WhichLevel};
use super::lines::line;
use super::open;
use super::play;
use crate::clock::{Clock, Wall, now, since};
use crate::drill::{At, Did, Entry, Flag, Interview, Level, Outcome, Question, Store, spoken};
use crate::lesson::Shelf;

pub(super) fn interview(global: &Global, args: &Args) -> Result<ExitCode, Failure> {
    let level = args.level.map(|level| match level {
        WhichLevel::Junior => Level::Junior,
        WhichLevel::Middle => Level::Middle,
        WhichLevel::Senior => Level::Senior,
        WhichLevel::Principal => Level::Principal,
    });
    if open::on_screen(args.plain) {
        return play::interview(global, level);
    }
    let shelf = open::shelf(global)?;
    let (mut store, told) = open::progress(global)?;
    let mut out = io::stdout().lock();
    let done = told.iter().try_for_each(|line| writeln!(out, "note: {line}"));
    let sitting = Sitting { interview: Interview::shipped(), level: level.unwrap_or(Level::Senior) };
    let done = done
        .and_then(|()| sitting.run(&mut store, &mut io::stdin().lock(), &mut out))
        .and_then(|outcome| sitting.debrief(&outcome, &shelf, &store, &mut out));
    open::close(store, done)
}

struct Sitting {
    interview: &'static Interview,
    level: Level,
}

impl Sitting {
    fn run(&self, store: &mut Store, input: &mut impl BufRead, out: &mut impl Write) -> io::Result<Outcome> {
        let before = store.progress().interviews.iter().filter(|earlier| earlier.level == self.level).count();
        let questions = self.interview.questions(self.level, before);
        writeln!(out, "A mock interview, {}: {} questions.", self.level.name(), questions.len())?;
        writeln!(out, "Say each answer aloud and press Enter, or type it. q ends the interview.")?;
        let mut outcome = Outcome::new(At::unix(Wall.unix()), self.level);
        for (number, question) in (1..).zip(questions) {
            writeln!(out, "\n{number}. {}", question.ask)?;
            let Some(did) = self.ask(question, &mut outcome, input, out)? else { break };
            if let Err(error) = store.append(Entry { at: At::unix(Wall.unix()), did }) {
                writeln!(out, "note: {error}")?;
            }
        }
        Ok(outcome)
    }

    /// The answers to one question, then its rubric. `None`: no more of this.
    fn ask(
        &self,
        question: &Question,
        outcome: &mut Outcome,
        input: &mut impl BufRead,
        out: &mut impl Write,
    ) -> io::Result<Option<Did>> {
        let mut flags: Vec<&Flag> = Vec::new();
        for limit in question.limits() {
            write!(out, "   in {}: ", spoken(limit))?;
            out.flush()?;
            let began = now();
            let Some(answer) = line(input)?.filter(|answer| answer != "q") else { return Ok(None) };
            let took = since(began);
            let judged = if took.as_secs() > limit.as_secs() { "too long" } else { "in time" };
            writeln!(out, "   {} taken, {judged}.", spoken(took))?;
            for (phrase, flag) in self.interview.flags(&answer) {
                flags.push(flag);
                writeln!(
                    out,
                    "   red flag: “{phrase}”. {} (Words are matched, nothing is understood.)",
                    flag.because
                )?;
            }
        }
        writeln!(out, "   Which of these did you say? Their numbers, or Enter for none.")?;
        for (number, point) in (1..).zip(question.points(self.level)) {
            writeln!(out, "     {number}. {}", point.text)?;
        }
        write!(out, "   said: ")?;
        out.flush()?;
        let Some(said) = line(input)?.filter(|said| said != "q") else { return Ok(None) };
        let said: BTreeSet<usize> =
            said.chars().filter_map(|c| (c.to_digit(10)? as usize).checked_sub(1)).collect();
        Ok(Some(outcome.answered(question, &said, &flags)))
    }

    fn debrief(
        &self,
        outcome: &Outcome,
        shelf: &Shelf,
        store: &Store,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if outcome.of == 0 {
            return writeln!(out, "\nNothing was answered; nothing is kept.");
        }
        writeln!(out, "\n{}.", outcome.score())?;
        for (slug, what) in &outcome.missed {
            if let Some(lesson) = shelf.lessons.iter().find(|lesson| lesson.slug == *slug) {
                let number = lesson.number();
                writeln!(out, "\n  lesson {number}, {}: stampede play {number}", lesson.title)?;
                what.iter().try_for_each(|what| writeln!(out, "    {what}"))?;
            }
        }
        let all = store.progress().interviews.iter().filter(|earlier| earlier.level == self.level);
        let trend: Vec<String> = all.map(|one| format!("{:.0} %", one.share() * 100.0)).collect();
        if trend.len() > 1 {
            writeln!(out, "\nso far, {}: {}", self.level.name(), trend.join(", "))?;
        }
        Ok(())
    }
}
