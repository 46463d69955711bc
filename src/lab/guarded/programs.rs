//! The programs by their names.

use super::fleet::Fleet;
use super::{read, scrape, write};
use crate::lab::native::Native;
use crate::lab::setup::Program;

/// The scripts that the guard sends by digest.
pub const SCRIPTS: &[&str] = &crate::guard::SCRIPTS;

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
