//! How many schedules a second the judge tries, and how many there are.
//!
//! `cargo bench --bench explore`; before the figures it prints, for each take that is right, how many single faults it has.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "this is a bench")]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stampede::cli;
use stampede::judge::{self, Budget, Case, Exploration, Lines, Should};
use stampede::lab::{LabError, RedisWire, WireError};
use stampede::lesson::{Lesson, Shelf};
use stampede::server::embedded::Dialect;
use stampede::server::{Choice, Server, Wish};

/// Enough for every single fault of most takes.
const SINGLE: Budget = Budget { schedules: 2_000, seeds: 20 };

/// Enough to look once where something could go wrong.
const LOOK: Budget = Budget { schedules: 21, seeds: 20 };

/// A part of it that is measured again and again.
const SOME: Budget = Budget { schedules: 200, seeds: 20 };

fn server(wish: Wish) -> Option<Server> {
    Server::open(&Choice::Start(wish)).ok()
}

fn lessons() -> Vec<Arc<Lesson>> {
    Shelf::open(None).unwrap().lessons.into_iter().map(Arc::new).collect()
}

/// A call in this process where the server is embedded.
fn direct(server: &Server) -> Lines<'_> {
    Box::new(|| cli::wire(server).map_err(LabError::from))
}

fn over_a_socket(server: &Server) -> Lines<'_> {
    Box::new(|| {
        let connection = server.connect().map_err(|error| WireError::new(error.to_string()))?;
        Ok(Box::new(RedisWire::new(connection)?))
    })
}

fn explored(case: &Case, budget: Budget, lines: &mut [Lines<'_>]) -> Exploration {
    judge::explore(&case.order, budget, lines, &AtomicBool::new(false), |_| {}).unwrap()
}

fn right_take(lesson: &Arc<Lesson>) -> Case {
    let mut cases = judge::cases(lesson, 7).into_iter();
    cases.find(|case| case.should == Should::Survive && lesson.need(case.order.take).is_none()).unwrap()
}

fn how_many() {
    let servers: Vec<Server> = (0..2).filter_map(|_| server(Wish::Embedded(Dialect::Redis))).collect();
    for lesson in lessons() {
        let case = right_take(&lesson);
        let mut lines: Vec<Lines<'_>> = servers.iter().map(direct).collect();
        let known = explored(&case, LOOK, &mut lines).progress.known;
        let found = explored(&case, SINGLE, &mut lines);
        let single = known - LOOK.seeds as usize;
        println!("{:<22} {:<20} {single:>6} with one fault; survives {found}", lesson.slug, case.name);
    }
}

fn schedules(c: &mut Criterion) {
    how_many();
    let lesson = Arc::clone(&lessons()[3]);
    let case = right_take(&lesson);
    let mut group = c.benchmark_group("schedules of 04-wrong-release");
    group.sample_size(10).throughput(Throughput::Elements(SOME.schedules as u64));
    let embedded = [(); 2].map(|()| server(Wish::Embedded(Dialect::Redis)).unwrap());
    group.bench_function("embedded, in process", |b| {
        b.iter(|| black_box(explored(&case, SOME, &mut [direct(&embedded[0])])));
    });
    group.bench_function("embedded, in process, two at once", |b| {
        b.iter(|| black_box(explored(&case, SOME, &mut [direct(&embedded[0]), direct(&embedded[1])])));
    });
    group.bench_function("embedded, over its socket", |b| {
        b.iter(|| black_box(explored(&case, SOME, &mut [over_a_socket(&embedded[0])])));
    });
    match server(Wish::Spawn) {
        Some(private) => {
            group.bench_function("a private server", |b| {
                b.iter(|| black_box(explored(&case, SOME, &mut [over_a_socket(&private)])));
            });
        }
        None => println!("no redis-server on PATH: nothing to compare with"),
    }
    group.finish();
}

criterion_group!(benches, schedules);
criterion_main!(benches);
