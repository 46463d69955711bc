//! Herds: what each way of guarding a recompute does to the source and to its callers, in one run.
//!
//! `cargo bench --bench herd` starts a redis-server of its own and four processes of this program with fifty readers
//! each, and prints a line for each way and a verdict for each goal. The source takes 100 ms and counts its calls in
//! Redis, by a command that is not counted among those of the herd.

#![expect(clippy::print_stdout, reason = "its report is its output")]

use std::future::IntoFuture;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use stampede::clock::{self, Runtime, Tokio};
use stampede::guard::{Fallback, Guard, Options, Provenance, Renewal, SourceError, Term};
use stampede::server::find_on_path;

const PROCESSES: usize = 4;
const READERS: usize = 50;
const SOURCE: Duration = Duration::from_millis(100);
const PERMITS: usize = 8;
/// What a source takes that never answers.
const FOR_EVER: Duration = Duration::from_mins(10);

/// How a process guards its recompute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Look, compute, store.
    None,
    /// `SET NX PX`, losers look again every 50 ms, a plain `DEL` at the end.
    Naive,
    Guard,
    /// The same, with shared reads.
    Shared,
}

impl Way {
    fn named(name: &str) -> Self {
        match name {
            "none" => Self::None,
            "naive" => Self::Naive,
            "shared" => Self::Shared,
            _ => Self::Guard,
        }
    }
}

/// How one reader fared.
struct Fared {
    took: Duration,
    stale: bool,
    ok: bool,
}

fn main() {
    // `cargo test` runs benches too, without this.
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("--child") => {
            let [socket, way, key, takes] = [(); 4].map(|()| args.next().unwrap_or_default());
            child(&socket, Way::named(&way), &key, Duration::from_millis(takes.parse().unwrap_or(0)));
        }
        Some("--bench") | None => report(),
        _ => {}
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

async fn connect(socket: &str) -> ConnectionManager {
    let client = redis::Client::open(format!("redis+unix://{socket}")).expect("a good address");
    let config = ConnectionManagerConfig::new().set_number_of_retries(0);
    client.get_connection_manager_with_config(config).await.expect("the server answers")
}

/// The source: 100 ms, counted, and never more at once than it says.
async fn source(mut counter: ConnectionManager, takes: Duration) -> Result<bytes::Bytes, SourceError> {
    // Counting must not make a fill fail when Redis is gone.
    let now: Result<i64, _> = redis::cmd("INCR").arg("bench:calls").query_async(&mut counter).await;
    drop(now);
    Tokio::new().sleep(takes).await;
    Ok(bytes::Bytes::from_static(&[b'x'; 1_000]))
}

fn options(key: &str) -> Options {
    let mut options = Options::default();
    options.expiry.soft = if key == "soft" { Duration::from_millis(1) } else { Duration::from_mins(1) };
    options.expiry.jitter = 0.0;
    options.losers.wait = Duration::from_secs(20);
    options.losers.fallback = Fallback::WhenRedisIsDown;
    options.lease.term = Term::Fixed(Duration::from_secs(2));
    options.lease.max_hold = Duration::from_secs(4);
    if key == "hung" {
        options.lease.renewal = Renewal::WhileRunning;
    }
    options
}

/// One process: says that it is ready, waits for a line, lets its readers go, tells how they fared.
fn child(socket: &str, way: Way, key: &str, takes: Duration) {
    runtime().block_on(async {
        let connection = connect(socket).await;
        let counter = connect(socket).await;
        let mut options = options(key);
        options.coalesce_reads = way == Way::Shared;
        let builder = Guard::builder(connection.clone()).options(options).permits(PERMITS).remember(100);
        let guard =
            builder.redis_timeout(Duration::from_millis(100)).build().expect("options that make sense");
        if key == "down" {
            // Something to remember.
            let counter = counter.clone();
            let warm = guard.bytes("down-known", move |_| source(counter, Duration::ZERO));
            warm.await.expect("it is filled");
        } else {
            // Connections, scripts and the server's clock are known to a process that has been running.
            let counter = counter.clone();
            let warm = format!("warm-{}", std::process::id());
            guard.bytes(warm, move |_| source(counter, Duration::ZERO)).await.expect("it is filled");
        }
        println!("ready");
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).expect("the word to go");
        let readers = (0..READERS).map(|n| {
            let name = match (key, n % 2) {
                ("down", 0) => "down-known".to_owned(),
                ("down", _) => format!("down-{n}"),
                _ => key.to_owned(),
            };
            let (guard, connection, counter) = (guard.clone(), connection.clone(), counter.clone());
            async move {
                let began = clock::now();
                let answer = read(way, &guard, connection, counter, &name, takes).await;
                Fared { took: clock::since(began), stale: answer == Some(true), ok: answer.is_some() }
            }
        });
        let mut out = std::io::stdout().lock();
        for fared in join_all(readers).await {
            let _ =
                writeln!(out, "{} {} {}", fared.took.as_micros(), u8::from(fared.stale), u8::from(fared.ok));
        }
        if key == "soft" {
            // The refresh goes on behind the answers.
            Tokio::new().sleep(SOURCE * 2).await;
        }
        let most = guard.metrics().filling_at_most;
        let _ = writeln!(out, "most {most}");
    });
}

