//! The lab's own thread. Whatever a program does there, the screen stays alive.
//!
//! It takes [`Task`]s, works on one goal at a time in slices, and sends [`Report`]s. Between goals it keeps the
//! server's countdowns where lab time stands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use super::effect::Task;
use super::recall::{Posed, pose};
use crate::clock;
use crate::judge::{self, Budget, Exploration, Lines, Order, Playthrough, Point, Progress, Tick};
use crate::lab::{Event, LabError, LabTime, Lever, Span, Wire, WireError, World};
use crate::lesson::{Lesson, Need};

/// How often countdowns are held while nothing else happens. At 80 ms a key with 30 ms left was lost once.
const HOLD_EVERY: Duration = Duration::from_millis(50);

/// A slice of work between two looks at the tasks.
const SLICE: Duration = Duration::from_millis(15);

/// A stretch in which nothing happens is passed over when it is longer than this.
const IDLE: Span = Span::from_secs(10);

/// Where time goes on before the event that ends such a stretch.
const RUN_UP: Span = Span::from_millis(300);

/// How the app tells which server it talks to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCard {
    /// Like `redis 7.0.15`.
    pub name: String,
    /// The command that reaches it.
    pub reach: String,
    /// Nobody but us uses it.
    pub private: bool,
    /// Newer ways to compare and delete, and whether it has them.
    pub compares_by: Vec<(&'static str, bool)>,
}

/// Makes a line to the server, starting a private one anew if it has died.
pub type Connect = Arc<dyn Fn(Option<Need>) -> Result<(Box<dyn Wire>, ServerCard), NoLine> + Send + Sync>;

/// Starts a server of its own for work beside the run on the screen, which must meet nobody's keys, and makes lines to it.
pub type Bench = Arc<dyn Fn() -> Connect + Send + Sync>;

