//! Time, chance and tasks: where they come from.
//!
//! Everything in the lab lives on virtual time. What must follow the wall all the same (pacing a playback, noticing
//! that a server's countdown ran on while we were stopped, giving up on a server that does not start) asks the
//! [wall](now), so that a search for wall time ends in this folder; `clippy.toml` keeps it so.
//!
//! The guard runs in both worlds: on [`Tokio`], and in the lab on its clock. It asks a [`Runtime`] for all three.

mod runtime;
mod tokio;
mod wall;

pub use runtime::{Elapsed, Runtime};
pub use tokio::Tokio;
pub use wall::{Clock, HandSet, Wall, now, since};
