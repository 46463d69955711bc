//! What comes up: cards being learned, then what is due, then new ones; and what will.

use std::collections::BTreeSet;
use std::time::Duration;

use super::deck::Deck;
use super::memory::{Memory, Phase};
use super::progress::Progress;
use super::time::{At, Day};

/// The longest time that a card being learned is waited for within a session.
const SOON: Duration = Duration::from_mins(20);

/// How much a day may bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Cards asked for the first time.
    pub new: u32,
    pub reviews: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { new: 12, reviews: 100 }
    }
}

/// What is to be asked now, by place in the deck, first things first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// Being learned, and asked again within minutes.
    pub learning: Vec<usize>,
    pub due: Vec<usize>,
    pub new: Vec<usize>,
    /// Cards that wait because another of their group comes up today.
    pub buried: usize,
    /// Being learned, and not due for some minutes yet; asked when nothing else is left.
    pub soon: Vec<usize>,
}

impl Queue {
    /// The card to ask next.
    pub fn next(&self) -> Option<usize> {
        [&self.learning, &self.due, &self.new, &self.soon].into_iter().find_map(|part| part.first()).copied()
    }

    pub fn len(&self) -> usize {
        self.learning.len() + self.due.len() + self.new.len() + self.soon.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a learner is asked at this moment.
pub fn queue(deck: &Deck, progress: &Progress, at: At, limits: Limits) -> Queue {
    let calendar = progress.calendar;
    let today = calendar.day(at);
    let tomorrow = calendar.start(Day(today.0 + 1));
    let done = progress.days.get(&today).copied().unwrap_or_default();
    let memory =
        |index: usize| progress.cards.get(&deck.cards[index].id).and_then(|card| card.memory.as_ref());
    let mut queue = Queue::default();
    let (mut due, mut new) = (Vec::new(), Vec::new());
    let mut groups: BTreeSet<&str> = BTreeSet::new();
    for (index, card) in deck.cards.iter().enumerate() {
        let known = memory(index);
        let learned = |memory: &Memory| memory.phase != Phase::Review && memory.due <= at.after(SOON);
        if known.is_some_and(|memory| calendar.day(memory.last) == today || learned(memory)) {
            groups.insert(&card.group);
        }
        match (known, progress.due(&card.id)) {
            (Some(memory), _) if memory.phase != Phase::Review && memory.due <= at => {
                queue.learning.push(index);
            }
            (Some(memory), _) if memory.phase != Phase::Review && memory.due <= at.after(SOON) => {
                queue.soon.push(index);
            }
            (_, Some(when)) if when < tomorrow => due.push(index),
            (None, None) => new.push(index),
            _ => {}
        }
    }
    queue.learning.sort_by_key(|index| memory(*index).map(|memory| memory.due));
    queue.soon.sort_by_key(|index| memory(*index).map(|memory| memory.due));
    // What is most nearly forgotten comes first; what was never asked and is owed, before all.
    let recalled = |index: &usize| memory(*index).map_or(-1.0, |memory: &Memory| memory.retrievability(at));
    due.sort_by(|a, b| recalled(a).total_cmp(&recalled(b)));
    due.truncate(limits.reviews.saturating_sub(done.reviews) as usize);
    for (from, to, most) in [
        (due, &mut queue.due, usize::MAX),
        (new, &mut queue.new, limits.new.saturating_sub(done.new) as usize),
    ] {
        for index in from {
            if to.len() >= most {
                break;
            }
            if groups.insert(&deck.cards[index].group) {
                to.push(index);
            } else {
                queue.buried += 1;
            }
        }
    }
    queue
}

/// How many of the deck's cards come up on each of the next days, today first; what is overdue counts for today.
pub fn forecast(deck: &Deck, progress: &Progress, at: At, days: usize) -> Vec<usize> {
    let today = progress.calendar.day(at);
    let mut counts = vec![0; days];
    for due in deck.cards.iter().filter_map(|card| progress.due(&card.id)) {
        let ahead = usize::try_from(progress.calendar.day(due).0 - today.0).unwrap_or(0);
        if let Some(count) = counts.get_mut(ahead) {
            *count += 1;
        }
    }
    counts
}