/// Whether the answer was stale; none, when there was none.
fn read(
    way: Way,
    guard: &Guard<ConnectionManager>,
    mut connection: ConnectionManager,
    counter: ConnectionManager,
    key: &str,
    takes: Duration,
) -> BoxFuture<'static, Option<bool>> {
    let key = key.to_owned();
    match way {
        Way::Guard | Way::Shared => {
            let call = guard.bytes(&key, move |_| source(counter, takes)).into_future();
            async move {
                let answer = call.await.ok()?;
                Some(matches!(answer.provenance, Provenance::Stale { .. }))
            }
            .boxed()
        }
        Way::None => async move {
            let found: Option<Vec<u8>> =
                redis::cmd("GET").arg(&key).query_async(&mut connection).await.ok()?;
            if found.is_none() {
                let value = source(counter, takes).await.ok()?;
                let mut set = redis::cmd("SET");
                set.arg(&key).arg(&value[..]).arg("EX").arg(60).exec_async(&mut connection).await.ok()?;
            }
            Some(false)
        }
        .boxed(),
        Way::Naive => async move {
            let lock = format!("lock:{key}");
            loop {
                let found: Option<Vec<u8>> =
                    redis::cmd("GET").arg(&key).query_async(&mut connection).await.ok()?;
                if found.is_some() {
                    return Some(false);
                }
                let mut take = redis::cmd("SET");
                take.arg(&lock).arg(1).arg("NX").arg("PX").arg(2_000);
                let won: Option<String> = take.query_async(&mut connection).await.ok()?;
                if won.is_some() {
                    let value = source(counter, takes).await.ok()?;
                    let mut set = redis::cmd("SET");
                    set.arg(&key).arg(&value[..]).arg("EX").arg(60).exec_async(&mut connection).await.ok()?;
                    redis::cmd("DEL").arg(&lock).exec_async(&mut connection).await.ok()?;
                    return Some(false);
                }
                Tokio::new().sleep(Duration::from_millis(50)).await;
            }
        }
        .boxed(),
    }
}

/// A redis-server, and what is asked of it beside the herd.
struct Bench {
    folder: tempfile::TempDir,
    server: Child,
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// What came of one herd.
struct Herd {
    calls: i64,
    commands: i64,
    fared: Vec<Fared>,
    most: u64,
}

impl Herd {
    fn quantile(&self, share: f64) -> f64 {
        let mut times: Vec<_> = self.fared.iter().map(|fared| fared.took).collect();
        times.sort_unstable();
        let index = ((times.len() as f64 * share).ceil() as usize).saturating_sub(1);
        times.get(index).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
    }

    fn stale(&self) -> usize {
        self.fared.iter().filter(|fared| fared.stale).count()
    }

