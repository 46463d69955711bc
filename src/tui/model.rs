//! All that the screen is drawn from.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::drilling::Drilling;
use super::glyphs::Glyphs;
use super::host::ServerCard;
use super::interviewing::{Interviewing, Stage};
use super::keys::Place;
use super::learner::Learner;
use super::prompt::Prompt;
use super::scroll::Scroll;
use super::session::Session;
use super::theme::Theme;
use super::workbench::Workbench;
use crate::drill::Standing;
use crate::judge::Point;
use crate::lab::{WorkerId, World};
use crate::lesson::{Knobs, Lesson};

/// The whole state of the app.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub lessons: Vec<Arc<Lesson>>,
    pub server: Option<ServerCard>,
    pub size: (u16, u16),
    pub theme: Theme,
    pub glyphs: Glyphs,
    /// What is under everything else.
    pub ground: Ground,
    pub session: Option<Session>,
    pub popup: Option<Popup>,
    pub learner: Learner,
    pub drilling: Option<Drilling>,
    pub interviewing: Option<Interviewing>,
    pub comparison: Option<Comparison>,
    pub surveying: Option<Surveying>,
    /// Earlier runs of the lesson, oldest first.
    pub kept: Vec<Session>,
    pub workbench: Option<Workbench>,
    /// What was typed at the prompt, oldest first.
    pub typed: Vec<String>,
    /// Where what the learner makes is kept.
    pub state: PathBuf,
    /// The number typed before `G`.
    pub count: Option<u32>,
    /// A `g` was typed.
    pub prefixed: bool,
    /// One line about what just happened, until the next key.
    pub notice: Option<String>,
    pub prefix: String,
    pub speed: super::session::Speed,
    pub seed: u64,
    pub runs: u32,
}

/// The screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    /// The lesson map, with the place of the cursor.
    Map(usize),
    Lesson,
    /// Cards.
    Drill,
    /// A mock interview.
    Interview,
}

/// What can lie on top.
#[derive(Clone, Debug)]
pub(super) enum Popup {
    /// How far it is scrolled.
    Help(Scroll),
    /// The take under the cursor.
    Takes(usize),
    /// The knob under the cursor, and all values as turned so far.
    Knobs(usize, Knobs),
    Say(Saying),
    /// What stands in `comparison`.
    Compare,
    /// What stands in `surveying`.
    Survey,
    /// The last row of the log pane.
    Details,
    /// The word under the cursor.
    Words(usize),
    /// What has been learned, and how far that is scrolled.
    Progress(Scroll),
    /// The learner's own line to Redis.
    Prompt(Box<Prompt>),
    /// What can be done by hand to this worker, and the lever under the cursor.
    Levers(WorkerId, usize),
    /// The run under the cursor.
    Runs(usize),
    /// What stands in `workbench`.
    Repair,
    /// What is wrong with a lesson that was saved just now.
    Mistake(String),
}

/// A survey under way, or done.
#[derive(Clone, Debug)]
pub(super) struct Surveying {
    pub lesson: Arc<Lesson>,
    /// Where the learner's own knob stands.
    pub knob: i64,
    pub points: Vec<Point>,
    pub trouble: Option<String>,
    /// Which request it answers.
    pub number: u32,
}

impl Surveying {
    pub(super) fn is_done(&self) -> bool {
        let values = self.lesson.survey.as_ref().map_or(0, |survey| survey.values.len());
        self.trouble.is_some() || self.points.len() >= values
    }
}

/// Takes of one lesson, run side by side.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub lesson: Arc<Lesson>,
    pub seed: u64,
    pub sides: Vec<Side>,
    /// How each is called, and whether it is the right way.
    pub names: Vec<(String, bool)>,
    /// Which request it answers.
    pub number: u32,
}

/// One take of a comparison.
#[derive(Clone, Debug)]
pub(super) enum Side {
    Running,
    /// The world at its end.
    Ran(Arc<World>),
    Lacking(String),
}

impl Comparison {
    pub(super) fn is_done(&self) -> bool {
        !self.sides.iter().any(|side| matches!(side, Side::Running))
    }
}

/// How far the learner is with the question to answer aloud.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Saying {
    Asked,
    /// The points that were in the answer, counted from 1.
    Graded(BTreeSet<u8>),
}

impl Model {
    /// Where keys are looked up, nearest first.
    pub(super) fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        match self.popup {
            Some(Popup::Prompt(_)) => return vec![Place::Prompt, Place::Typing],
            Some(Popup::Repair) => return vec![Place::Repair, Place::Popup, Place::Everywhere],
            _ => {}
        }
        if self.popup.is_some() {
            places.extend([Place::Popup, Place::Everywhere]);
            return places;
        }
        match (&self.ground, &self.session) {
            (Ground::Drill, _) => places.push(Place::Drill),
            (Ground::Interview, _) => match self.interviewing.as_ref().map(|interview| &interview.stage) {
                Some(Stage::Answering(_)) => return vec![Place::Answer, Place::Typing],
                Some(Stage::Ready) => places.push(Place::Interview),
                Some(Stage::Ticking(_)) => places.push(Place::Rubric),
                Some(Stage::Over(_)) => places.push(Place::Debrief),
                Some(Stage::Choosing(_)) | None => places.push(Place::Level),
            },
            (Ground::Lesson, Some(session)) => {
                if session.trouble.is_some() {
                    places.push(Place::Trouble);
                }
                if session.asks() {
                    places.push(Place::Question);
                }
                if self.learner.stand(session.lesson()) == Standing::Done {
                    places.push(Place::Done);
                }
                places.push(Place::Lesson);
            }
            _ => places.push(Place::Map),
        }
        places.push(Place::Everywhere);
        places
    }

    /// True while a clock on the screen runs.
    pub(super) fn counts_seconds(&self) -> bool {
        let stage = self.interviewing.as_ref().map(|interview| &interview.stage);
        self.ground == Ground::Interview && matches!(stage, Some(Stage::Answering(_)))
    }

    pub(super) fn lesson_index(&self) -> Option<usize> {
        let session = self.session.as_ref()?;
        self.lessons.iter().position(|lesson| lesson.slug == session.lesson().slug)
    }
}
