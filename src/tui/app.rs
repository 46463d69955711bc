//! The app from outside: what it is given, and how it starts.

use std::path::PathBuf;
use std::sync::Arc;

use super::answers::Answers;
use super::effect::Effect;
use super::glyphs::Glyphs;
use super::host::{Bench, Connect};
use super::model::{Ground, Model};
use super::progress::Progress;
use super::runtime::{self, AppError};
use super::session::Speed;
use super::theme::{Theme, ThemeName};
use super::update;
use super::watch::Watch;
use crate::judge::Order;
use crate::lesson::Lesson;

/// Everything the app is given.
pub struct App {
    pub lessons: Vec<Arc<Lesson>>,
    pub connect: Connect,
    /// Lines for runs beside the one on the screen, which must not meet its keys.
    pub bench: Bench,
    pub theme: ThemeName,
    pub glyphs: Glyphs,
    /// Goes before every key.
    pub prefix: String,
    pub seed: u64,
    /// Playing speed; the nearest that the transport has is taken.
    pub speed: f64,
    pub opening: Opening,
    /// A folder of lessons that are read again when they are saved.
    pub watch: Option<PathBuf>,
    /// The folder in which what the learner makes is kept.
    pub state: PathBuf,
}

/// Where it opens.
#[derive(Clone, Debug)]
pub enum Opening {
    Map,
    /// A run, and the step it is to be shown at.
    Run(Box<Order>, Option<u32>),
}

impl App {
    /// Runs until it is left.
    ///
    /// # Errors
    /// When the terminal cannot be used, or the lab's thread panicked.
    pub fn run(self) -> Result<(), AppError> {
        let (connect, bench) = (Arc::clone(&self.connect), Arc::clone(&self.bench));
        let watch = self.watch.clone().map(Watch::new);
        let (model, first) = self.model();
        runtime::run(model, first, watch, connect, bench)
    }

    /// The model it starts with, and what it asks for first.
    pub(super) fn model(self) -> (Model, Vec<Effect>) {
        let mut model = Model {
            lessons: self.lessons,
            server: None,
            size: (0, 0),
            theme: Theme::new(self.theme),
            glyphs: self.glyphs,
            ground: Ground::Map(0),
            session: None,
            popup: None,
            progress: Progress::default(),
            comparison: None,
            surveying: None,
            kept: Vec::new(),
            workbench: None,
            typed: Vec::new(),
            state: self.state,
            count: None,
            prefixed: false,
            notice: None,
            prefix: self.prefix,
            speed: Speed::nearest(self.speed),
            seed: self.seed,
            runs: 0,
        };
        let first = match self.opening {
            Opening::Map => Vec::new(),
            Opening::Run(order, None) => update::begin(&mut model, *order),
            Opening::Run(order, Some(step)) => {
                update::begin_at(&mut model, *order, step, &Answers::default())
            }
        };
        (model, first)
    }
}
