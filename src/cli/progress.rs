//! `stampede progress`: what has been learned, as a picture, and as a file to take along.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::Failure;
use super::args::{Global, ProgressCommand};
use super::failure::{ENVIRONMENT, USAGE};
use super::open;
use super::play;
use crate::clock::{Clock, Wall};
use crate::drill::{At, Day, Deck, Limits, Progress, Standing, Store, forecast, queue};
use crate::lesson::Lesson;
use crate::tui::Glyphs;

/// Days of the forecast.
const AHEAD: usize = 14;

/// Weeks of what was recalled.
const WEEKS: i64 = 8;

pub(super) fn progress(global: &Global, command: &ProgressCommand) -> Result<ExitCode, Failure> {
    match command {
        ProgressCommand::Show => show(global),
        ProgressCommand::Export => export(global),
        ProgressCommand::Import { file } => import(global, file),
        ProgressCommand::Reset => reset(global),
    }
}

fn show(global: &Global) -> Result<ExitCode, Failure> {
    let lessons: Vec<Arc<Lesson>> = open::shelf(global)?.lessons.into_iter().map(Arc::new).collect();
    let (store, told) = open::progress(global)?;
    let deck = open::deck(&lessons, store.progress(), &play::bench(), None)?;
    let mut out = io::stdout().lock();
    tell(&told);
    let report = Report {
        lessons: &lessons,
        deck: &deck,
        progress: store.progress(),
        now: At::unix(Wall.unix()),
        glyphs: play::glyphs(global),
    };
    report.write(&mut out)?;
    writeln!(out, "\nkept in {}", store.folder().display())?;
    Ok(ExitCode::SUCCESS)
}

/// What there is to tell about the files, where no program reads it.
fn tell(told: &[String]) {
    for line in told {
        eprintln!("note: {line}");
    }
}

