//! `stampede drill`: cards, line by line or in the app.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::Failure;
use super::args::{Drill, Global};
use super::lines::line;
use super::open;
use super::play;
use crate::clock::{Clock, Wall};
use crate::drill::{At, Deck, Did, Entry, Grade, Limits, Queue, Retention, Store, forecast, queue};
use crate::lesson::Lesson;
use crate::tui::{Bench, Expected, Glyphs, Posed, Sitting, pose};

pub(super) fn drill(global: &Global, args: &Drill) -> Result<ExitCode, Failure> {
    let limits = Limits { new: args.new.unwrap_or(Limits::default().new), ..Limits::default() };
    let minutes = args.minutes.map(|minutes| Duration::from_mins(u64::from(minutes)));
    let ends = minutes.map(|time| At::unix(Wall.unix()).after(time));
    let retention = args.retention.map(Retention::percent);
    if open::on_screen(args.plain) {
        let only = open::deck_named(&open::shelf(global)?.lessons, args.deck.as_deref())?;
        return play::cards(global, Sitting { only, limits, retention, ends });
    }
    let shelf = open::shelf(global)?;
    let lessons: Vec<Arc<Lesson>> = shelf.lessons.into_iter().map(Arc::new).collect();
    let (store, told) = open::progress(global)?;
    let mut session = Session {
        deck: Deck::default(),
        lessons,
        store,
        bench: play::bench(),
        glyphs: play::glyphs(global),
        clock: &Wall,
        limits,
        asked: 0,
        recalled: 0,
        last: None,
    };
    session.deck = open::deck(&session.lessons, session.store.progress(), args.deck.as_deref())?;
    let mut out = io::stdout().lock();
    let done = told.iter().try_for_each(|line| writeln!(out, "note: {line}"));
    let wished = retention.filter(|wish| *wish != session.store.progress().retention);
    let done = done.and_then(|()| {
        wished.map_or(Ok(()), |retention| session.record(&mut out, Did::Wished { retention }))?;
        session.run(&mut io::stdin().lock(), &mut out, ends)
    });
    open::close(session.store, done)
}

/// A sitting with the cards, line by line.
struct Session<'a> {
    deck: Deck,
    lessons: Vec<Arc<Lesson>>,
    store: Store,
    bench: Bench,
    glyphs: Glyphs,
    clock: &'a dyn Clock,
    limits: Limits,
    asked: u32,
    recalled: u32,
    /// The card that was graded last and can be taken back, and whether it was recalled.
    last: Option<(String, bool)>,
}

/// What a line of the learner asks for.
enum Said {
    Grade(Grade),
    TakeBack,
    Stop,
}

impl Session<'_> {
    fn now(&self) -> At {
        At::unix(self.clock.unix())
    }

    fn queue(&self) -> Queue {
        queue(&self.deck, self.store.progress(), self.now(), self.limits)
    }

    fn run(&mut self, input: &mut impl BufRead, out: &mut impl Write, ends: Option<At>) -> io::Result<()> {
        let first = self.queue();
        let learning = first.learning.len() + first.soon.len();
        writeln!(out, "{} due, {} new, {learning} being learned.", first.due.len(), first.new.len())?;
        while let Some(index) = self.queue().next().filter(|_| ends.is_none_or(|ends| self.now() < ends)) {
            let card = self.deck.cards[index].clone();
            let posed = match pose(&card, &self.lessons, &self.bench, self.glyphs) {
                Ok(posed) => posed,
                Err(error) => {
                    writeln!(out, "\ncard {} cannot be asked: {error}", card.id)?;
                    self.deck.cards.remove(index);
                    continue;
                }
            };
            self.show(out, &posed)?;
            let Some(said) = ask(input, out, &posed)? else { break };
            match said {
                Said::Stop => break,
                Said::TakeBack => match self.last.take() {
                    Some((card, recalled)) => {
                        self.record(out, Did::Undone { card })?;
                        self.asked -= 1;
                        self.recalled -= u32::from(recalled);
                        writeln!(out, "The last grade is taken back.")?;
                    }
                    None => writeln!(out, "There is no grade to take back.")?,
                },
                Said::Grade(grade) => {
                    self.record(out, Did::Graded { card: card.id.clone(), grade })?;
                    self.asked += 1;
                    self.recalled += u32::from(grade.passed());
                    let due = self.store.progress().due(&card.id).unwrap_or_default();
                    writeln!(out, "Again {}.", until(self.now(), due))?;
                    self.last = Some((card.id, grade.passed()));
                }
            }
        }
        self.close(out)
    }

    fn show(&self, out: &mut impl Write, posed: &Posed) -> io::Result<()> {
        writeln!(out, "\n[{} left] {}, {}", self.queue().len(), posed.deck, posed.kind)?;
        posed.picture().try_for_each(|line| writeln!(out, "  {}", line.trim_end()))?;
        writeln!(out, "{}", posed.ask)?;
        (1..).zip(&posed.options).try_for_each(|(number, option)| writeln!(out, "  {number}. {option}"))
    }

    /// Writes it down; an answer that cannot be written is told and kept.
    fn record(&mut self, out: &mut impl Write, did: Did) -> io::Result<()> {
        let entry = Entry { at: self.now(), did };
        match self.store.append(entry) {
            Ok(()) => Ok(()),
            Err(error) => writeln!(out, "note: {error}"),
        }
    }

    fn close(&self, out: &mut impl Write) -> io::Result<()> {
        let progress = self.store.progress();
        let days = forecast(&self.deck, progress, self.now(), 2);
        writeln!(out, "\nAsked: {}, recalled: {}. Due tomorrow: {}.", self.asked, self.recalled, days[1])
    }
}

