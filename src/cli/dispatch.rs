//! From arguments to what they ask for.

use std::process::ExitCode;

use clap::Parser;

use super::args::{Cli, Command};
use super::{
    check, compare, completions, doctor, drill, explore, handout, interview, list, man, new, play, progress,
    run,
};

/// Parses the arguments and does what they say.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.command {
        Some(Command::Run(run)) => run::run(&cli.global, run),
        Some(Command::Compare(compare)) => compare::compare(&cli.global, compare),
        Some(Command::Explore(explore)) => explore::explore(&cli.global, explore),
        Some(Command::Handout(handout)) => handout::handout(&cli.global, handout),
        Some(Command::Drill(args)) => drill::drill(&cli.global, args),
        Some(Command::Interview(args)) => interview::interview(&cli.global, args),
        Some(Command::Progress(command)) => progress::progress(&cli.global, command),
        Some(Command::List) => list::list(&cli.global),
        Some(Command::New(args)) => new::new(args),
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
