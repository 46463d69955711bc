//! Runs takes and judges what they claim.
//!
//! A [`Playthrough`] drives one lab and keeps its world, its beats and its claims together; the screen drives it
//! step by step, [`run`] to its end. A [`Verdict`] says what held.
//!
//! It leaves to others: what lessons say (`lesson`), what happens (`lab`), how either looks (`tui`, `cli`).

mod audit;
mod compare;
mod explore;
mod order;
mod playthrough;
mod replay;
mod survey;
mod told;
mod totals;
mod verdict;
mod watch;

pub use audit::audit;
pub use compare::{LEGEND, table};
pub use explore::{
    Breach, Budget, Case, Counterexample, Exploration, Lines, Progress, Should, cases, explore,
};
pub use order::{Order, run};
pub use playthrough::{Playthrough, Tick};
pub use replay::{ReplayError, acts, replay};
pub use survey::{Point, survey};
pub use told::told;
pub use totals::Totals;
pub use verdict::{Judged, Verdict};
