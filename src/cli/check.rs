//! `stampede check`: mistakes in lessons, each with its place; then what only a run shows.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Failure;
use super::args::{Check, DEFAULT_SEED};
use super::explore::{lines, servers};
use super::failure::{CLAIM_FAILED, USAGE};
use super::lines::tell;
use super::servers::Servers;
use crate::judge::{self, Budget, Lines};
use crate::lesson::{Folder, Lesson, folders, lint, load};
use crate::server::embedded::Dialect;
use crate::server::{Choice, Wish};
use crate::tui::crowded;

pub(super) fn check(args: &Check) -> Result<ExitCode, Failure> {
    let folders = folders(&args.dir).map_err(|error| Failure::new(error.to_string(), "", USAGE))?;
    // Takes are tried on a server of our own, wherever the user's is.
    let mut servers = servers(&Choice::Start(Wish::Embedded(Dialect::Redis)))?;
    let mut mistakes = 0;
    let mut cards: BTreeMap<String, String> = BTreeMap::new();
    for folder in &folders {
        let complaints = match load(folder) {
            Err(error) => vec![error.to_string()],
            Ok(lesson) => complaints(folder, lesson, &mut servers, &mut cards)?,
        };
        mistakes += complaints.len();
        for complaint in complaints {
            tell(format_args!("error: {complaint}\n"));
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

/// Enough to find what single faults break; `stampede explore` tries more.
const BUDGET: Budget = Budget { schedules: 150, seeds: 5 };

/// What should survive and does not, or should break and does not.
fn tried(lesson: &Arc<Lesson>, servers: &mut [Servers]) -> Result<Vec<String>, Failure> {
    let mut complaints = Vec::new();
    for case in judge::cases(lesson, DEFAULT_SEED) {
        let need = lesson.need(case.order.take);
        let mut lines: Vec<Lines<'_>> = servers.iter_mut().map(|servers| lines(servers, need)).collect();
        let found = judge::explore(&case.order, BUDGET, &mut lines, &AtomicBool::new(false), |_| {})?;
        let broken = found.counterexample.as_ref().map(|found| format!(": {}", found.breach.text));
        let astray = case.astray(&found);
        complaints
            .extend(astray.map(|astray| format!("`{}` {astray}{}", case.name, broken.unwrap_or_default())));
    }
    Ok(complaints)
}

/// What is wrong with a lesson that could be read. One that is not well is not run: its run would only say so again.
fn complaints(
    folder: &Folder,
    lesson: Lesson,
    servers: &mut [Servers],
    cards: &mut BTreeMap<String, String>,
) -> Result<Vec<String>, Failure> {
    let mut complaints = lint(&lesson);
    complaints.extend(crowded(&lesson));
    for card in &lesson.study.cards {
        if let Some(other) = cards.insert(card.id.clone(), lesson.slug.clone()) {
            complaints.push(format!("card `{}` has an id that {other} has given to one of its own", card.id));
        }
    }
    if complaints.is_empty() {
        let lesson = Arc::new(lesson);
        let takes = Arc::clone(&lesson);
        complaints = judge::audit(&lesson, DEFAULT_SEED, |take| lines(&mut servers[0], takes.need(take))())?;
        complaints.extend(tried(&lesson, servers)?);
    }
    Ok(complaints.into_iter().map(|complaint| format!("{}: {complaint}", folder.path)).collect())
}
