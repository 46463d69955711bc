//! Drawing: a model in, cells out. Nothing here changes anything or waits for anything.

mod compare;
mod details;
mod drill;
mod facts;
mod fit;
mod glossary;
mod header;
mod help;
mod layout;
mod lesson;
mod levers;
mod log;
mod map;
mod mistake;
mod paint;
mod popup;
mod program;
mod prompt;
mod prose;
mod repair;
mod runs;
mod say;
mod screen;
mod story;
mod survey;
mod timeline;
mod transport;

pub use fit::crowded;
pub(super) use screen::draw;
