//! `stampede progress`: what has been learned, as a picture, and as a file to take along.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::Failure;
use super::args::{Global, ProgressCommand};
use super::failure::{ENVIRONMENT, USAGE};
use super::lines::tell;
use super::open;
use super::play;
use crate::clock::{Clock, Wall};
use crate::drill::{At, Store};
use crate::lesson::Lesson;
use crate::tui::report;

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
    let store = progress_of(global)?;
    let deck = open::deck(&lessons, store.progress(), None)?;
    let mut out = io::stdout().lock();
    let now = At::unix(Wall.unix());
    write!(out, "{}", report(&lessons, &deck, store.progress(), now, play::glyphs(global)))?;
    writeln!(out, "\nkept in {}", store.folder().display())?;
    Ok(ExitCode::SUCCESS)
}

/// The learner's progress; what there is to tell about its files goes where no program reads it.
fn progress_of(global: &Global) -> Result<Store, Failure> {
    let (store, told) = open::progress(global)?;
    for line in told {
        tell(format_args!("note: {line}"));
    }
    Ok(store)
}

fn export(global: &Global) -> Result<ExitCode, Failure> {
    let store = progress_of(global)?;
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
    let mut store = progress_of(global)?;
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
