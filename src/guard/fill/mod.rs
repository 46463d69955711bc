//! Running the caller's closure: with a context, a deadline, and no way out that skips the release.

mod context;
mod run;

pub use context::Fill;
pub(super) use context::{Pulse, Wishes};
pub(super) use run::{Filled, Filler, fill};
