//! `stampede` and `stampede play`: the app.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use super::Failure;
use super::args::{DEFAULT_SEED, Global, Play, WhichTheme};
use super::failure::{ENVIRONMENT, USAGE};
use super::locale::{locale, takes_utf8};
use super::open;
use super::replay;
use super::servers::{NoServer, Servers};
use crate::clock::Wall;
use crate::drill::Level;
use crate::judge::Order;
use crate::lab::{WireError, World};
use crate::lesson::Shelf;
use crate::server::embedded::Dialect;
use crate::server::{Choice, Wish};
use crate::tui::{App, Bench, Connect, Glyphs, NoLine, Notebook, Opening, ServerCard, Sitting, ThemeName};

pub(super) fn play(global: &Global, args: Option<&Play>) -> Result<ExitCode, Failure> {
    let shelf = open::shelf(global)?;
    let opening = opening(global, &shelf, args)?;
    if args.is_some_and(|args| args.watch) && global.lessons.is_none() {
        return Err(Failure::new("there is nothing to watch", "name your lessons with --lessons DIR", USAGE));
    }
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        return Err(Failure::new(
            "the app needs a terminal for its input and output",
            "`stampede run all` runs the lessons without one",
            ENVIRONMENT,
        ));
    }
    let watch = args.filter(|args| args.watch).and(global.lessons.clone());
    let (seed, speed) = args.map_or((DEFAULT_SEED, 1.0), |args| (args.seed, args.speed));
    open_app(global, shelf, opening, watch, seed, speed)
}

/// The app on the cards.
pub(super) fn cards(global: &Global, sitting: Sitting) -> Result<ExitCode, Failure> {
    let shelf = open::shelf(global)?;
    open_app(global, shelf, Opening::Cards(sitting), None, DEFAULT_SEED, 1.0)
}

/// The app on a mock interview.
pub(super) fn interview(global: &Global, level: Option<Level>) -> Result<ExitCode, Failure> {
    let shelf = open::shelf(global)?;
    open_app(global, shelf, Opening::Interview(level), None, DEFAULT_SEED, 1.0)
}

fn open_app(
    global: &Global,
    shelf: Shelf,
    opening: Opening,
    watch: Option<PathBuf>,
    seed: u64,
    speed: f64,
) -> Result<ExitCode, Failure> {
    let choice = open::choice(global)?;
    let servers = Servers::open(choice)?;
    let (store, told) = open::progress(global)?;
    let app = App {
        lessons: shelf.lessons.into_iter().map(Arc::new).collect(),
        connect: connect(servers),
        bench: bench(),
        theme: theme(global),
        glyphs: glyphs(global),
        prefix: global.key_prefix.clone(),
        seed,
        speed,
        opening,
        watch,
        state: open::state(global)?,
        notebook: Notebook::new(store, Arc::new(Wall)),
        told,
    };
    app.run().map_err(|error| Failure::new(error.to_string(), "", ENVIRONMENT))?;
    Ok(ExitCode::SUCCESS)
}

fn opening(global: &Global, shelf: &Shelf, args: Option<&Play>) -> Result<Opening, Failure> {
    if let Some(file) = args.and_then(|args| args.journal_in.as_ref()) {
        let journal = open::journal(file)?;
        let order = replay::order(&journal, shelf)?;
        return Ok(Opening::Run(Box::new(order), Some(World::after(journal.events()).step)));
    }
    let Some(args) = args else { return Ok(Opening::Resume) };
    let Some(wanted) = &args.lesson else { return Ok(Opening::Map) };
    let index = shelf.find(wanted).map_err(|error| Failure::new(error.to_string(), "", USAGE))?;
    let lesson = Arc::new(shelf.lessons[index].clone());
    let take = args.take.as_ref().map_or(Ok(0), |name| lesson.find_take(name))?;
    let (knobs, schedule) = (lesson.read_knobs(&args.knobs)?, args.with.clone());
    let prefix = global.key_prefix.clone();
    let order =
        Order { knobs, prefix, schedule, workers: args.workers, ..Order::new(lesson, take, args.seed) };
    Ok(Opening::Run(Box::new(order), args.step))
}

/// Lines to the servers of this session.
fn connect(servers: Servers) -> Connect {
    let servers = Mutex::new(servers);
    Arc::new(move |need| {
        let mut servers = servers.lock().unwrap_or_else(PoisonError::into_inner);
        let (wire, server) = servers.wire(need).map_err(|error| match error {
            NoServer::Lacks { .. } => NoLine::Lacks(error.to_string()),
            NoServer::Server(error) => NoLine::Lost(WireError::new(error.to_string())),
            NoServer::Wire(error) => NoLine::Lost(error),
        })?;
        let card = ServerCard {
            name: server.identity().to_string(),
            reach: server.redis_cli(),
            private: server.is_private(),
            compares_by: server
                .compares_by()
                .map_err(|error| NoLine::Lost(WireError::new(error.to_string())))?,
        };
        Ok((wire, card))
    })
}

/// Embedded servers for runs beside the one on the screen: they give the same journals, and meet nobody's keys.
pub(super) fn bench() -> Bench {
    Arc::new(|| match Servers::open(Choice::Start(Wish::Embedded(Dialect::Redis))) {
        Ok(servers) => connect(servers),
        Err(error) => {
            let why = error.to_string();
            Arc::new(move |_| Err(NoLine::Lost(WireError::new(why.clone()))))
        }
    })
}

fn theme(global: &Global) -> ThemeName {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match global.theme {
        Some(WhichTheme::Light) => ThemeName::Light,
        Some(WhichTheme::Mono) => ThemeName::Mono,
        Some(WhichTheme::HighContrast) => ThemeName::HighContrast,
        None if no_color => ThemeName::Mono,
        Some(WhichTheme::Dark) | None => ThemeName::Dark,
    }
}

/// ASCII when it is asked for, or when the locale says that nothing else would be understood.
pub(super) fn glyphs(global: &Global) -> Glyphs {
    if global.ascii || !takes_utf8(locale().as_deref()) { Glyphs::Ascii } else { Glyphs::Unicode }
}
