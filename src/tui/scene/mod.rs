//! What a screen shows of a session, as plain data: no colours, no widgets, no sizes but those it is asked for.

mod axis;
mod lanes;
mod log;
mod timeline;
mod words;

pub use lanes::Lane;
pub use log::{Row, RowText, rows};
pub use timeline::{Timeline, timeline};
pub use words::short_token;
