//! The one place that changes the model.
//!
//! Pure: a message and a model go in, the model is changed and effects come out. Looking back never makes an effect;
//! that is how stepping back sends nothing to Redis.

mod compare;
mod dispatch;
mod drill;
mod interview;
mod lesson;
mod levers;
mod map;
mod news;
mod popup;
mod prompt;
mod question;
mod reload;
mod repair;
mod runs;
mod travel;
mod typing;

pub(super) use dispatch::{begin, update};
pub(super) use drill::sit_down;
pub(super) use interview::open_interview;
pub(super) use runs::begin_at;
