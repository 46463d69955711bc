//! What a lab step costs by itself, and what a whole run costs with a server.

#![expect(clippy::unwrap_used, reason = "a bench that cannot run should stop")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stampede::cli;
use stampede::judge::{self, Order};
use stampede::lab::{
    AppSetup, Bytes, Command, DatabaseSetup, Keys, Lab, Member, Program, RedisWire, Reply, Setup, Span, Wire,
    WireError,
};
use stampede::lesson::{Lesson, Shelf};
use stampede::server::embedded::Dialect;
use stampede::server::{Choice, Server, Wish};

/// A wire that ends in a map: what a lab costs when Redis costs nothing.
#[derive(Default)]
struct NoRedis(BTreeMap<Bytes, Bytes>);

impl Wire for NoRedis {
    fn exchange(&mut self, batch: &[Command]) -> Result<Vec<Reply>, WireError> {
        let answer = |command: &Command| {
            let key = command.args().get(1).cloned().unwrap_or_default();
            match command.name().as_str() {
                "GET" => self.0.get(&key).cloned().map_or(Reply::Nil, Reply::Bulk),
                "PTTL" => Reply::Integer(if self.0.contains_key(&key) { -1 } else { -2 }),
                "SET" => {
                    self.0.insert(key, command.args()[2].clone());
                    Reply::Status("OK".to_owned())
                }
                "DEL" => Reply::Integer(i64::from(self.0.remove(&key).is_some())),
                _ => Reply::Integer(0),
            }
        };
        Ok(batch.iter().map(answer).collect())
    }
}

/// Ten workers that look and sleep, as losers do.
fn polling() -> Setup {
    let source = "for try = 1, 100 do if send('GET', key) then return end sleep(jitter(20, 50)) end";
    Setup {
        lesson: "bench".to_owned(),
        take: "polling".to_owned(),
        seed: 7,
        keys: Keys::new("v", None),
        globals: BTreeMap::new(),
        programs: vec![Program { name: "poll.lua".to_owned(), source: source.to_owned(), native: None }],
        scripts: Vec::new(),
        cast: vec![Member::default(); 10],
        database: DatabaseSetup {
            schema: String::new(),
            truth: None,
            watch: None,
            pool: 1,
            p50: Span::ZERO,
            p99: Span::ZERO,
        },
        app: AppSetup::default(),
        faults: Vec::new(),
        round_trip: Span::from_millis(1),
        reply_timeout: Span::from_millis(500),
        schedule: Vec::new(),
        repair: None,
        ends: None,
    }
}

fn steps(criterion: &mut Criterion) {
    let mut count = 0;
    let mut lab = Lab::open(polling(), Box::new(NoRedis::default())).unwrap();
    while lab.tick().unwrap() {
        count += 1;
    }
    let mut group = criterion.benchmark_group("lab");
    group.throughput(Throughput::Elements(count));
    group.bench_function("entries of the queue, without Redis", |bencher| {
        bencher.iter_batched(
            || Lab::open(polling(), Box::new(NoRedis::default())).unwrap(),
            |mut lab| {
                while lab.tick().unwrap() {}
                lab
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn lessons(criterion: &mut Criterion) {
    let lessons: Vec<_> = Shelf::open(None).unwrap().lessons.into_iter().map(Arc::new).collect();
    let mut group = criterion.benchmark_group("all takes of all lessons");
    group.sample_size(10);
    for (name, wish) in
        [("embedded, in process", Wish::Embedded(Dialect::Redis)), ("private redis-server", Wish::Spawn)]
    {
        let Ok(server) = Server::open(&Choice::Start(wish)) else { continue };
        group.bench_function(name, |bencher| {
            bencher.iter(|| run_all(&lessons, || cli::wire(&server).unwrap()));
        });
        if name.starts_with("embedded") {
            let connect =
                || -> Box<dyn Wire> { Box::new(RedisWire::new(server.connect().unwrap()).unwrap()) };
            group.bench_function("embedded, by its socket", |bencher| {
                bencher.iter(|| run_all(&lessons, connect));
            });
        }
    }
    group.finish();
}

fn run_all(lessons: &[Arc<Lesson>], wire: impl Fn() -> Box<dyn Wire>) {
    for lesson in lessons {
        for take in 0..lesson.takes.len() {
            let order = Order::new(Arc::clone(lesson), take, 7);
            black_box(judge::run(order, wire(), &AtomicBool::new(false)).unwrap());
        }
    }
}

criterion_group!(benches, steps, lessons);
criterion_main!(benches);