/// Why there is no line to a server.
#[derive(Debug, thiserror::Error)]
pub enum NoLine {
    #[error(transparent)]
    Lost(#[from] WireError),
    /// The server has not what the take needs.
    #[error("{0}")]
    Lacks(String),
}

/// What the lab has to say.
#[derive(Clone, Debug)]
pub enum Report {
    Began {
        run: u32,
        server: ServerCard,
        events: Vec<Event>,
    },
    /// Things went on; `beats` are the steps with which beats ended, and `at_rest` says that the task is done.
    Progress {
        run: u32,
        events: Vec<Event>,
        now: LabTime,
        /// The steps with which beats ended that have not been reported.
        beats: Vec<u32>,
        at_rest: bool,
    },
    /// The server is well, and has not what this take needs.
    Unavailable {
        run: u32,
        reason: String,
    },
    /// A run of a comparison has come to its end, or cannot be made.
    Compared {
        number: u32,
        take: usize,
        outcome: Result<Box<World>, String>,
    },
    /// One more point of a survey, or why there will be no more.
    Surveyed {
        number: u32,
        point: Result<Point, String>,
    },
    /// How far the judge is with a repair.
    Explored {
        number: u32,
        progress: Progress,
    },
    /// What the judge found of the program `source`; `best` is how many queries the solution makes in the same runs.
    Judged {
        number: u32,
        source: String,
        outcome: Result<Arc<Exploration>, String>,
        best: Option<usize>,
    },
    Failed {
        run: u32,
        message: String,
        hint: String,
    },
    /// A card made ready.
    Posed {
        number: u32,
        id: String,
        card: Result<Posed, String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Rest,
    Until(LabTime),
    Step,
    Beat,
    ToStep(u32),
    Replay(u32),
}

/// A run on the lab's thread.
struct Stage {
    run: u32,
    play: Playthrough,
    goal: Goal,
    /// How many events have been reported.
    told: usize,
    /// The steps with which beats ended that have not been reported.
    beats: Vec<u32>,
}

/// Ends a judgement under way when it is dropped: for another one, or with the app.
#[derive(Default)]
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Works until the sender of tasks is gone.
pub(super) fn serve(
    tasks: &Receiver<Task>,
    connect: &Connect,
    bench: &Bench,
    report: impl Fn(Report) + Clone + Send + 'static,
) {
    let mut stage: Option<Stage> = None;
    let mut judging: Option<Stop> = None;
    let mut held = clock::now();
    loop {
        let working = stage.as_ref().is_some_and(|stage| stage.goal != Goal::Rest);
        let task = if working {
            match tasks.try_recv() {
                Ok(task) => Some(task),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => return,
            }
        } else if stage.is_some() {
            match tasks.recv_timeout(HOLD_EVERY) {
                Ok(task) => Some(task),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        } else {
            match tasks.recv() {
                Ok(task) => Some(task),
                Err(_) => return,
            }
        };
        match task {
            Some(Task::Begin { run, order }) => {
                // The old run takes its keys away before the new one looks for them.
                drop(stage.take());
                stage = begin(run, order, connect, &report);
            }
            Some(Task::Compare { number, orders }) => {
                let (bench, report) = (Arc::clone(bench), report.clone());
                // Beside the run on the screen: that must be held where it is.
                std::thread::spawn(move || compare(number, orders, &bench, &report));
            }
            Some(Task::Survey { number, lesson }) => {
                let (bench, report) = (Arc::clone(bench), report.clone());
                std::thread::spawn(move || survey(number, &lesson, &bench, &report));
            }
            Some(Task::Judge { number, order }) => {
                let stop = Arc::clone(&judging.insert(Stop::default()).0);
                let (bench, report) = (Arc::clone(bench), report.clone());
                std::thread::spawn(move || judge_repair(number, &order, &bench, &stop, &report));
            }
            Some(Task::StopJudging) => drop(judging.take()),
            Some(Task::Pose { number, card, lessons, glyphs }) => {
                let (bench, report) = (Arc::clone(bench), report.clone());
                std::thread::spawn(move || {
                    let posed = pose(&card, &lessons, &bench, glyphs);
                    report(Report::Posed { number, id: card.id, card: posed });
                });
            }
            Some(Task::Act(lever)) => {
                if let Some(current) = &mut stage
                    && let Err(error) = current.act(lever)
                {
                    report(failed(current.run, &error));
                    stage = None;
                }
            }
            Some(task) => {
                if let Some(stage) = &mut stage {
                    stage.goal = goal(&task);
                }
            }
            None => {}
        }
        let Some(current) = &mut stage else { continue };
        let worked = current.work(&mut held, &report);
        if let Err(error) = worked {
            report(failed(current.run, &error));
            stage = None;
        }
    }
}

fn goal(task: &Task) -> Goal {
    match task {
        Task::Advance(until) => Goal::Until(*until),
        Task::Step => Goal::Step,
        Task::ToBeat => Goal::Beat,
        Task::ToStep(step) => Goal::ToStep(*step),
        Task::Replay(step) => Goal::Replay(*step),
        Task::Begin { .. }
        | Task::Compare { .. }
        | Task::Survey { .. }
        | Task::Act(_)
        | Task::Judge { .. }
        | Task::Pose { .. }
        | Task::StopJudging => Goal::Rest,
    }
}

fn failed(run: u32, error: &LabError) -> Report {
    Report::Failed { run, message: error.to_string(), hint: error.hint().to_owned() }
}

/// Tries a repair on as many servers of our own as the machine has cores, and the solution after it where nothing goes
/// wrong, so that there is something to compare its cost with.
fn judge_repair(number: u32, order: &Order, bench: &Bench, stop: &AtomicBool, report: &impl Fn(Report)) {
    let source = order.repair.as_deref().unwrap_or_default().to_owned();
    let need = order.lesson.need(order.take);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let connects: Vec<Connect> = (0..cores).map(|_| bench()).collect();
    let mut lines: Vec<Lines<'_>> = connects.iter().map(|connect| lines(connect, need)).collect();
    let tell = |progress: Progress| report(Report::Explored { number, progress });
    let found = judge::explore(order, Budget::default(), &mut lines, stop, tell);
    let solution = order.lesson.trial.repair.as_ref().map(|repair| repair.solution.source.as_str().into());
    let seeds = Budget::default().seeds;
    let calm = Budget { schedules: seeds as usize, seeds };
    let best = judge::explore(&Order { repair: solution, ..order.clone() }, calm, &mut lines, stop, |_| {});
    let outcome = found.map(Arc::new).map_err(|error| error.to_string());
    report(Report::Judged { number, source, outcome, best: best.ok().map(|best| best.queries) });
}

fn lines(connect: &Connect, need: Option<Need>) -> Lines<'_> {
    Box::new(move || match connect(need) {
        Ok((wire, _)) => Ok(wire),
        Err(NoLine::Lost(error)) => Err(error.into()),
        Err(NoLine::Lacks(reason)) => Err(WireError::new(reason).into()),
    })
}

fn compare(number: u32, orders: Vec<Order>, bench: &Bench, report: &impl Fn(Report)) {
    let stop = AtomicBool::new(false);
    let connect = bench();
    for order in orders {
        let take = order.take;
        let verdict = match connect(order.lesson.need(take)) {
            Ok((wire, _)) => judge::run(order, wire, &stop).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let outcome = verdict.map(|verdict| Box::new(World::after(&verdict.journal)));
        report(Report::Compared { number, take, outcome });
    }
}

fn survey(number: u32, lesson: &Arc<Lesson>, bench: &Bench, report: &impl Fn(Report)) {
    let Some(survey) = &lesson.survey else { return };
    let connect = bench();
    for value in &survey.values {
        let line =
            |take: usize| connect(lesson.need(take)).map(|(wire, _)| wire).map_err(|error| error.to_string());
        let point = judge::survey(lesson, survey, *value, line);
        let failed = point.is_err();
        report(Report::Surveyed { number, point });
        if failed {
            return;
        }
    }
}

fn begin(run: u32, order: Order, connect: &Connect, report: &impl Fn(Report)) -> Option<Stage> {
    let line = match connect(order.lesson.need(order.take)) {
        Ok(line) => Ok(line),
        Err(NoLine::Lost(error)) => Err(LabError::from(error)),
        Err(NoLine::Lacks(reason)) => {
            report(Report::Unavailable { run, reason });
            return None;
        }
    };
    let begun = line.and_then(|(wire, server)| {
        let play = Playthrough::begin(order, wire)?;
        Ok((play, server))
    });
    match begun {
        Ok((play, server)) => {
            let events = play.events().to_vec();
            let told = events.len();
            report(Report::Began { run, server, events });
            Some(Stage { run, play, goal: Goal::Rest, told, beats: Vec::new() })
        }
        Err(error) => {
            report(failed(run, &error));
            None
        }
    }
}

impl Stage {
    fn act(&mut self, lever: Lever) -> Result<(), LabError> {
        if let Tick::Beat(_) = self.play.act(lever)? {
            self.beats.push(self.play.world().step);
        }
        let step = self.play.world().step;
        self.beats.extend(self.play.close().into_iter().map(|_| step));
        self.goal = Goal::Rest;
        Ok(())
    }

    /// Works on the goal for a slice, holds the countdowns, and reports what is new.
    fn work(&mut self, held: &mut std::time::Instant, report: &impl Fn(Report)) -> Result<(), LabError> {
        let begun = clock::now();
        let had_goal = self.goal != Goal::Rest;
        while self.goal != Goal::Rest && clock::since(begun) < SLICE {
            self.go_on()?;
        }
        if clock::since(*held) >= HOLD_EVERY || (had_goal && self.goal == Goal::Rest) {
            self.play.hold()?;
            *held = clock::now();
        }
        let events = self.play.events();
        if had_goal || events.len() > self.told {
            let news = events.get(self.told..).unwrap_or_default().to_vec();
            self.told = events.len();
            report(Report::Progress {
                run: self.run,
                events: news,
                now: self.play.now(),
                beats: std::mem::take(&mut self.beats),
                at_rest: self.goal == Goal::Rest,
            });
        }
        Ok(())
    }

    fn go_on(&mut self) -> Result<(), LabError> {
        if let Goal::Until(until) = self.goal {
            match self.play.next_at() {
                Some(next) if next > until => {
                    // Nobody should have to watch an hour pass in which nothing happens.
                    let idle = next.since(until) > IDLE;
                    let to = if idle {
                        LabTime::from_micros(next.as_micros() - RUN_UP.as_micros())
                    } else {
                        until
                    };
                    self.play.wait_until(to);
                    self.goal = Goal::Rest;
                    return Ok(());
                }
                _ => {}
            }
        }
        match self.play.tick()? {
            Tick::Ended => self.goal = Goal::Rest,
            Tick::Beat(_) => {
                self.beats.push(self.play.world().step);
                let step = self.play.world().step;
                if !matches!(self.goal, Goal::Replay(to) if step < to) {
                    self.goal = Goal::Rest;
                }
            }
            Tick::Step if self.goal == Goal::Step => self.goal = Goal::Rest,
            Tick::Step if matches!(self.goal, Goal::ToStep(step) | Goal::Replay(step) if self.play.world().step >= step) =>
            {
                self.goal = Goal::Rest;
            }
            Tick::Step | Tick::On => {}
        }
        let step = self.play.world().step;
        self.beats.extend(self.play.close().into_iter().map(|_| step));
        Ok(())
    }
}
