//! The embedded server beside a private redis-server: the same commands over a Unix socket, in one run.

#![expect(clippy::unwrap_used, reason = "a bench that cannot run should stop")]

use std::hint::black_box;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use stampede::server::embedded::{Dialect, Line, Options};
use stampede::server::{Choice, Server, Wish};

/// How many clients talk at a time, and how many commands each sends before it reads.
const SHAPES: [(usize, usize); 4] = [(1, 1), (1, 16), (50, 1), (50, 16)];

/// A value as caches hold them.
const VALUE: [u8; 100] = [b'x'; 100];

/// What is sent, and what comes back.
struct Exchange {
    name: &'static str,
    request: Vec<u8>,
    reply: Vec<u8>,
}

fn exchanges() -> [Exchange; 3] {
    let value = [&b"$100\r\n"[..], &VALUE, b"\r\n"].concat();
    let release =
        b"if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";
    let eval = format!("*5\r\n$4\r\nEVAL\r\n${}\r\n", release.len());
    [
        Exchange {
            name: "SET",
            request: [b"*3\r\n$3\r\nSET\r\n$5\r\nkey:1\r\n", value.as_slice()].concat(),
            reply: b"+OK\r\n".to_vec(),
        },
        Exchange { name: "GET", request: b"*2\r\n$3\r\nGET\r\n$5\r\nkey:1\r\n".to_vec(), reply: value },
        Exchange {
            name: "EVAL release",
            request: [eval.as_bytes(), release, b"\r\n$1\r\n1\r\n$4\r\nlock\r\n$5\r\ntoken\r\n"].concat(),
            reply: b":0\r\n".to_vec(),
        },
    ]
}

fn over_the_socket(criterion: &mut Criterion) {
    let servers: Vec<(&str, Server)> =
        [("embedded", Wish::Embedded(Dialect::Redis)), ("redis-server", Wish::Spawn)]
            .into_iter()
            .filter_map(|(name, wish)| Some((name, Server::open(&Choice::Start(wish)).ok()?)))
            .collect();
    for exchange in exchanges() {
        for (clients, pipeline) in SHAPES {
            let mut group = criterion
                .benchmark_group(format!("{}, {clients} clients, pipeline {pipeline}", exchange.name));
            group.throughput(Throughput::Elements((clients * pipeline) as u64));
            for (name, server) in &servers {
                rounds(&mut group, name, server.socket().unwrap(), &exchange, clients, pipeline);
            }
            group.finish();
        }
    }
}

/// Every client writes, then every client reads.
fn rounds(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    socket: PathBuf,
    exchange: &Exchange,
    clients: usize,
    pipeline: usize,
) {
    let mut streams: Vec<UnixStream> = (0..clients).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    drop(socket);
    let request = exchange.request.repeat(pipeline);
    let mut reply = vec![0; exchange.reply.len() * pipeline];
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for stream in &mut streams {
                stream.write_all(&request).unwrap();
            }
            for stream in &mut streams {
                stream.read_exact(&mut reply).unwrap();
            }
        });
    });
    assert!(reply.ends_with(&exchange.reply), "the last reply is right");
}

fn in_process(criterion: &mut Criterion) {
    let mut line = Line::alone(&Options::default());
    let mut group = criterion.benchmark_group("in process");
    group.throughput(Throughput::Elements(1));
    let set: [&[u8]; 3] = [b"SET", b"key:1", &VALUE];
    group.bench_function("SET", |bencher| bencher.iter(|| black_box(line.call(&set).unwrap())));
    let get: [&[u8]; 2] = [b"GET", b"key:1"];
    group.bench_function("GET", |bencher| bencher.iter(|| black_box(line.call(&get).unwrap())));
    let eval: [&[u8]; 5] = [b"EVAL", b"return redis.call('get', KEYS[1])", b"1", b"key:1", b"x"];
    group.bench_function("EVAL", |bencher| bencher.iter(|| black_box(line.call(&eval).unwrap())));
    group.finish();
}

criterion_group!(benches, over_the_socket, in_process);
criterion_main!(benches);
