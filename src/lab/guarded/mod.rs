//! Programs that run the [guard](crate::guard) itself, as the requests of a service would: one guard for each process.
//!
//! A lesson names them like its own files: `guard:read`, `guard:write` and `guard:scrape`. Which protections are on is
//! said by knobs of the names in [`switches`].

mod entry;
mod fleet;
// Shown in a panel of 41 columns, as they run.
#[rustfmt::skip]
mod read;
#[rustfmt::skip]
mod scrape;
mod switches;
#[rustfmt::skip]
mod write;

use super::native::Native;
use super::setup::Program;
pub use entry::{content, words};
pub use fleet::Fleet;

/// The scripts that the guard sends by digest.
pub const SCRIPTS: &[&str] = &crate::guard::SCRIPTS;

/// The name of the script that the guard sends by this digest.
pub fn script_name(digest: &str) -> Option<&'static str> {
    crate::guard::script_name(digest)
}

/// A program of this name, as it is shown; `None` when there is no such program.
pub fn program(name: &str) -> Option<Program> {
    let source = match name {
        "guard:read" => include_str!("read.rs"),
        "guard:write" => include_str!("write.rs"),
        "guard:scrape" => include_str!("scrape.rs"),
        _ => return None,
    };
    Some(Program { name: name.to_owned(), source: source.to_owned(), native: None })
}

/// What runs under this name in one run.
pub fn native(name: &str, fleet: &Fleet) -> Option<Native> {
    let fleet = fleet.clone();
    Some(match name {
        "guard:read" => Native::new(move |port| read::read(fleet.guard(&port), port)),
        "guard:write" => Native::new(move |port| write::write(fleet.guard(&port), port)),
        "guard:scrape" => Native::new(move |port| scrape::scrape(fleet.clone(), port)),
        _ => return None,
    })
}
