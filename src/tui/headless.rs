//! The app without a terminal: keys in by name, frames out as buffers.
//!
//! It runs the same model, update, host and views as the screen does, one key at a time, and waits for the lab after
//! each; so what it shows can be tested cell by cell.

use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::{Backend, TestBackend};
use ratatui::buffer::Buffer;

use super::app::App;
use super::drilling::Stage;
use super::effect::{Effect, Task};
use super::files;
use super::host::{self, Report};
use super::keys;
use super::message::Message;
use super::model::Model;
use super::notebook::Notebook;
use super::session::{Motion, Session};
use super::update::update;
use super::view;
use crate::drill::Progress;
use crate::lab::World;

/// The longest the lab may take for one task of a test.
const PATIENCE: Duration = Duration::from_mins(1);

/// An app whose screen is a buffer.
pub struct Headless {
    model: Model,
    tasks: Option<mpsc::Sender<Task>>,
    reports: mpsc::Receiver<Report>,
    lab: Option<JoinHandle<()>>,
    copied: Option<String>,
    notebook: Notebook,
}

impl Headless {
    /// Starts the app on a screen of this size.
    pub fn start(app: App, width: u16, height: u16) -> Self {
        let connect = std::sync::Arc::clone(&app.connect);
        let bench = std::sync::Arc::clone(&app.bench);
        let (mut model, first, notebook) = app.model();
        model.size = (width, height);
        let (tasks, inbox) = mpsc::channel();
        let (tell, reports) = mpsc::channel();
        let lab = std::thread::spawn(move || {
            host::serve(&inbox, &connect, &bench, move |report| {
                // Reports after the end are nobody's.
                let _ = tell.send(report);
            });
        });
        let mut headless =
            Self { model, tasks: Some(tasks), reports, lab: Some(lab), copied: None, notebook };
        headless.perform(first);
        headless
    }

    /// Presses a key, by its name in the key table, and waits until the lab is at rest again.
    pub fn press(&mut self, key: &str) {
        if let Some(message) = keys::message(key, &self.model.places()) {
            self.model.learner.now = self.notebook.now();
            let effects = update(&mut self.model, message);
            self.perform(effects);
        }
    }

    /// Lets this much wall time pass, as the frame clock would tell it.
    pub fn pass(&mut self, wall: Duration) {
        let effects = update(&mut self.model, Message::Passed(wall));
        self.perform(effects);
    }

    /// Looks at the clock again, as the screen does while one runs on it.
    pub fn tick(&mut self) {
        self.model.learner.now = self.notebook.now();
        update(&mut self.model, Message::Ticked);
    }

    /// Looks whether another program has written something down.
    pub fn hear(&mut self) {
        if let Some(heard) = self.notebook.look() {
            let effects = update(&mut self.model, heard);
            self.perform(effects);
        }
    }

    /// Lets time pass until nothing plays any more.
    pub fn play_out(&mut self) {
        while self.is_playing() {
            self.pass(Duration::from_millis(500));
        }
    }

    pub fn is_playing(&self) -> bool {
        self.model.session.as_ref().is_some_and(|session| session.motion == Motion::Playing)
    }

    /// The world at the cursor.
    pub fn world(&self) -> Option<&World> {
        self.model.session.as_ref().map(|session| &session.world)
    }

    /// The step at the cursor, the newest step, and how many events the lab has written.
    pub fn place(&self) -> Option<(u32, u32, usize)> {
        let session = self.model.session.as_ref()?;
        Some((session.cursor, session.tape.newest_step(), session.tape.events().len()))
    }

    /// How many beats have been reached, of how many.
    pub fn beats(&self) -> Option<(usize, usize)> {
        let session = self.model.session.as_ref()?;
        Some((session.reached.len(), session.take().beats.len()))
    }

    /// True when a question is on the screen.
    pub fn asks(&self) -> bool {
        self.model.session.as_ref().is_some_and(Session::asks)
    }

    /// Types a line, character by character.
    pub fn type_line(&mut self, line: &str) {
        for c in line.chars() {
            self.press(if c == ' ' { "Space".to_owned() } else { c.to_string() }.as_str());
        }
    }

    /// What was put on the clipboard last.
    pub fn copied(&self) -> Option<&str> {
        self.copied.as_deref()
    }

    /// Where the learner's program is, once there is one.
    pub fn program(&self) -> Option<&std::path::Path> {
        self.model.workbench.as_ref().map(|bench| bench.path.as_path())
    }

    /// What the learner has done so far.
    pub fn progress(&self) -> &Progress {
        &self.model.learner.progress
    }

    /// Looks into that file again, as the screen does every now and then.
    pub fn look(&mut self) {
        let look = self.program().map(|path| files::FileTask::Look { path: path.to_owned() });
        if let Some(look) = look {
            self.send(Effect::File(look));
        }
    }

    /// Changes the size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) {
        update(&mut self.model, Message::Resized(width, height));
    }

    /// What the screen shows.
    ///
    /// # Panics
    /// Never: a buffer takes everything.
    pub fn frame(&self) -> Buffer {
        let (width, height) = self.model.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a buffer is always there");
        self.draw(&mut terminal).expect("a buffer takes everything");
        terminal.backend().buffer().clone()
    }

    /// Draws what the screen shows on another terminal.
    ///
    /// # Errors
    /// When that terminal does not take it.
    pub fn draw<B: Backend>(&self, terminal: &mut Terminal<B>) -> Result<(), B::Error> {
        terminal.draw(|frame| view::draw(&self.model, frame)).map(|_| ())
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.send(effect);
        }
        while self.awaits() {
            let report = self.reports.recv_timeout(PATIENCE).expect("the lab reports on every task");
            for effect in update(&mut self.model, Message::Lab(report)) {
                self.send(effect);
            }
        }
    }
}

impl Headless {
    /// True while the lab, or a comparison beside it, has something to report.
    fn awaits(&self) -> bool {
        let lab = self.model.session.as_ref().is_some_and(|session| session.awaiting);
        let surveys = self.model.surveying.as_ref().is_some_and(|surveying| !surveying.is_done());
        let judges = self.model.workbench.as_ref().is_some_and(|bench| bench.judging.is_some());
        let cards =
            self.model.drilling.as_ref().is_some_and(|drilling| matches!(drilling.stage, Stage::Waiting(_)));
        lab || surveys
            || cards
            || judges
            || self.model.comparison.as_ref().is_some_and(|comparison| !comparison.is_done())
    }

    fn send(&mut self, effect: Effect) {
        match effect {
            Effect::Lab(task) => {
                if let Some(tasks) = &self.tasks {
                    tasks.send(task).expect("the lab's thread lives as long as we do");
                }
            }
            Effect::File(task) => {
                if let Some(report) = files::perform(&task) {
                    // What a file says asks for nothing more.
                    update(&mut self.model, Message::File(report));
                }
            }
            Effect::Copy(text) => self.copied = Some(text),
            Effect::Note(did) => {
                let noted = self.notebook.note(did);
                for effect in update(&mut self.model, noted) {
                    self.send(effect);
                }
            }
            Effect::Edit(_) | Effect::Suspend | Effect::Redraw | Effect::Quit => {}
        }
    }
}

impl Drop for Headless {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(lab) = self.lab.take() {
            // Its panic, if it had one, has been printed.
            let _ = lab.join();
        }
    }
}
