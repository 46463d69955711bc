//! One lesson being played: its tape, where the cursor stands, what was asked and answered.

use std::sync::Arc;

use super::answers::{Answer, Answers, Asking};
use super::effect::Task;
use super::host::ServerCard;
use super::scroll::Scroll;
use super::tape::Tape;
use crate::judge::Order;
use crate::lab::{LabTime, World};
use crate::lesson::{Beat, Knobs, Lesson, Prediction, Seen, Take};

/// Whether time runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    Paused,
    Playing,
    /// The lab works on a step or runs to a beat; its report will bring the cursor along.
    Running,
}

/// A pane that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    Story,
    Program,
    Log,
    Timeline,
}

/// A beat that the run has reached, and the step with which it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reached {
    pub step: u32,
    /// For a beat with a question: which of its choices came true. With the knobs as the lesson has them that is the one
    /// marked right; with others it may be another, several, or none.
    pub came_true: Vec<bool>,
    /// For a beat that asks what was seen: which of it was there.
    pub there: Vec<bool>,
}

/// Why the run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    Stopped {
        message: String,
        hint: String,
    },
    /// The server is well, and lacks what this take needs.
    Lacking {
        reason: String,
    },
}

/// A law that the judge found broken, and the step with which it broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Breach {
    pub step: u32,
    pub law: String,
}

/// Playing speed as a power of two, from 1/32 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Speed(i8);

impl Speed {
    pub(super) const NORMAL: Self = Self(0);

    pub(super) fn slower(self) -> Self {
        Self((self.0 - 1).max(-5))
    }

    pub(super) fn faster(self) -> Self {
        Self((self.0 + 1).min(2))
    }

    /// The nearest speed to a factor.
    pub(super) fn nearest(factor: f64) -> Self {
        Self((factor.max(f64::MIN_POSITIVE).log2().round() as i8).clamp(-5, 2))
    }

    pub(super) fn factor(self) -> f64 {
        2_f64.powi(i32::from(self.0))
    }
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = if self.0 < 0 { format!("1/{}x", 1 << -self.0) } else { format!("{}x", 1 << self.0) };
        f.pad(&text)
    }
}

/// The lesson on the screen.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub order: Order,
    /// The number that reports about this run carry.
    pub run: u32,
    pub tape: Tape,
    /// The step the cursor stands on.
    pub cursor: u32,
    /// The moment shown: the end of that step, or later while time runs.
    pub now: LabTime,
    /// Where the lab's clock stands. Behind it everything is past.
    pub head: LabTime,
    /// The world at the cursor.
    pub world: World,
    pub motion: Motion,
    /// What the learner asked for while the lab was busy; the last of several counts.
    pub queued: Option<Task>,
    /// The lab has been asked to go on and has not reported yet.
    pub awaiting: bool,
    pub reached: Vec<Reached>,
    pub answers: Answers,
    pub asking: Asking,
    pub focus: Pane,
    pub zoomed: bool,
    /// How far the timeline is drawn larger than it would fit.
    pub magnified: u8,
    pub story_scroll: Scroll,
    pub program_scroll: Scroll,
    pub log_scroll: u16,
    pub trouble: Option<Trouble>,
    /// The law that this run shows broken.
    pub breach: Option<Breach>,
    /// The server of this run.
    pub server: Option<ServerCard>,
}

impl Session {
    pub(super) fn new(order: Order, run: u32) -> Self {
        let answers = Answers::none(&order.lesson.takes[order.take]);
        Self {
            order,
            run,
            tape: Tape::default(),
            cursor: 0,
            now: LabTime::START,
            head: LabTime::START,
            world: World::default(),
            motion: Motion::Paused,
            queued: None,
            awaiting: false,
            reached: Vec::new(),
            answers,
            asking: Asking::No,
            focus: Pane::Story,
            zoomed: false,
            magnified: 0,
            story_scroll: Scroll::default(),
            program_scroll: Scroll::default(),
            log_scroll: 0,
            trouble: None,
            breach: None,
            server: None,
        }
    }

    pub(super) fn lesson(&self) -> &Arc<Lesson> {
        &self.order.lesson
    }

    pub(super) fn take(&self) -> &Take {
        &self.order.lesson.takes[self.order.take]
    }

    pub(super) fn knobs(&self) -> Knobs {
        let mut knobs = self.order.lesson.setting(self.order.take);
        knobs.extend(self.order.knobs.clone());
        knobs
    }

    /// True when the screen shows where the lab stands.
    pub(super) fn is_live(&self) -> bool {
        self.cursor == self.tape.newest_step() && self.now >= self.head
    }

    /// How many beats had been reached at the cursor.
    pub(super) fn beats_reached(&self) -> usize {
        self.reached.iter().filter(|reached| reached.step <= self.cursor).count()
    }

