//! `stampede check`: mistakes in lessons, each with its place.

use std::io::{self, Write};
use std::process::ExitCode;

use super::Failure;
use super::args::Check;
use super::failure::{CLAIM_FAILED, USAGE};
use crate::lesson::{folders, lint, load};

pub(super) fn check(args: &Check) -> Result<ExitCode, Failure> {
    let folders = folders(&args.dir).map_err(|error| Failure::new(error.to_string(), "", USAGE))?;
    let mut mistakes = 0;
    for folder in &folders {
        match load(folder) {
            Err(error) => {
                mistakes += 1;
                eprintln!("error: {error}\n");
            }
            Ok(lesson) => {
                for complaint in lint(&lesson) {
                    mistakes += 1;
                    eprintln!("error: {}: {complaint}\n", folder.path);
                }
            }
        }
    }
    let mut out = io::stdout().lock();
    let lessons = folders.len();
    if mistakes > 0 {
        writeln!(out, "{lessons} checked, {mistakes} to mend")?;
        return Ok(ExitCode::from(CLAIM_FAILED));
    }
    writeln!(
        out,
        "{lessons} checked, all well; `stampede run all --lessons {}` tries the claims",
        args.dir.display()
    )?;
    Ok(ExitCode::SUCCESS)
}
