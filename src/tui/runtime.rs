//! The only part of the app that waits: for keys, for the lab, for time to pass, for signals.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crossterm::event::{Event, EventStream, KeyEventKind};
use futures::StreamExt;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Interval, MissedTickBehavior};

use super::editor;
use super::effect::{Effect, Task};
use super::files::{self, FileReport, FileTask};
use super::host::{self, Bench, Connect, Report};
use super::keys::{self, Place};
use super::message::Message;
use super::model::{Model, Popup};
use super::notebook::Notebook;
use super::session::Motion;
use super::terminal::{self, Screen};
use super::update::update;
use super::view;
use super::watch::Watch;
use crate::clock;
use crate::drill::StoreError;

/// The pace of frames while time runs.
const FRAME: Duration = Duration::from_millis(33);

/// How often it is looked whether another editor has saved the learner's program.
const LOOK: Duration = Duration::from_millis(400);

/// How often it is looked whether another program has written something down.
const HEAR: Duration = Duration::from_secs(1);

/// The pace of a clock that counts seconds.
const TICK: Duration = Duration::from_millis(200);

/// A signal that is waiting already is heard sooner than this.
const ECHO: Duration = Duration::from_millis(5);

/// The longest the lab may take to end; a call to the server takes half a second at most.
const FAREWELL: Duration = Duration::from_secs(2);

/// Why the app ended on its own.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error("could not use the terminal: {0}")]
    Terminal(#[from] io::Error),
    #[error(transparent)]
    Notebook(#[from] StoreError),
    #[error("the lab's thread has died; what it said is above")]
    LabDied,
}

/// Runs the app until it is left. `first` are the effects with which it starts, and lessons that `watch` sees saved are
/// read again.
///
/// # Errors
/// When the terminal cannot be used, or the lab's thread panicked.
pub(super) fn run(
    model: Model,
    first: Vec<Effect>,
    watch: Option<Watch>,
    notebook: Notebook,
    connect: Connect,
    bench: Bench,
) -> Result<(), AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (tasks, inbox) = mpsc::channel();
    let (tell, mut reports) = unbounded_channel();
    let lab = std::thread::Builder::new().name("lab".to_owned()).spawn(move || {
        host::serve(&inbox, &connect, &bench, move |report| {
            // Nobody listens any more once the app is on its way out.
            let _ = tell.send(report);
        });
    })?;
    let screen = Screen::take()?;
    let keyboard = Keyboard(None);
    let mut app = App {
        model,
        screen,
        keyboard,
        interrupt: None,
        watch,
        notebook,
        to_edit: None,
        tasks: Some(tasks),
        playing_since: None,
    };
    let done = runtime.block_on(app.main(first, &mut reports));
    let App { notebook, screen, tasks, .. } = app;
    drop((screen, tasks));
    let kept = notebook.close();
    // The lab takes its keys away; its reports end when it has. One that is deep in a program of its own, or waits for a
    // silent server, is left behind: the process takes it along.
    let farewell = async { while reports.recv().await.is_some() {} };
    let ended = runtime.block_on(async { tokio::time::timeout(FAREWELL, farewell).await.is_ok() });
    // What was rescued matters more than why.
    kept?;
    done?;
    if ended && lab.join().is_err() { Err(AppError::LabDied) } else { Ok(()) }
}

/// A pace that is taken up again after a pause, without catching up.
fn every(pace: Duration) -> Interval {
    let mut interval = tokio::time::interval(pace);
    interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
    interval
}

struct App {
    model: Model,
    screen: Screen,
    keyboard: Keyboard,
    /// Ctrl-C from outside the terminal.
    interrupt: Option<Signal>,
    watch: Option<Watch>,
    notebook: Notebook,
    /// A file that the learner wants to edit.
    to_edit: Option<PathBuf>,
    /// Dropped to end the lab's thread.
    tasks: Option<mpsc::Sender<Task>>,
    /// When the last frame of a running playback was.
    playing_since: Option<Instant>,
}

/// The keys that are typed, unless somebody else is to have them.
struct Keyboard(Option<EventStream>);

impl Keyboard {
    fn open(&mut self) {
        self.0 = Some(EventStream::new());
    }

    fn close(&mut self) {
        self.0 = None;
    }

    async fn next(&mut self) -> Option<io::Result<Event>> {
        match &mut self.0 {
            Some(stream) => stream.next().await,
            None => std::future::pending().await,
        }
    }
}

/// Waits for a signal; for ever, while nobody listens for it.
async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whether to go on.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Leave,
}

