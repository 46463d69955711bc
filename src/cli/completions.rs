//! `stampede completions`.

use std::io;
use std::process::ExitCode;

use clap::CommandFactory;

use super::Failure;
use super::args::Cli;

pub(super) fn completions(shell: clap_complete::Shell) -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "stampede", &mut text);
    io::Write::write_all(&mut io::stdout().lock(), &text)?;
    Ok(ExitCode::SUCCESS)
}
