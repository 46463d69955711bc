//! Saved runs, had again.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Failure;
use super::args::Global;
use super::failure::{CLAIM_FAILED, USAGE};
use super::open;
use super::servers::Servers;
use crate::judge::{self, Order};
use crate::lab::{Event, Fact, Journal, Lab, LabError};
use crate::lesson::Shelf;

/// The order that gives this journal again.
///
/// # Errors
/// When its lesson is not here, or nothing could give it again.
pub(super) fn order(journal: &Journal, shelf: &Shelf) -> Result<Order, Failure> {
    let lessons: Vec<_> = shelf.lessons.iter().cloned().map(Arc::new).collect();
    judge::replay(journal, &lessons).map_err(|error| Failure::new(error.to_string(), "", USAGE))
}

/// Runs it again as far as it went, and tells whether the same came of it.
pub(super) fn compare(
    global: &Global,
    file: &Path,
    stop: &AtomicBool,
    out: &mut impl Write,
) -> Result<ExitCode, Failure> {
    let (journal, shelf) = (open::journal(file)?, open::shelf(global)?);
    let order = order(&journal, &shelf)?;
    let mut servers = Servers::open(open::choice(global)?)?;
    let wire = match servers.wire_or_reason(order.lesson.need(order.take))? {
        Ok(wire) => wire,
        Err(reason) => return Err(Failure::new(reason, "", USAGE)),
    };
    let mut lab = Lab::open(order.setup(), wire)?;
    while lab.journal().len() < journal.len() && lab.tick()? {
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(LabError::Interrupted.into());
        }
    }
    let (before, now) = (journal.events(), lab.journal().events());
    let differs = before.iter().zip(now).position(|(before, now)| !is_same(before, now));
    let (place, take) = (&order.lesson.slug, &order.lesson.takes[order.take].name);
    match differs.or_else(|| (now.len() < before.len()).then_some(now.len())) {
        None => {
            writeln!(out, "{place}, {take}, seed {}: the same {} events", order.seed, before.len())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(at) => {
            writeln!(
                out,
                "{place}, {take}, seed {}: event {} of {} differs",
                order.seed,
                at + 1,
                before.len()
            )?;
            for (name, event) in [("saved", before.get(at)), ("now", now.get(at))] {
                let told = event.map(serde_json::to_string).transpose().map_err(std::io::Error::from)?;
                writeln!(out, "{name:<6} {}", told.as_deref().unwrap_or("nothing"))?;
            }
            Ok(ExitCode::from(CLAIM_FAILED))
        }
    }
}

/// What the learner typed may have asked the server for what no two servers answer alike.
fn is_same(before: &Event, now: &Event) -> bool {
    match (&before.fact, &now.fact) {
        (Fact::Typed { effects, .. }, Fact::Typed { effects: now, .. }) => effects == now,
        _ => before == now,
    }
}
