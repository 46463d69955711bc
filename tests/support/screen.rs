//! The app on a screen that is a buffer.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ratatui::buffer::Buffer;
use stampede::clock::HandSet;
use stampede::drill::{Calendar, Store};
use stampede::judge::Order;
use stampede::lesson::{Lesson, Shelf};
use stampede::tui::{App, Connect, Glyphs, Headless, Notebook, Opening, ServerCard, ThemeName};

pub(crate) fn lessons() -> Vec<Arc<Lesson>> {
    let shelf = Shelf::open(None).unwrap_or_else(|error| panic!("{error}"));
    shelf.lessons.into_iter().map(Arc::new).collect()
}

/// An app over an embedded server.
pub(crate) fn app(opening: Opening) -> App {
    let card = ServerCard {
        name: "redis 7".to_owned(),
        reach: "redis-cli -s /tmp/redis.sock".to_owned(),
        private: true,
        compares_by: vec![("SET … IFEQ", false), ("DELIFEQ", false), ("DELEX", false), ("Functions", true)],
    };
    let connect = move || -> Connect {
        let (servers, card) = (Mutex::new(super::ours()), card.clone());
        Arc::new(move |need| {
            let mut servers = servers.lock().expect("nobody panics with it");
            let (wire, _) = servers.wire(need).expect("ours have all that takes need");
            Ok((wire, card.clone()))
        })
    };
    App {
        lessons: lessons(),
        connect: connect(),
        bench: Arc::new(connect),
        theme: ThemeName::Dark,
        glyphs: Glyphs::Unicode,
        prefix: String::new(),
        seed: 7,
        speed: 4.0,
        opening,
        watch: None,
        state: PathBuf::from("target/frames"),
        // Noon of some day; it stands still.
        notebook: Notebook::new(
            Store::forgetful(Calendar::default()),
            Arc::new(HandSet::at(Duration::from_hours(20_000 * 24 + 12))),
        ),
        told: Vec::new(),
    }
}

pub(crate) fn run_of(lesson: usize, take: usize) -> Opening {
    Opening::Run(Box::new(Order::new(Arc::clone(&lessons()[lesson]), take, 7)), None)
}

pub(crate) fn at(lesson: usize, take: usize, width: u16, height: u16) -> Headless {
    Headless::start(app(run_of(lesson, take)), width, height)
}

/// Text, then the styles, as lines that a diff can show.
pub(crate) fn picture(buffer: &Buffer) -> String {
    let mut text = String::new();
    writeln!(text, "{buffer:#?}").expect("strings take everything");
    text
}

pub(crate) fn plain(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width);
    let cells: Vec<&str> = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
    cells.chunks(width).map(|row| row.concat().trim_end().to_owned() + "\n").collect()
}
