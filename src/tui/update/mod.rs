//! The one place that changes the model.
//!
//! Pure: a message and a model go in, the model is changed and effects come out. Looking back never makes an effect;
//! that is how stepping back sends nothing to Redis.

mod dispatch;
mod lesson;
mod map;
mod news;
mod popup;
mod question;
mod travel;

pub(super) use dispatch::{begin, update};
