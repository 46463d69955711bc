//! The command line: one small file a subcommand.
//!
//! Output that programs read goes to standard output, everything else to standard error. What the user can mend ends
//! in a [`Failure`]: a message, a hint, an exit code.

mod args;
mod check;
mod compare;
mod completions;
mod dispatch;
mod doctor;
mod drill;
mod explore;
mod failure;
mod handout;
mod in_process;
mod interview;
mod lines;
mod list;
mod locale;
mod man;
mod new;
mod open;
mod play;
mod progress;
mod replay;
mod run;
mod servers;

pub use dispatch::main;
pub use failure::Failure;
pub use new::TEMPLATE;
pub use open::wire;
pub use servers::{NoServer, Servers};
