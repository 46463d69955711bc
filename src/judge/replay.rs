//! From a journal back to the order that gives it again.

use std::sync::Arc;

use super::order::Order;
use crate::lab::{Act, Event, Fact, Global, Intervention, Journal};
use crate::lesson::{Knobs, Lesson};

/// Why a journal cannot be played again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    #[error("the journal is of the lesson `{0}`, which is not here")]
    NoLesson(String),
    #[error("the journal is of the take `{take}`, which `{lesson}` does not have")]
    NoTake { lesson: String, take: String },
    #[error("somebody outside the lab changed keys during this run: nothing could give it again")]
    NotReproducible,
}

/// What was done by hand in a run, and where.
pub fn acts<'a>(events: impl Iterator<Item = &'a Event>) -> impl Iterator<Item = Intervention> {
    events.filter_map(|event| match &event.fact {
        Fact::Acted { lever } => {
            // An act is an entry of its own: it came after the one before.
            let act = Act { after: event.tick.saturating_sub(1), at: event.at, lever: lever.clone() };
            Some(Intervention::Act(act))
        }
        _ => None,
    })
}

/// The order that gives this journal again, with all that was done by hand.
///
/// # Errors
/// When its lesson or take is not among `lessons`, or somebody outside had a hand in it.
pub fn replay(journal: &Journal, lessons: &[Arc<Lesson>]) -> Result<Order, ReplayError> {
    let events = journal.events();
    let Some(Fact::Began(opening)) = events.first().map(|event| &event.fact) else {
        return Err(ReplayError::NoLesson(String::new()));
    };
    if !journal.is_reproducible() {
        return Err(ReplayError::NotReproducible);
    }
    let lesson = lessons.iter().find(|lesson| lesson.slug == opening.lesson);
    let lesson = lesson.ok_or_else(|| ReplayError::NoLesson(opening.lesson.clone()))?;
    let no_take = || ReplayError::NoTake { lesson: opening.lesson.clone(), take: opening.take.clone() };
    let (take, _) = lesson.take(&opening.take).ok_or_else(no_take)?;
    let setting = lesson.setting(take);
    let turned = opening.knobs.iter().filter_map(|(name, value)| match value {
        Global::Number(n) if setting.get(name).is_some_and(|set| set != n) => Some((name.clone(), *n)),
        _ => None,
    });
    let knobs: Knobs = turned.collect();
    let prefix = opening.keys.value.to_string();
    let prefix = prefix.strip_suffix(&lesson.keys.value.to_string()).unwrap_or_default().to_owned();
    let schedule = opening.schedule.iter().cloned().chain(acts(events.iter())).collect();
    let mut order = Order { knobs, prefix, schedule, ..Order::new(Arc::clone(lesson), take, opening.seed) };
    order.repair = opening.repair.as_deref().map(Arc::from);
    let whole = order.setup().cast.len();
    order.workers = (opening.cast.len() < whole).then_some(opening.cast.len());
    Ok(order)
}
