//! The world: what a prefix of the journal says about everything.
//!
//! It is the one place that interprets events: which command was an acquisition, whose lock a `DEL` removed, how
//! many queries ran at once. Expressions in lessons, verdicts and screens all read it, so that they cannot disagree.

mod app;
mod calls;
mod fold;
mod holding;
mod intent;
mod lock;
mod log;
mod outcome;
mod seen;
mod tally;

pub use fold::World;
pub use intent::Intent;
pub use lock::{Life, LifeEnd, Lock};
pub use log::{LogRow, Remark};
pub use seen::{Mark, Phase, PhaseSpan, Seen, Sign, Wait};
pub use tally::{DatabaseTally, LockTally, Outcomes, Rules};
