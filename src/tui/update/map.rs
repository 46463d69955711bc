//! Messages on the lesson map.

use super::dispatch::open;
use crate::lesson::Knobs;
use crate::tui::effect::Effect;
use crate::tui::message::Message;
use crate::tui::model::{Ground, Model};

pub(super) fn on_map(model: &mut Model, at: usize, message: &Message) -> Vec<Effect> {
    let last = model.lessons.len().saturating_sub(1);
    match message {
        Message::Down => model.ground = Ground::Map((at + 1).min(last)),
        Message::Up => model.ground = Ground::Map(at.saturating_sub(1)),
        Message::First => model.ground = Ground::Map(0),
        Message::Newest => model.ground = Ground::Map(last),
        Message::Close if model.session.is_some() => model.ground = Ground::Lesson,
        Message::Accept if model.lesson_index() == Some(at) => model.ground = Ground::Lesson,
        Message::Accept => {
            let seed = model.seed;
            return open(model, at, 0, Knobs::new(), seed);
        }
        _ => {}
    }
    Vec::new()
}
