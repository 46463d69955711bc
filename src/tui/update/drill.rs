//! Messages while cards are asked.

use super::dispatch::pause;
use crate::drill::{Card, Deck, Did, Entry, Grade};
use crate::tui::drilling::{Drilling, Sitting, Stage};
use crate::tui::effect::{Effect, Task};
use crate::tui::message::Message;
use crate::tui::model::{Ground, Model};
use crate::tui::recall::{Expected, Posed, course};
use crate::tui::scroll::Scroll;

/// Opens the cards; a sitting that was left goes on.
pub(super) fn open_cards(model: &mut Model) -> Vec<Effect> {
    pause(model);
    model.popup = None;
    match &model.drilling {
        Some(drilling) if drilling.stage != Stage::Over => {
            model.ground = Ground::Drill;
            Vec::new()
        }
        _ => sit_down(model, Sitting::default()),
    }
}

/// Begins a sitting.
pub(in crate::tui) fn sit_down(model: &mut Model, sitting: Sitting) -> Vec<Effect> {
    model.runs += 1;
    model.ground = Ground::Drill;
    let (deck, trouble) = match course(&model.lessons, &model.learner.progress) {
        Ok(deck) => (deck, None),
        Err(error) => (Deck::default(), Some(error.to_string())),
    };
    let deck = sitting.only.as_ref().map_or_else(|| deck.clone(), |only| deck.only(only));
    let wished = sitting.retention.filter(|wish| *wish != model.learner.progress.retention);
    model.drilling = Some(Drilling { trouble, ..Drilling::new(model.runs, sitting, deck) });
    let wished = wished.map(|retention| Effect::Note(Did::Wished { retention }));
    wished.into_iter().chain(next(model)).collect()
}

/// A card is ready, or cannot be asked.
pub(super) fn posed(model: &mut Model, number: u32, id: &str, card: Result<Posed, String>) -> Vec<Effect> {
    // One that is late may come when another is on the screen.
    let awaited = |drilling: &&mut Drilling| {
        drilling.number == number && drilling.stage == Stage::Waiting(id.to_owned())
    };
    let Some(drilling) = model.drilling.as_mut().filter(awaited) else { return Vec::new() };
    match card {
        Ok(card) => {
            drilling.stage = match card.expected {
                Expected::Order(_) => Stage::Ordering(Vec::new()),
                _ => Stage::Asked,
            };
            drilling.card = Some(card);
            Vec::new()
        }
        Err(trouble) => {
            drilling.trouble = Some(format!("card {id} cannot be asked: {trouble}"));
            drilling.deck.cards.retain(|card| card.id != id);
            next(model)
        }
    }
}

/// Has the next card made ready.
fn next(model: &mut Model) -> Vec<Effect> {
    let now = model.learner.now;
    let Some(drilling) = &mut model.drilling else { return Vec::new() };
    let in_time = drilling.sitting.ends.is_none_or(|ends| now < ends);
    let next = drilling.queue(&model.learner.progress, now).next().filter(|_| in_time);
    drilling.card = None;
    let Some(index) = next else {
        drilling.stage = Stage::Over;
        return Vec::new();
    };
    let card = drilling.deck.cards[index].clone();
    make_ready(model, card)
}

fn make_ready(model: &mut Model, card: Card) -> Vec<Effect> {
    let (lessons, glyphs) = (model.lessons.clone(), model.glyphs);
    let Some(drilling) = &mut model.drilling else { return Vec::new() };
    drilling.stage = Stage::Waiting(card.id.clone());
    drilling.card = None;
    drilling.scroll = Scroll::default();
    vec![Effect::Lab(Task::Pose { number: drilling.number, card: Box::new(card), lessons, glyphs })]
}

