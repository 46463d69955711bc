//! The command line: one small file a subcommand.
//!
//! Output that programs read goes to standard output, everything else to standard error. What the user can mend ends
//! in a [`Failure`]: a message, a hint, an exit code.

mod args;
mod check;
mod completions;
mod doctor;
mod failure;
mod list;
mod man;
mod open;
mod play;
mod run;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
pub use failure::Failure;

/// Parses the arguments and does what they say.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Some(Command::Run(run)) => run::run(&cli.global, run),
        Some(Command::List) => list::list(&cli.global),
        Some(Command::Check(check)) => check::check(check),
        Some(Command::Doctor) => doctor::doctor(&cli.global),
        Some(Command::Completions { shell }) => completions::completions(*shell),
        Some(Command::Man) => man::man(),
        Some(Command::Play(args)) => play::play(&cli.global, Some(args)),
        None => play::play(&cli.global, None),
    };
    match done {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
