//! What is to be run, and running it to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::playthrough::Playthrough;
use super::verdict::Verdict;
use crate::lab::{Intervention, LabError, Setup, Wire};
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
    /// What is done to the run beyond what the lesson says.
    pub schedule: Vec<Intervention>,
    /// Only the first so many of the cast take part.
    pub workers: Option<usize>,
    /// Runs in place of the take's main program.
    pub repair: Option<Arc<str>>,
}

impl Order {
    /// A take as it is written.
    pub fn new(lesson: Arc<Lesson>, take: usize, seed: u64) -> Self {
        let (knobs, prefix) = (Knobs::new(), String::new());
        Self { lesson, take, knobs, seed, prefix, schedule: Vec::new(), workers: None, repair: None }
    }

    /// True when nothing differs from what the lesson says but the seed.
    pub fn is_as_written(&self) -> bool {
        let setting = self.lesson.setting(self.take);
        let turned = self.knobs.iter().any(|(name, value)| setting.get(name) != Some(value));
        !turned && self.schedule.is_empty() && self.workers.is_none() && self.repair.is_none()
    }

    /// The command line that plays it again; a learner's program is not in it.
    pub fn line(&self) -> String {
        let mut words = vec!["stampede".to_owned(), "play".to_owned(), self.lesson.number().to_string()];
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        option("--take", self.lesson.takes[self.take].name.clone());
        option("--seed", self.seed.to_string());
        for (knob, value) in &self.knobs {
            option("--set", format!("{knob}={value}"));
        }
        if let Some(workers) = self.workers {
            option("--workers", workers.to_string());
        }
        for one in &self.schedule {
            option("--with", format!("'{}'", one.to_string().replace('\'', "'\\''")));
        }
        words.join(" ")
    }

    /// Everything the lab needs.
    pub fn setup(&self) -> Setup {
        let mut setup = self.lesson.stage(self.take, &self.knobs, self.seed, &self.prefix);
        setup.schedule.clone_from(&self.schedule);
        if let Some(workers) = self.workers {
            setup.cast.truncate(workers);
            setup.faults.retain(|fault| fault.harm.worker().is_none_or(|id| id.index() < workers));
        }
        if let Some(repair) = &self.repair
            && let Some(program) = setup.programs.get_mut(self.lesson.takes[self.take].program)
        {
            "repair.lua".clone_into(&mut program.name);
            program.source = repair.to_string();
            program.native = None;
            setup.repair = Some(repair.to_string());
        }
        setup
    }
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
