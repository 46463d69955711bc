//! `stampede check`: mistakes in lessons, each with its place; then what only a run shows.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use super::Failure;
use super::args::{Check, DEFAULT_SEED};
use super::failure::{CLAIM_FAILED, USAGE};
use super::servers::{NoServer, Servers};
use crate::judge;
use crate::lab::{LabError, WireError};
use crate::lesson::{Folder, Lesson, folders, lint, load};
use crate::server::embedded::Dialect;
use crate::server::{Choice, Wish};

pub(super) fn check(args: &Check) -> Result<ExitCode, Failure> {
    let folders = folders(&args.dir).map_err(|error| Failure::new(error.to_string(), "", USAGE))?;
    // Takes are tried on a server of our own, wherever the user's is.
    let mut servers = Servers::open(Choice::Start(Wish::Embedded(Dialect::Redis)))?;
    let mut mistakes = 0;
    let mut cards: BTreeMap<String, String> = BTreeMap::new();
    for folder in &folders {
        let complaints = match load(folder) {
            Err(error) => vec![error.to_string()],
            Ok(lesson) => complaints(folder, lesson, &mut servers, &mut cards)?,
        };
        mistakes += complaints.len();
        for complaint in complaints {
            eprintln!("error: {complaint}\n");
        }
    }
    let mut out = io::stdout().lock();
    let lessons = folders.len();
    if mistakes > 0 {
        writeln!(out, "{lessons} checked, {mistakes} to mend")?;
        return Ok(ExitCode::from(CLAIM_FAILED));
    }
    writeln!(out, "{lessons} checked and run with seed {DEFAULT_SEED}, all well")?;
    Ok(ExitCode::SUCCESS)
}

/// What is wrong with a lesson that could be read. One that is not well is not run: its run would only say so again.
fn complaints(
    folder: &Folder,
    lesson: Lesson,
    servers: &mut Servers,
    cards: &mut BTreeMap<String, String>,
) -> Result<Vec<String>, Failure> {
    let mut complaints = lint(&lesson);
    for card in &lesson.study.cards {
        if let Some(other) = cards.insert(card.id.clone(), lesson.slug.clone()) {
            complaints.push(format!("card `{}` has an id that {other} has given to one of its own", card.id));
        }
    }
    if complaints.is_empty() {
        let lesson = Arc::new(lesson);
        let takes = Arc::clone(&lesson);
        let line = |take: usize| match servers.wire(takes.need(take)) {
            Ok((wire, _)) => Ok(wire),
            Err(NoServer::Wire(error)) => Err(LabError::from(error)),
            Err(error) => Err(LabError::from(WireError::new(error.to_string()))),
        };
        complaints = judge::audit(&lesson, DEFAULT_SEED, line)?;
    }
    Ok(complaints.into_iter().map(|complaint| format!("{}: {complaint}", folder.path)).collect())
}