impl App {
    async fn main(
        &mut self,
        first: Vec<Effect>,
        reports: &mut UnboundedReceiver<Report>,
    ) -> Result<(), AppError> {
        self.keyboard.open();
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        self.interrupt = Some(signal(SignalKind::interrupt())?);
        let mut stop = signal(SignalKind::from_raw(signal_hook::consts::SIGTSTP))?;
        let size = self.screen.terminal.size()?;
        self.model.size = (size.width, size.height);
        self.perform(first)?;
        self.draw()?;
        let [mut frames, mut looks, mut hears, mut ticks] = [FRAME, LOOK, HEAR, TICK].map(every);
        loop {
            let playing =
                self.model.session.as_ref().is_some_and(|session| session.motion == Motion::Playing);
            if !playing {
                self.playing_since = None;
            }
            let next = tokio::select! {
                biased;
                event = self.keyboard.next() => match event {
                    Some(Ok(event)) => self.input(&event)?,
                    // The terminal is gone.
                    Some(Err(_)) | None => Next::Leave,
                },
                _ = terminate.recv() => Next::Leave,
                _ = hangup.recv() => Next::Leave,
                () = received(&mut self.interrupt) => Next::Leave,
                _ = stop.recv() => self.take(Message::Suspend)?,
                report = reports.recv() => match report {
                    Some(report) => self.take(Message::Lab(report))?,
                    None => return Err(AppError::LabDied),
                },
                _ = looks.tick(), if self.watch.is_some() || self.repairing().is_some() => self.look()?,
                _ = hears.tick() => match self.notebook.look() {
                    Some(message) => self.take(message)?,
                    None => continue,
                },
                _ = ticks.tick(), if self.model.counts_seconds() => self.take(Message::Ticked)?,
                _ = frames.tick(), if playing => {
                    let last = self.playing_since.replace(clock::now());
                    let passed = last.map_or(Duration::ZERO, clock::since);
                    self.take(Message::Passed(passed))?
                }
            };
            if next == Next::Leave {
                self.tasks = None;
                return Ok(());
            }
            self.draw()?;
            if let Some(path) = self.to_edit.take() {
                self.edit(path).await?;
            }
        }
    }

    fn input(&mut self, event: &Event) -> Result<Next, AppError> {
        let message = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                keys::message(&keys::name(*key), &self.model.places())
            }
            // What is pasted is one text, and no keys: its line ends end no answer and run no command.
            Event::Paste(text) if self.model.places().contains(&Place::Typing) => {
                for c in text.trim_end().chars() {
                    self.take(Message::Insert(if c.is_control() { ' ' } else { c }))?;
                }
                None
            }
            Event::Resize(width, height) => Some(Message::Resized(*width, *height)),
            _ => None,
        };
        message.map_or(Ok(Next::GoOn), |message| self.take(message))
    }

    fn take(&mut self, message: Message) -> Result<Next, AppError> {
        self.model.learner.now = self.notebook.now();
        let effects = update(&mut self.model, message);
        self.perform(effects)
    }

    fn perform(&mut self, effects: Vec<Effect>) -> Result<Next, AppError> {
        let mut more = Vec::new();
        for effect in effects {
            match effect {
                Effect::Lab(task) => {
                    if let Some(tasks) = &self.tasks {
                        // When the lab's thread has died its reports end, and the loop with them.
                        let _ = tasks.send(task);
                    }
                }
                Effect::Suspend => {
                    self.screen.suspend()?;
                    self.playing_since = None;
                }
                Effect::Redraw => self.screen.redraw()?,
                Effect::File(task) => {
                    if let Some(report) = files::perform(&task) {
                        more.push(Message::File(report));
                    }
                }
                Effect::Note(did) => more.push(self.notebook.note(did)),
                Effect::Edit(path) => self.to_edit = Some(path),
                Effect::Copy(text) => terminal::copy(&text)?,
                Effect::Quit => return Ok(Next::Leave),
            }
        }
        for message in more {
            if self.take(message)? == Next::Leave {
                return Ok(Next::Leave);
            }
        }
        Ok(Next::GoOn)
    }

    /// Hands the terminal to the learner's editor and takes it back. Keys and Ctrl-C belong to the editor meanwhile.
    async fn edit(&mut self, path: PathBuf) -> Result<(), AppError> {
        self.keyboard.close();
        let edited = self.screen.lend(|| editor::edit(&path))?;
        self.keyboard.open();
        // What was meant for the editor reaches us when the runtime is asked again.
        let _ = tokio::time::timeout(ECHO, received(&mut self.interrupt)).await;
        self.playing_since = None;
        let size = self.screen.terminal.size()?;
        self.model.size = (size.width, size.height);
        let told = edited.err().map(FileReport::Told);
        for report in told.into_iter().chain(files::perform(&FileTask::Look { path })) {
            self.take(Message::File(report))?;
        }
        self.draw()
    }

    /// The learner's program, while it lies on the workbench.
    fn repairing(&self) -> Option<PathBuf> {
        let bench = self.model.workbench.as_ref().filter(|_| matches!(self.model.popup, Some(Popup::Repair)));
        bench.map(|bench| bench.path.clone())
    }

    /// Looks whether another editor has saved it, or a lesson.
    fn look(&mut self) -> Result<Next, AppError> {
        if let Some(lessons) = self.watch.as_mut().and_then(Watch::look) {
            return self.take(Message::Reloaded(lessons));
        }
        let look = self.repairing().map(|path| FileTask::Look { path });
        match look.and_then(|look| files::perform(&look)) {
            Some(report) => self.take(Message::File(report)),
            None => Ok(Next::GoOn),
        }
    }

    fn draw(&mut self) -> Result<(), AppError> {
        self.screen.terminal.draw(|frame| view::draw(&self.model, frame))?;
        Ok(())
    }
}