    /// The beats whose texts explain what is on the screen: the last one, with those that ended in the same step.
    pub(super) fn told_beats(&self) -> impl Iterator<Item = (usize, &Beat, &Reached)> {
        let reached = &self.reached[..self.beats_reached()];
        let step = reached.last().map(|last| last.step);
        let beats = self.take().beats.iter().zip(reached).enumerate();
        beats
            .map(|(index, (beat, reached))| (index, beat, reached))
            .filter(move |told| Some(told.2.step) == step)
    }

    /// Notes that the next beat ended with this step.
    pub(super) fn reach(&mut self, step: u32) {
        let world = self.tape.world_at(step);
        let beat = self.take().beats.get(self.reached.len());
        let choices =
            beat.and_then(|beat| beat.prediction.as_ref()).into_iter().flat_map(|asks| &asks.choices);
        let came_true = choices.map(|choice| choice.when.holds(&world)).collect();
        let seen = beat.and_then(|beat| beat.seen.as_ref());
        let there = seen.map_or_else(Vec::new, |seen| seen.there(&world));
        self.reached.push(Reached { step, came_true, there });
    }

    /// The question that must be answered before the run goes on.
    pub(super) fn open_question(&self) -> Option<(usize, &Prediction)> {
        if self.tape.newest().ended {
            return None;
        }
        let index = self.reached.len();
        let prediction = self.take().beats.get(index)?.prediction.as_ref()?;
        self.answers.predicted.get(index)?.is_none().then_some((index, prediction))
    }

    /// The question about what there was to be seen, while it is open. With other knobs nothing of it may be there; then it is
    /// not asked, and neither is it in a run of the learner's own program.
    pub(super) fn asked_what_was_seen(&self) -> Option<(usize, &Seen)> {
        if !self.is_live() || self.trouble.is_some() || self.order.repair.is_some() {
            return None;
        }
        let unanswered = |index: usize| matches!(self.answers.seen.get(index), Some(None));
        self.told_beats().find_map(|(index, beat, reached)| {
            let seen = beat.seen.as_ref().filter(|_| reached.there.contains(&true))?;
            unanswered(index).then_some((index, seen))
        })
    }

    /// Scrolls the log by so many rows upwards; it is followed again when its newest row is reached.
    pub(super) fn scroll_log(&mut self, up: i16) {
        let most = u16::try_from(self.world.log.len().saturating_sub(1)).unwrap_or(u16::MAX);
        self.log_scroll = self.log_scroll.saturating_add_signed(up).min(most);
    }

    /// True while a question of the take, on the screen or to come, could be answered by what the lesson claims of it.
    pub(super) fn keeps_a_secret(&self) -> bool {
        let answers = self.answers.predicted.iter().zip(&self.answers.seen);
        let mut beats = self.take().beats.iter().zip(answers);
        let open = beats.any(|(beat, (predicted, seen))| {
            (beat.prediction.is_some() && predicted.is_none()) || (beat.seen.is_some() && seen.is_none())
        });
        self.asks() || (open && !self.tape.newest().ended)
    }

    /// True when a question of either kind is on the screen.
    pub(super) fn asks(&self) -> bool {
        self.asked().is_some() || self.asked_what_was_seen().is_some()
    }

    /// The question on the screen, if it is being asked.
    pub(super) fn asked(&self) -> Option<(usize, &Prediction)> {
        (self.asking != Asking::No && self.is_live()).then(|| self.open_question()).flatten()
    }

    /// Puts the cursor on a step, at its end; beyond the newest step is where the lab stands.
    pub(super) fn go_to(&mut self, step: u32) {
        let newest = self.tape.newest_step();
        if step > newest {
            self.show(newest, self.head.max(self.tape.time_of(newest)));
        } else {
            self.show(step, self.tape.time_of(step));
        }
    }

    /// Puts the cursor where the lab stands.
    pub(super) fn go_to_head(&mut self) {
        self.go_to(u32::MAX);
    }

    /// Puts the cursor on a step and shows a moment at or after its end.
    pub(super) fn show(&mut self, step: u32, now: LabTime) {
        if step != self.cursor || self.world.events == 0 {
            self.cursor = step;
            self.log_scroll = 0;
            self.world = self.tape.world_at(step);
        }
        self.now = now;
    }

    /// True when every question of the take was answered, and none passed over.
    pub(super) fn all_answered(&self) -> bool {
        let asked = self
            .take()
            .beats
            .iter()
            .zip(&self.answers.predicted)
            .filter(|(beat, _)| beat.prediction.is_some());
        asked.into_iter().all(|(_, answer)| matches!(answer, Some(Answer::Chosen(..))))
    }

    /// True when the last beat has been reached.
    pub(super) fn is_over(&self) -> bool {
        self.reached.len() >= self.take().beats.len()
            && (self.tape.newest().ended || !self.take().beats.is_empty())
    }
}
