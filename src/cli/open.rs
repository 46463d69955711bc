//! What several commands open first: the server and the shelf of lessons.

use std::io::{self, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use chrono::{DateTime, Local, Utc};
use etcetera::BaseStrategy;

use super::Failure;
use super::args::{Global, WhichServer};
use super::failure::{ENVIRONMENT, USAGE};
use super::in_process::InProcess;
use crate::clock::{Clock, Wall};
use crate::drill::{Calendar, Deck, INTERVIEW, Progress, Store};
use crate::lab::{Journal, JournalError, RedisWire, Wire, WireError};
use crate::lesson::{Lesson, Shelf};
use crate::server::embedded::Dialect;
use crate::server::{Choice, Server, Wish};
use crate::tui::course;

pub(super) fn choice(global: &Global) -> Result<Choice, Failure> {
    let wish = global.server.map(|which| match which {
        WhichServer::Auto => Wish::Auto,
        WhichServer::Spawn => Wish::Spawn,
        WhichServer::Embedded => Wish::Embedded(Dialect::Redis),
        WhichServer::EmbeddedValkey => Wish::Embedded(Dialect::Valkey),
    });
    Ok(Choice::from_flags(global.redis.as_deref(), std::env::var("REDIS_URL").ok().as_deref(), wish)?)
}

pub(super) fn shelf(global: &Global) -> Result<Shelf, Failure> {
    Ok(Shelf::open(global.lessons.as_deref())?)
}

/// The lesson of this name, or `all`.
pub(super) fn lessons<'a>(shelf: &'a Shelf, wanted: &str) -> Result<Vec<&'a Lesson>, Failure> {
    if wanted == "all" {
        return Ok(shelf.lessons.iter().collect());
    }
    let index = shelf.find(wanted).map_err(|error| Failure::new(error.to_string(), "", USAGE))?;
    Ok(vec![&shelf.lessons[index]])
}

/// A line to the server for one run: a call in this process where it is embedded, and a connection elsewhere.
///
/// # Errors
/// When the server cannot be reached.
pub fn wire(server: &Server) -> Result<Box<dyn Wire>, WireError> {
    if let Some(line) = server.line() {
        return Ok(Box::new(InProcess(line.map_err(|error| WireError::new(error.to_string()))?)));
    }
    let connection = server.connect().map_err(|error| WireError::new(error.to_string()))?;
    Ok(Box::new(RedisWire::new(connection)?))
}

/// The folder in which what the learner makes is kept. It need not exist yet.
///
/// # Errors
/// When none was named and there is no home folder to look in, or when a file was.
pub(super) fn state(global: &Global) -> Result<PathBuf, Failure> {
    if let Some(state) = &global.state {
        if state.is_file() {
            let message = format!("{} is a file; your progress is kept in a folder", state.display());
            return Err(Failure::new(message, "name one with --state DIR; it need not exist yet", USAGE));
        }
        return Ok(state.clone());
    }
    let homeless = |_| {
        Failure::new("there is no home folder to keep your work in", "name one with --state DIR", ENVIRONMENT)
    };
    let base = etcetera::choose_base_strategy().map_err(homeless)?;
    Ok(base.state_dir().unwrap_or_else(|| base.data_dir()).join("stampede"))
}

/// The learner's progress, and what there is to tell about its files.
pub(super) fn progress(global: &Global) -> Result<(Store, Vec<String>), Failure> {
    Ok(Store::open(&state(global)?, calendar()))
}

/// Closes the learner's progress, however what was done with it has ended.
///
/// # Errors
/// When something could not be written where it belongs, or was not done to its end.
pub(super) fn close(progress: Store, done: io::Result<()>) -> Result<ExitCode, Failure> {
    progress.close().map_err(|error| Failure::new(error.to_string(), "", ENVIRONMENT))?;
    done?;
    Ok(ExitCode::SUCCESS)
}

/// True when the app is to be opened, and not lines asked and answered.
pub(super) fn on_screen(plain: bool) -> bool {
    !plain && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The learner's own days.
fn calendar() -> Calendar {
    let now = DateTime::<Utc>::from(UNIX_EPOCH + Wall.unix());
    Calendar { east: now.with_timezone(&Local).offset().local_minus_utc() }
}

/// The cards of the course, or of the decks that are wanted.
///
/// # Errors
/// When two cards have one id, or no deck is called so.
pub(super) fn deck(
    lessons: &[Arc<Lesson>],
    progress: &Progress,
    wanted: Option<&str>,
) -> Result<Deck, Failure> {
    let all = course(lessons, progress).map_err(|error| Failure::new(error.to_string(), "", USAGE))?;
    let only = deck_named(lessons.iter().map(AsRef::as_ref), wanted)?;
    Ok(only.map_or_else(|| all.clone(), |only| all.only(&only)))
}

/// The deck that is meant: a lesson by its number or name, or the interview; a part of the name does.
///
/// # Errors
/// When none is called so.
pub(super) fn deck_named<'a>(
    lessons: impl IntoIterator<Item = &'a Lesson>,
    wanted: Option<&str>,
) -> Result<Option<String>, Failure> {
    let Some(wanted) = wanted else { return Ok(None) };
    let lessons: Vec<&Lesson> = lessons.into_iter().collect();
    let names = lessons.iter().map(|lesson| lesson.slug.as_str()).chain([INTERVIEW]);
    let number = wanted.parse::<u32>().ok();
    let numbered = lessons.iter().find(|lesson| number == Some(lesson.number()));
    let named = names.clone().find(|name| name.contains(wanted));
    if let Some(name) = numbered.map(|lesson| lesson.slug.as_str()).or(named) {
        return Ok(Some(name.to_owned()));
    }
    let hint = format!("decks: {}", names.collect::<Vec<_>>().join(", "));
    Err(Failure::new(format!("no deck is called `{wanted}`"), hint, USAGE))
}

/// A saved journal.
///
/// # Errors
/// When the file cannot be read or is none; the message names the line.
pub(super) fn journal(file: &Path) -> Result<Journal, Failure> {
    let read = std::fs::File::open(file)
        .map_err(JournalError::from)
        .and_then(|file| Journal::read(BufReader::new(file)));
    read.map_err(|error| {
        let hint = "a journal is what X saves in the app";
        Failure::new(format!("{}: {error}", file.display()), hint, USAGE)
    })
}
