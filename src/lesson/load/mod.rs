//! Reading a lesson's folder: what is written, checked against itself.
//!
//! One [`Loader`](read::Loader) goes through the file once; each file here reads one part of it.

mod fault;
mod folder;
mod read;
mod setting;
mod story;
mod study;
mod survey;
mod take;
mod trial;
mod words;

pub use folder::Folder;
pub use read::load;
