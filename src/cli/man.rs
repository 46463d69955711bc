//! `stampede man`.

use std::io;
use std::process::ExitCode;

use clap::CommandFactory;

use super::Failure;
use super::args::Cli;

pub(super) fn man() -> Result<ExitCode, Failure> {
    clap_mangen::Man::new(Cli::command()).render(&mut io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}
