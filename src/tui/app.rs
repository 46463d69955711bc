//! The app from outside: what it is given, and how it starts.

use std::path::PathBuf;
use std::sync::Arc;

use super::answers::Answers;
use super::drilling::Sitting;
use super::effect::Effect;
use super::glyphs::Glyphs;
use super::host::{Bench, Connect};
use super::learner::Learner;
use super::model::{Ground, Model};
use super::notebook::Notebook;
use super::runtime::{self, AppError};
use super::session::Speed;
use super::theme::{Theme, ThemeName};
use super::update;
use super::watch::Watch;
use crate::drill::{Level, Standing};
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
    /// Where it is written down what the learner does.
    pub notebook: Notebook,
    /// What there is to tell at the start.
    pub told: Vec<String>,
}

/// Where it opens.
#[derive(Clone, Debug)]
pub enum Opening {
    Map,
    /// The take that was left, or the map where there is none.
    Resume,
    /// Cards.
    Cards(Sitting),
    /// A mock interview of this level, or the choice of one.
    Interview(Option<Level>),
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
        let (model, first, notebook) = self.model();
        runtime::run(model, first, watch, notebook, connect, bench)
    }

    /// The model it starts with, and what it asks for first.
    pub(super) fn model(self) -> (Model, Vec<Effect>, Notebook) {
        let mut model = Model {
            lessons: self.lessons,
            server: None,
            size: (0, 0),
            theme: Theme::new(self.theme),
            glyphs: self.glyphs,
            ground: Ground::Map(0),
            session: None,
            popup: None,
            learner: Learner { progress: self.notebook.progress().clone(), now: self.notebook.now() },
            drilling: None,
            interviewing: None,
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
            Opening::Resume => resume(&mut model),
            Opening::Cards(sitting) => update::sit_down(&mut model, sitting),
            Opening::Interview(level) => update::open_interview(&mut model, level),
            Opening::Run(order, None) => update::begin(&mut model, *order),
            Opening::Run(order, Some(step)) => {
                update::begin_at(&mut model, *order, step, &Answers::default())
            }
        };
        if !self.told.is_empty() {
            model.notice = Some(self.told.join("; "));
        }
        (model, first, self.notebook)
    }
}

/// Goes on where the learner left: with the take that was open and is not done, or else on the map at the first lesson that
/// is not.
fn resume(model: &mut Model) -> Vec<Effect> {
    let left = model.learner.progress.last.clone();
    let take = left.and_then(|(lesson, take)| {
        let lesson = model.lessons.iter().find(|known| known.slug == lesson)?;
        let (take, about) = lesson.take(&take)?;
        let done = model.learner.take_stand(lesson, &about.name) == Standing::Done;
        (!done).then(|| (lesson.clone(), take))
    });
    let due = match model.learner.due(&model.lessons) {
        0 => String::new(),
        1 => "; 1 card is due: d".to_owned(),
        due => format!("; {due} cards are due: d"),
    };
    if let Some((lesson, take)) = take {
        let order = Order { prefix: model.prefix.clone(), ..Order::new(lesson, take, model.seed) };
        let effects = update::begin(model, order);
        model.notice = Some(format!("here you left; m is the map{due}"));
        return effects;
    }
    let next = model.lessons.iter().position(|lesson| model.learner.stand(lesson) < Standing::Done);
    model.ground = Ground::Map(next.unwrap_or(0));
    if !due.is_empty() {
        model.notice = Some(due.trim_start_matches("; ").to_owned());
    }
    Vec::new()
}