/// Asks until there is a grade, or something else is wanted; `None` at the end of the input.
fn ask(input: &mut impl BufRead, out: &mut impl Write, posed: &Posed) -> io::Result<Option<Said>> {
    let (prompt, right) = match &posed.expected {
        Expected::Spoken(_) => ("Say it, then Enter shows the answer", None),
        Expected::Choice { right, .. } => ("Which", Some(vec![*right])),
        Expected::Order(order) => ("In which order, like 2 1 3", Some(order.clone())),
    };
    let mut known = true;
    loop {
        write!(out, "{prompt} (u takes the last grade back, q stops): ")?;
        out.flush()?;
        let Some(line) = line(input)? else { return Ok(None) };
        match (line.as_str(), &right) {
            ("q", _) => return Ok(Some(Said::Stop)),
            ("u", _) => return Ok(Some(Said::TakeBack)),
            (_, None) => break,
            (line, Some(right)) => {
                let Some(answer) = numbers(line, posed.options.len(), right.len()) else {
                    writeln!(
                        out,
                        "Expected {} of the numbers above.",
                        if right.len() == 1 { "one" } else { "each" }
                    )?;
                    continue;
                };
                known = answer == *right;
                writeln!(out, "{}", if known { "Right." } else { "Not so." })?;
                break;
            }
        }
    }
    match &posed.expected {
        Expected::Spoken(told) => told.lines().try_for_each(|line| writeln!(out, "  {line}"))?,
        Expected::Choice { right, because } => writeln!(out, "  {}. {because}", right + 1)?,
        Expected::Order(order) => {
            let steps = order.iter().map(|step| &posed.options[*step]);
            (1..).zip(steps).try_for_each(|(number, step)| writeln!(out, "  {number}. {step}"))?;
        }
    }
    if !known {
        return Ok(Some(Said::Grade(Grade::Again)));
    }
    loop {
        write!(out, "How well? 1 not at all, 2 hardly, 3 well, 4 easily: ")?;
        out.flush()?;
        let Some(line) = line(input)? else { return Ok(None) };
        match line.parse::<usize>().ok().and_then(|digit| Grade::ALL.get(digit.wrapping_sub(1))) {
            Some(grade) => return Ok(Some(Said::Grade(*grade))),
            None if line == "q" => return Ok(Some(Said::Stop)),
            None => writeln!(out, "Expected a number from 1 to 4.")?,
        }
    }
}

/// So many numbers of options, each once, counted from 0; they may be written together.
fn numbers(line: &str, options: usize, count: usize) -> Option<Vec<usize>> {
    let digits = line.chars().filter(|c| !c.is_whitespace() && *c != ',');
    let numbers: Option<Vec<usize>> = digits
        .map(|c| (c.to_digit(10)? as usize).checked_sub(1).filter(|number| *number < options))
        .collect();
    numbers.filter(|numbers| {
        let mut each = numbers.clone();
        each.sort_unstable();
        each.dedup();
        numbers.len() == count && each.len() == count
    })
}

/// How long from now, in words.
pub(super) fn until(now: At, due: At) -> String {
    let minutes = due.0.saturating_sub(now.0).div_ceil(60_000);
    match minutes {
        0 => "at once".to_owned(),
        1 => "in a minute".to_owned(),
        2..90 => format!("in {minutes} minutes"),
        90..1440 => format!("in {} hours", minutes.div_ceil(60)),
        _ => match minutes.div_ceil(1440) {
            1 => "tomorrow".to_owned(),
            days @ 2..60 => format!("in {days} days"),
            days => format!("in {} months", days.div_ceil(30)),
        },
    }
}
