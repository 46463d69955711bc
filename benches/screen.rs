//! What a frame costs to draw, and how many bytes it sends to the terminal.

#![expect(clippy::unwrap_used, reason = "a bench that cannot run should stop")]

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use stampede::cli;
use stampede::clock::Wall;
use stampede::drill::{Calendar, Store};
use stampede::judge::Order;
use stampede::lesson::{Lesson, Shelf};
use stampede::server::embedded::Dialect;
use stampede::server::{Choice, Server, Wish};
use stampede::tui::{App, Glyphs, Headless, Notebook, Opening, ServerCard, ThemeName};

fn app(lesson: usize) -> App {
    let server = Server::open(&Choice::Start(Wish::Embedded(Dialect::Redis))).unwrap();
    let connect = move |_| {
        Ok((
            cli::wire(&server)?,
            ServerCard {
                name: "redis".to_owned(),
                reach: String::new(),
                private: true,
                compares_by: Vec::new(),
            },
        ))
    };
    let lessons: Vec<Arc<Lesson>> = Shelf::open(None).unwrap().lessons.into_iter().map(Arc::new).collect();
    let order = Order::new(Arc::clone(&lessons[lesson]), 0, 7);
    App {
        lessons,
        connect: Arc::new(connect),
        bench: Arc::new(|| panic!("nothing is compared here")),
        watch: None,
        state: std::env::temp_dir(),
        theme: ThemeName::Dark,
        glyphs: Glyphs::Unicode,
        prefix: String::new(),
        seed: 7,
        speed: 1.0,
        opening: Opening::Run(Box::new(order), None),
        notebook: Notebook::new(Store::forgetful(Calendar::default()), Arc::new(Wall)),
        told: Vec::new(),
    }
}

/// A lesson at its end, when there is most to draw.
fn at_its_end(lesson: usize, width: u16, height: u16) -> Headless {
    let mut app = Headless::start(app(lesson), width, height);
    while app.beats().is_some_and(|(reached, all)| reached < all) {
        app.press(if app.asks() { "s" } else { "]" });
        app.press("Space");
        app.press("]");
    }
    app
}

fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frame");
    for (lesson, name) in [(0, "200 readers"), (3, "5 workers")] {
        for (width, height) in [(80, 24), (200, 60)] {
            let app = at_its_end(lesson, width, height);
            let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
            group.bench_function(format!("{name} at {width}x{height}"), |bencher| {
                bencher.iter(|| app.draw(&mut terminal).unwrap());
            });
        }
    }
    group.finish();
}

/// Counts what is written.
#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.fetch_add(bytes.len(), Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Plays at 30 frames a second and prints what a frame writes at most and on average.
fn bytes(_: &mut Criterion) {
    for (lesson, name) in [(0, "200 readers"), (3, "5 workers")] {
        let app = app(lesson);
        let mut app = Headless::start(app, 80, 24);
        let counter = Counter::default();
        let viewport = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, 80, 24)) };
        let mut terminal = Terminal::with_options(CrosstermBackend::new(counter.clone()), viewport).unwrap();
        app.draw(&mut terminal).unwrap();
        let mut sizes = Vec::new();
        for _ in 0..400 {
            if !app.is_playing() {
                app.press(if app.asks() { "s" } else { "Space" });
                app.draw(&mut terminal).unwrap();
                continue;
            }
            app.pass(Duration::from_millis(33));
            let before = counter.0.load(Ordering::Relaxed);
            app.draw(&mut terminal).unwrap();
            sizes.push(counter.0.load(Ordering::Relaxed) - before);
        }
        sizes.sort_unstable();
        let sum: usize = sizes.iter().sum();
        let at = |percent: usize| sizes.get(sizes.len() * percent / 100).copied().unwrap_or_default();
        eprintln!(
            "bytes of a frame, {name} at 80x24, {} frames played: mean {}, p50 {}, p99 {}, most {}",
            sizes.len(),
            sum.checked_div(sizes.len()).unwrap_or_default(),
            at(50),
            at(99),
            sizes.last().copied().unwrap_or_default()
        );
    }
}

criterion_group!(benches, bytes, frames);
criterion_main!(benches);