    fn failed(&self) -> usize {
        self.fared.iter().filter(|fared| !fared.ok).count()
    }
}

impl Bench {
    fn start() -> Option<Self> {
        let program = find_on_path("redis-server")?;
        let folder = tempfile::tempdir().expect("a folder");
        let server = Command::new(program)
            .args(["--port", "0", "--save", "", "--unixsocket", "redis.sock"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server starts");
        let bench = Self { folder, server };
        while bench.client().get_connection().is_err() {
            std::thread::park_timeout(Duration::from_millis(10));
        }
        Some(bench)
    }

    fn socket(&self) -> String {
        self.folder.path().join("redis.sock").display().to_string()
    }

    fn client(&self) -> redis::Client {
        redis::Client::open(format!("redis+unix://{}", self.socket())).expect("a good address")
    }

    fn ask<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        let mut command = redis::Cmd::new();
        for word in words {
            command.arg(*word);
        }
        command.query(&mut self.client().get_connection().expect("it answers")).expect("it answers")
    }

    /// Commands so far, without those that are asked here and by the source.
    fn commands(&self) -> i64 {
        let stats: String = self.ask(&["INFO", "commandstats"]);
        let apart = ["info", "client", "incr", "config", "ping", "hello"];
        let counted = stats.lines().filter_map(|line| {
            let (name, rest) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
            let name = name.split('|').next()?;
            (!apart.contains(&name)).then(|| rest.split(',').next()?.parse::<i64>().ok()).flatten()
        });
        counted.sum()
    }

    fn child(&self, way: &str, key: &str, takes: Duration) -> (Child, BufReader<std::process::ChildStdout>) {
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--child", &self.socket(), way, key, &takes.as_millis().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts again");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("it says that it is ready");
        (child, out)
    }

