//! Drawing: a model in, cells out. Nothing here changes anything or waits for anything.

mod compare;
mod details;
mod drill;
mod facts;
mod fit;
mod glossary;
mod header;
mod help;
mod interview;
mod layout;
mod lesson;
mod levers;
mod log;
mod map;
mod mistake;
mod paint;
mod popup;
mod program;
mod progress;
mod prompt;
mod prose;
mod repair;
mod report;
mod runs;
mod say;
mod screen;
mod story;
mod survey;
mod timeline;
mod transport;
mod typed;

pub use fit::crowded;
pub use report::report;
pub(super) use screen::draw;
