//! What a guard costs where nothing is wrong: hits beside a bare `GET` on the same connection, and a miss.
//!
//! `cargo bench --bench guard`. The herds are in `benches/herd.rs`.

#![expect(clippy::print_stdout, reason = "a bench says what it did not measure")]

use std::future::IntoFuture;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use futures::future::join_all;
use redis::aio::MultiplexedConnection;
use stampede::clock;
use stampede::guard::{Guard, Options};
use stampede::server::{Server, find_on_path};
use tokio::runtime::Runtime;

/// Callers at once.
const IN_FLIGHT: usize = 64;

async fn connect(server: &Server) -> MultiplexedConnection {
    let socket = server.socket().expect("a server of our own");
    let client = redis::Client::open(format!("redis+unix://{}", socket.display())).expect("a good address");
    client.get_multiplexed_async_connection().await.expect("the server answers")
}

fn guard(connection: &MultiplexedConnection, coalesce_reads: bool) -> Guard<MultiplexedConnection> {
    let options = Options { coalesce_reads, ..Options::default() };
    Guard::builder(connection.clone()).options(options).build().expect("options that make sense")
}

/// Takes turns, so that what the machine does meanwhile befalls all; the median round of each.
fn side_by_side<const N: usize>(ways: [&dyn Fn(); N]) -> [Duration; N] {
    const ROUNDS: usize = 2_001;
    let mut took = [(); N].map(|()| Vec::with_capacity(ROUNDS));
    for _ in 0..ROUNDS {
        for (way, took) in ways.iter().zip(&mut took) {
            let began = clock::now();
            way();
            took.push(clock::since(began));
        }
    }
    took.map(|mut rounds| {
        rounds.sort_unstable();
        rounds[ROUNDS / 2]
    })
}

fn hits(criterion: &mut Criterion) {
    let Some(program) = find_on_path("redis-server") else {
        println!("no redis-server on PATH: not measured");
        return;
    };
    let server = Server::start_program(&program).expect("it starts");
    let runtime = Runtime::new().expect("a runtime");
    let connection = runtime.block_on(connect(&server));
    let value = bytes::Bytes::from(vec![b'x'; 1_000]);
    let one = guard(&connection, false);
    let shared = guard(&connection, true);
    let read = |guard: &Guard<MultiplexedConnection>| {
        let value = value.clone();
        guard.bytes("k", async move |_| Ok(value)).into_future()
    };
    runtime.block_on(async {
        read(&one).await.expect("it is filled");
        read(&shared).await.expect("it is there");
    });
    let mut group = criterion.benchmark_group("hit, 64 callers, 1 kB, one key");
    group.throughput(Throughput::Elements(IN_FLIGHT as u64));
    group.bench_function("bare GET", |bencher| {
        bencher.iter(|| {
            runtime.block_on(join_all((0..IN_FLIGHT).map(|_| {
                let mut connection = connection.clone();
                async move {
                    let value: Vec<u8> =
                        redis::cmd("GET").arg("k").query_async(&mut connection).await.expect("it answers");
                    black_box(value.len())
                }
            })))
        });
    });
    for (name, guard) in [("guard", &one), ("guard, reads coalesced", &shared)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                runtime.block_on(join_all((0..IN_FLIGHT).map(|_| {
                    let read = read(guard);
                    async move { black_box(read.await.expect("a hit").value.len()) }
                })))
            });
        });
    }
    group.finish();
    let [bare, guarded, coalesced] = side_by_side([
        &|| {
            runtime.block_on(join_all((0..IN_FLIGHT).map(|_| {
                let mut connection = connection.clone();
                async move {
                    let value: Vec<u8> =
                        redis::cmd("GET").arg("k").query_async(&mut connection).await.expect("it answers");
                    black_box(value.len());
                }
            })));
        },
        &|| drop(runtime.block_on(join_all((0..IN_FLIGHT).map(|_| read(&one))))),
        &|| drop(runtime.block_on(join_all((0..IN_FLIGHT).map(|_| read(&shared))))),
    ]);
    let ratio = bare.as_secs_f64() / guarded.as_secs_f64();
    println!(
        "{} hits at 0.9 of the throughput of a bare GET: {ratio:.2} in turns with it ({guarded:?} and {bare:?} for {IN_FLIGHT}); reads coalesced {:.2}",
        if ratio >= 0.9 { "reached" } else { "MISSED " },
        bare.as_secs_f64() / coalesced.as_secs_f64(),
    );
    let mut group = criterion.benchmark_group("one caller");
    group.bench_function("bare GET", |bencher| {
        let mut connection = connection.clone();
        bencher.iter(|| {
            runtime.block_on(async {
                let value: Vec<u8> =
                    redis::cmd("GET").arg("k").query_async(&mut connection).await.expect("it answers");
                black_box(value.len())
            })
        });
    });
    group.bench_function("guard, hit", |bencher| {
        bencher.iter(|| runtime.block_on(async { black_box(read(&one).await.expect("a hit").value.len()) }));
    });
    group.bench_function("guard, miss and all its commands", |bencher| {
        bencher.iter(|| {
            runtime.block_on(async {
                one.invalidate("k").await.expect("it answers");
                black_box(read(&one).await.expect("it is filled").value.len())
            })
        });
    });
    group.finish();
}

criterion_group!(benches, hits);
criterion_main!(benches);