fn export(global: &Global) -> Result<ExitCode, Failure> {
    let (store, told) = open::progress(global)?;
    tell(&told);
    let entries = store.entries().map_err(|error| Failure::new(error.to_string(), "", ENVIRONMENT))?;
    let mut out = io::stdout().lock();
    for entry in entries {
        writeln!(out, "{}", serde_json::to_string(&entry).map_err(io::Error::from)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn import(global: &Global, file: &Path) -> Result<ExitCode, Failure> {
    let text = std::fs::read(file).map_err(|error| {
        let hint = "`stampede progress export > FILE` writes one";
        Failure::new(format!("{}: {error}", file.display()), hint, USAGE)
    })?;
    let (mut store, told) = open::progress(global)?;
    tell(&told);
    let (new, unreadable) =
        store.import(&text).map_err(|error| Failure::new(error.to_string(), "", ENVIRONMENT))?;
    if new == 0 && unreadable > 0 {
        let message = format!("{}: none of its {unreadable} lines is an answer", file.display());
        return Err(Failure::new(message, "`stampede progress export > FILE` writes one", USAGE));
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{new} answers added that were not there yet")?;
    if unreadable > 0 {
        writeln!(out, "{unreadable} lines could not be read and were left out")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn reset(global: &Global) -> Result<ExitCode, Failure> {
    let folder = open::state(global)?;
    let aside = Store::reset(&folder).map_err(|error| {
        Failure::new(format!("{}: {error}", folder.display()), "nothing was thrown away", ENVIRONMENT)
    })?;
    let mut out = io::stdout().lock();
    match aside {
        Some(aside) => writeln!(out, "begun anew; what there was is in {}", aside.display())?,
        None => writeln!(out, "there is nothing yet in {}", folder.display())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Interviews that are shown.
const INTERVIEWS: usize = 8;

/// What `show` says.
struct Report<'a> {
    lessons: &'a [Arc<Lesson>],
    deck: &'a Deck,
    progress: &'a Progress,
    now: At,
    glyphs: Glyphs,
}

impl Report<'_> {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.lessons(out)?;
        self.cards(out)?;
        self.forecast(out)?;
        self.recalled(out)?;
        self.interviews(out)
    }

    fn lessons(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "lessons")?;
        for lesson in self.lessons {
            let takes = lesson.takes.iter().map(|take| take.name.as_str());
            let (mark, word) = match self.progress.standing(&lesson.slug, takes) {
                Standing::New => ("·", ""),
                Standing::Begun => ("-", "begun"),
                Standing::Watched => ("o", "watched"),
                Standing::Done => ("✓", "done"),
            };
            let mark = if mark == "✓" || mark == "·" {
                self.glyphs.pick(mark, if word.is_empty() { "." } else { "x" })
            } else {
                mark
            };
            let mut more = vec![format!("{word:<8}")];
            if let Some(record) = self.progress.lessons.get(&lesson.slug) {
                if record.right + record.wrong > 0 {
                    more.push(format!("{} of {} predicted", record.right, record.right + record.wrong));
                }
                if let Some((points, of)) = record.said {
                    more.push(format!("said with {points} of {of} points"));
                }
                if let Some((queries, _)) = record.repaired {
                    more.push(format!("repaired ({queries} queries)"));
                }
            }
            let line = format!("  {mark} {:>2}  {:<34} {}", lesson.number(), lesson.title, more.join("  "));
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn cards(&self, out: &mut impl Write) -> io::Result<()> {
        let now = queue(self.deck, self.progress, self.now, Limits::default());
        let asked = self
            .deck
            .cards
            .iter()
            .filter(|card| self.progress.cards.get(&card.id).is_some_and(|known| known.memory.is_some()));
        writeln!(
            out,
            "\ncards\n  {} of {} asked so far; today {} due, {} being learned, {} new",
            asked.count(),
            self.deck.cards.len(),
            now.due.len(),
            now.learning.len() + now.soon.len(),
            now.new.len()
        )
    }

    fn forecast(&self, out: &mut impl Write) -> io::Result<()> {
        let days = forecast(self.deck, self.progress, self.now, AHEAD);
        let most = days.iter().copied().max().unwrap_or(0);
        if most == 0 {
            return Ok(());
        }
        writeln!(out, "\ndue in the next {AHEAD} days")?;
        for (ahead, count) in days.iter().enumerate() {
            let name = match ahead {
                0 => "today".to_owned(),
                1 => "tomorrow".to_owned(),
                days => format!("+{days}"),
            };
            let line = format!("  {name:>8} {count:>3} {}", self.bar(*count as f64 / most as f64));
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn recalled(&self, out: &mut impl Write) -> io::Result<()> {
        let today = self.progress.calendar.day(self.now);
        let weeks: Vec<(i64, f64)> = (0..WEEKS)
            .filter_map(|ago| {
                let end = self.progress.calendar.start(Day(today.0 - 7 * ago));
                self.progress.recalled(end, 7).map(|share| (ago, share))
            })
            .collect();
        if weeks.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "\nrecalled when they came up (wished for: {:.0} %)",
            self.progress.retention.0 * 100.0
        )?;
        for (ago, share) in weeks.iter().rev() {
            let name = if *ago == 0 { "this week".to_owned() } else { format!("{ago} weeks ago") };
            writeln!(out, "  {name:>12} {:>3.0} % {}", share * 100.0, self.bar(*share))?;
        }
        Ok(())
    }

    fn interviews(&self, out: &mut impl Write) -> io::Result<()> {
        let all = &self.progress.interviews;
        if all.is_empty() {
            return Ok(());
        }
        writeln!(out, "\ninterviews, the last {INTERVIEWS} at most")?;
        for one in all.iter().skip(all.len().saturating_sub(INTERVIEWS)) {
            let red = if one.flags > 0 { format!("  red flags: {}", one.flags) } else { String::new() };
            let bar = self.bar(one.share());
            writeln!(out, "  {:<9} {:>2} of {:<2} {bar}{red}", one.level.name(), one.points, one.of)?;
        }
        Ok(())
    }

    fn bar(&self, share: f64) -> String {
        self.glyphs.pick("█", "#").repeat((share * 30.0).round() as usize)
    }
}