    /// Lets a herd go, and `meanwhile` something happen.
    fn herd(&mut self, way: &str, key: &str, meanwhile: impl FnOnce(&mut Self)) -> Herd {
        let mut children: Vec<_> = (0..PROCESSES).map(|_| self.child(way, key, SOURCE)).collect();
        let calls: i64 = self.ask::<Option<i64>>(&["GET", "bench:calls"]).unwrap_or(0);
        let before = self.commands();
        meanwhile(self);
        for (child, _) in &mut children {
            writeln!(child.stdin.as_mut().expect("piped"), "go").expect("it listens");
        }
        let mut herd = Herd { calls: 0, commands: 0, fared: Vec::new(), most: 0 };
        for (mut child, out) in children {
            for line in out.lines().map_while(Result::ok) {
                let words: Vec<&str> = line.split(' ').collect();
                match *words.as_slice() {
                    ["most", most] => herd.most = herd.most.max(most.parse().unwrap_or(0)),
                    [took, stale, ok] => herd.fared.push(Fared {
                        took: Duration::from_micros(took.parse().unwrap_or(0)),
                        stale: stale == "1",
                        ok: ok == "1",
                    }),
                    _ => {}
                }
            }
            child.wait().expect("it ends");
        }
        if self.client().get_connection().is_ok() {
            herd.calls = self.ask::<Option<i64>>(&["GET", "bench:calls"]).unwrap_or(0) - calls;
            // The two GETs of the counter are not the herd's.
            herd.commands = self.commands() - before - 1;
        }
        herd
    }
}

fn show(name: &str, herd: &Herd) {
    println!(
        "  {name:<18} {:>4} calls   p50 {:>7.1} ms   p99 {:>7.1} ms   {:>5.2} commands a reader   {:>3} stale   {} failed",
        herd.calls,
        herd.quantile(0.5),
        herd.quantile(0.99),
        herd.commands as f64 / herd.fared.len() as f64,
        herd.stale(),
        herd.failed(),
    );
}

fn goal(what: &str, reached: bool) {
    println!("  {} {what}", if reached { "reached" } else { "MISSED " });
}

fn report() {
    let Some(mut bench) = Bench::start() else {
        println!("no redis-server on PATH: not measured");
        return;
    };
    println!(
        "{PROCESSES} processes with {READERS} readers each, a source that takes {SOURCE:?}\n\nnothing in the cache"
    );
    for (way, name) in
        [("none", "no guard"), ("naive", "naive lock"), ("guard", "guard"), ("shared", "guard, shared")]
    {
        bench.ask::<()>(&["FLUSHALL"]);
        let herd = bench.herd(way, "cold", |_| ());
        show(name, &herd);
        if way == "guard" {
            goal("exactly one call", herd.calls == 1);
            goal("p99 within 115 ms", herd.quantile(0.99) <= 115.0);
            goal("at most 2.2 commands a reader", herd.commands as f64 <= 2.2 * herd.fared.len() as f64);
        }
    }
    println!("\na value past its soft deadline (the others know none: their value has expired)");
    for (way, name) in
        [("none", "no guard"), ("naive", "naive lock"), ("guard", "guard"), ("shared", "guard, shared")]
    {
        bench.ask::<()>(&["FLUSHALL"]);
        let herd = bench.herd(way, "soft", |bench| {
            if way == "guard" || way == "shared" {
                let socket = bench.socket();
                runtime().block_on(async {
                    let guard = Guard::builder(connect(&socket).await).options(options("soft"));
                    let guard = guard.build().expect("options that make sense");
                    let old = async |_| Ok(bytes::Bytes::from_static(&[b'o'; 1_000]));
                    guard.bytes("soft", old).await.expect("it is filled");
                    Tokio::new().sleep(Duration::from_millis(20)).await;
                });
            }
        });
        show(name, &herd);
        if way == "guard" {
            goal("one call", herd.calls == 1);
            goal("99 % stale", herd.stale() * 100 >= herd.fared.len() * 99);
            goal("p50 within 1.5 ms", herd.quantile(0.5) <= 1.5);
        }
    }
    println!("\na leader that is killed, lease 2 s; then the herd");
    bench.ask::<()>(&["FLUSHALL"]);
    let (mut leader, _out) = bench.child("guard", "killed", FOR_EVER);
    writeln!(leader.stdin.as_mut().expect("piped"), "go").expect("it listens");
    while bench.ask::<i64>(&["EXISTS", "lock:killed"]) == 0 {}
    leader.kill().expect("it runs");
    leader.wait().expect("it ends");
    let herd = bench.herd("guard", "killed", |_| ());
    show("guard", &herd);
    goal("recovered within the lease", herd.quantile(1.0) <= 2_200.0);
    println!("\na leader that hangs and prolongs its lease, at most 4 s; then the herd");
    bench.ask::<()>(&["FLUSHALL"]);
    let (mut leader, _out) = bench.child("guard", "hung", FOR_EVER);
    writeln!(leader.stdin.as_mut().expect("piped"), "go").expect("it listens");
    while bench.ask::<i64>(&["EXISTS", "lock:hung"]) == 0 {}
    let began = clock::now();
    while bench.ask::<i64>(&["EXISTS", "lock:hung"]) == 1 {
        std::thread::park_timeout(Duration::from_millis(5));
    }
    let held = clock::since(began);
    println!("  the lock was free after {:.2} s", held.as_secs_f64());
    goal("freed at max_hold", held <= Duration::from_millis(4_200));
    leader.kill().expect("it runs");
    leader.wait().expect("it ends");
    println!("\nRedis is killed; half of the readers want a value that was seen before");
    let herd = bench.herd("guard", "down", |bench| {
        bench.server.kill().expect("it runs");
        bench.server.wait().expect("it ends");
    });
    show("guard", &herd);
    println!("  the most calls at once in one process: {}", herd.most);
    goal("source concurrency equal to the bulkhead", herd.most == PERMITS as u64);
    goal("no error where a value is at hand", herd.stale() == PROCESSES * READERS / 2);
    goal("no error at all", herd.failed() == 0);
}
