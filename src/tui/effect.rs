//! What the model asks for: the only ways in which a message reaches the world outside.

use std::path::PathBuf;
use std::sync::Arc;

use super::files::FileTask;
use super::glyphs::Glyphs;
use crate::drill::{Card, Did};
use crate::judge::Order;
use crate::lab::{LabTime, Lever};
use crate::lesson::Lesson;

/// Something to be done by the runtime.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    Lab(Task),
    File(FileTask),
    /// Write down what the learner did.
    Note(Did),
    /// Hand this file to the learner's editor, and the terminal with it.
    Edit(PathBuf),
    /// Put this on the terminal's clipboard.
    Copy(String),
    Suspend,
    Redraw,
    Quit,
}

/// What the lab is to do.
#[derive(Clone, Debug)]
pub(super) enum Task {
    /// Begin a run; reports about it carry this number.
    Begin { run: u32, order: Order },
    /// Go on to this moment, or to the end of the next beat.
    Advance(LabTime),
    /// Let one step happen.
    Step,
    /// Go on to the end of the next beat.
    ToBeat,
    /// Run these to their ends beside everything else, and report each under this number.
    Compare { number: u32, orders: Vec<Order> },
    /// Make this lesson's survey beside everything else, and report each point under this number.
    Survey { number: u32, lesson: Arc<Lesson> },
    /// Go on until this step has ended, or to the end of the next beat.
    ToStep(u32),
    /// Go on until this step has ended, through all beats on the way.
    Replay(u32),
    /// The learner pulls a lever.
    Act(Lever),
    /// Try a repair against everything that can go wrong, beside everything else, and report under this number.
    Judge { number: u32, order: Order },
    /// Make a card ready, beside everything else.
    Pose { number: u32, card: Box<Card>, lessons: Vec<Arc<Lesson>>, glyphs: Glyphs },
    /// No more of that.
    StopJudging,
}