pub(super) fn in_drill(model: &mut Model, message: &Message) -> Vec<Effect> {
    let Some(drilling) = &mut model.drilling else { return Vec::new() };
    drilling.trouble = None;
    let spoken = matches!(drilling.expected(), Some(Expected::Spoken(_)));
    match (&mut drilling.stage, message) {
        (_, Message::Close) => {
            let lesson = model.session.is_some();
            model.ground = if lesson { Ground::Lesson } else { Ground::Map(0) };
        }
        (_, Message::Down) => drilling.scroll.by(1),
        (_, Message::Up) => drilling.scroll.by(-1),
        (_, Message::TakeBack) => return take_back(model),
        (Stage::Asked, Message::Accept) if spoken => {
            drilling.tell(None);
        }
        (Stage::Asked, Message::Digit(digit)) => return choose(model, *digit),
        (Stage::Ordering(order), Message::Erase) => {
            order.pop();
        }
        (Stage::Ordering(_), Message::Digit(digit)) => return put(model, *digit),
        (Stage::Told { known: Some(false) }, Message::Accept) => return next(model),
        (Stage::Told { known: Some(true) }, Message::Accept) => return grade(model, Grade::Good),
        (Stage::Told { known: None | Some(true) }, Message::Digit(digit)) => {
            let grade_of = |digit: u8| Grade::ALL.get(usize::from(digit).checked_sub(1)?).copied();
            return grade_of(*digit).map_or_else(Vec::new, |chosen| grade(model, chosen));
        }
        _ => {}
    }
    Vec::new()
}

/// One of the options.
fn choose(model: &mut Model, digit: u8) -> Vec<Effect> {
    let Some(drilling) = &model.drilling else { return Vec::new() };
    let options = drilling.card.as_ref().map_or(0, |card| card.options.len());
    let Some(Expected::Choice { right, .. }) = drilling.expected() else { return Vec::new() };
    match usize::from(digit).checked_sub(1) {
        Some(chosen) if chosen < options => {
            let known = chosen == *right;
            tell(model, known)
        }
        _ => Vec::new(),
    }
}

/// One step more of an order; the last one settles it.
fn put(model: &mut Model, digit: u8) -> Vec<Effect> {
    let Some(drilling) = &mut model.drilling else { return Vec::new() };
    let Some(Expected::Order(right)) = drilling.expected().cloned() else { return Vec::new() };
    let Stage::Ordering(order) = &mut drilling.stage else { return Vec::new() };
    if let Some(step) = usize::from(digit).checked_sub(1).filter(|step| *step < right.len()) {
        if !order.contains(&step) {
            order.push(step);
        }
        if order.len() == right.len() {
            let known = *order == right;
            return tell(model, known);
        }
    }
    Vec::new()
}

/// The answer was right or not; one that was not is graded with that.
fn tell(model: &mut Model, known: bool) -> Vec<Effect> {
    if let Some(drilling) = &mut model.drilling {
        drilling.tell(Some(known));
    }
    if known { Vec::new() } else { note(model, Grade::Again) }
}

fn grade(model: &mut Model, grade: Grade) -> Vec<Effect> {
    let effects = note(model, grade);
    if let Some(drilling) = &mut model.drilling {
        drilling.stage = Stage::Graded;
    }
    effects
}

/// Another program has written something down: the card on the screen may have been answered there.
pub(super) fn heard(model: &mut Model, entries: &[Entry]) -> Vec<Effect> {
    model.learner.progress.take_all(entries);
    let open = model.drilling.as_ref().and_then(Drilling::open);
    let answered = entries.iter().any(|entry| match &entry.did {
        Did::Graded { card, .. } => open == Some(card),
        _ => false,
    });
    if answered { next(model) } else { Vec::new() }
}

/// Something has been written down: what comes next depends on it.
pub(super) fn noted(model: &mut Model) -> Vec<Effect> {
    let graded = model.drilling.as_ref().is_some_and(|drilling| drilling.stage == Stage::Graded);
    if graded { next(model) } else { Vec::new() }
}

fn note(model: &mut Model, grade: Grade) -> Vec<Effect> {
    let Some(drilling) = &mut model.drilling else { return Vec::new() };
    let Some(card) = drilling.card.as_ref().map(|card| card.id.clone()) else { return Vec::new() };
    drilling.asked += 1;
    drilling.recalled += u32::from(grade.passed());
    drilling.last = Some((card.clone(), grade.passed()));
    vec![Effect::Note(Did::Graded { card, grade })]
}

/// Takes the last grade back, and asks that card again.
fn take_back(model: &mut Model) -> Vec<Effect> {
    let Some(drilling) = &mut model.drilling else { return Vec::new() };
    let Some((card, recalled)) = drilling.last.take() else {
        drilling.trouble = Some("there is no grade to take back".to_owned());
        return Vec::new();
    };
    drilling.asked = drilling.asked.saturating_sub(1);
    drilling.recalled = drilling.recalled.saturating_sub(u32::from(recalled));
    let again = drilling.deck.card(&card).cloned();
    let mut effects = vec![Effect::Note(Did::Undone { card })];
    effects.extend(again.map(|card| make_ready(model, card)).unwrap_or_default());
    effects
}
