//! What is to be run, and running it to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::playthrough::Playthrough;
use super::verdict::Verdict;
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

/// Runs a take to its end and judges it, or until `stop` is set.
///
/// # Errors
/// When the run cannot begin, the server is lost on the way, or `stop` was set; the lesson's keys are removed all the
/// same.
pub fn run(order: Order, wire: Box<dyn Wire>, stop: &AtomicBool) -> Result<Verdict, LabError> {
    let mut play = Playthrough::begin(order, wire)?;
    while play.next_at().is_some() {
        if stop.load(Ordering::Relaxed) {
            return Err(LabError::Interrupted);
        }
        play.tick()?;
    }
    play.close();
    Ok(play.verdict())
}
