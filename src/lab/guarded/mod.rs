//! Programs that run the [guard](crate::guard) itself, as the requests of a service would: one guard for each process.
//!
//! A lesson names them like its own files: `guard:read`, `guard:write` and `guard:scrape`. Which protections are on is
//! said by knobs whose names `switches.rs` has.

mod entry;
mod fleet;
mod programs;
// Shown in a panel of 41 columns, as they run.
#[rustfmt::skip]
mod read;
#[rustfmt::skip]
mod scrape;
mod switches;
#[rustfmt::skip]
mod write;

pub use entry::{content, words};
pub use fleet::Fleet;
pub use programs::{SCRIPTS, native, program};

pub use crate::guard::script_of;
