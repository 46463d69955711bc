//! Runs takes and judges what they claim.
//!
//! A [`Playthrough`] drives one lab and keeps its world, its beats and its claims together; the screen drives it
//! step by step, [`run`] to its end. A [`Verdict`] says what held.
//!
//! It leaves to others: what lessons say (`lesson`), what happens (`lab`), how either looks (`tui`, `cli`).

mod playthrough;
mod totals;
mod verdict;

pub use playthrough::{Playthrough, Tick};
pub use totals::Totals;
pub use verdict::{Judged, Verdict};

use std::sync::Arc;

use crate::lab::{LabError, Wire};
use crate::lesson::{Knobs, Lesson};

/// What a run is made from, apart from the server.
#[derive(Clone, Debug)]
pub struct Order {
    pub lesson: Arc<Lesson>,
    /// The take's place in the lesson.
    pub take: usize,
    pub knobs: Knobs,
    pub seed: u64,
    /// Goes before every key.
    pub prefix: String,
}

/// Runs a take to its end and judges it.
///
/// # Errors
/// When the run cannot begin, or the server is lost on the way.
pub fn run(order: Order, wire: Box<dyn Wire>) -> Result<Verdict, LabError> {
    let mut play = Playthrough::begin(order, wire)?;
    while play.tick()? != Tick::Ended {}
    Ok(play.verdict())
}
