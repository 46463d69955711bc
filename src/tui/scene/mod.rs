//! What a screen shows of a session, as plain data: no colours, no widgets, no sizes but those it is asked for.

mod axis;
mod comparison;
mod details;
mod lanes;
mod log;
mod still;
mod timeline;
mod transcript;
mod words;

pub(super) use comparison::comparison;
pub(super) use details::{Details, details};
pub(super) use lanes::Lane;
pub(super) use log::{Row, RowText, row_as_typed, rows};
pub use still::still;
pub(super) use still::toned;
pub(super) use timeline::{Timeline, timeline};
pub(super) use transcript::{Said, reply_lines, transcript};
pub(super) use words::short_token;
