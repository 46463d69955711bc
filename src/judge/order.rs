//! What is to be run, and running it to its end.

use std::sync::Arc;

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

/// Runs a take to its end and judges it.
///
/// # Errors
/// When the run cannot begin, or the server is lost on the way.
pub fn run(order: Order, wire: Box<dyn Wire>) -> Result<Verdict, LabError> {
    let mut play = Playthrough::begin(order, wire)?;
    while play.next_at().is_some() {
        play.tick()?;
    }
    play.close();
    Ok(play.verdict())
}
