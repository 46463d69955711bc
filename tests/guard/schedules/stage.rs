//! The stage: three processes with readers, one that writes and invalidates, one that reads when all is over.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stampede::clock::Runtime;
use stampede::guard::{Fallback, Fill, Guard, Options, Renewal, Request, SCRIPTS, SourceError, Term};
use stampede::lab::{
    AppSetup, Cell, DatabaseSetup, Event, Fact, Keys, Lab, LabConnection, LabRuntime, LabTime, Member,
    Native, Port, Program, Setup, Span, WorkerId,
};
use stampede::server::Server;

use super::ledger::{Call, FillRun, Ledger, Shared};
use super::schedule::Schedule;
use crate::support::ms;

/// Processes that read.
pub(crate) const READERS: usize = 3;
/// The one that writes.
pub(crate) const WRITER: WorkerId = WorkerId(READERS as u16);
/// Callers in each, one after the other within some milliseconds, and again later.
const CALLERS: usize = 3;
const KEY: &str = "product:123";
/// When the last one reads: all faults are over by then, and what they left has run out.
const LATE: Duration = Duration::from_mins(1);

/// A run, and what is known of it.
pub(crate) struct Play {
    pub(crate) events: Vec<Event>,
    pub(crate) ledger: Ledger,
}

impl Play {
    /// What happened, for people.
    pub(crate) fn story(&self) -> String {
        let mut story = String::new();
        for event in &self.events {
            let who = event.worker.map_or_else(|| "-".to_owned(), |worker| worker.to_string());
            let what = match &event.fact {
                Fact::Sent { call, command } => {
                    let text: String = command.to_string().chars().take(60).collect();
                    format!("sends #{} {text}", call.0)
                }
                Fact::Executed { call, reply, .. } => {
                    let text: String = reply.to_string().chars().take(40).collect();
                    format!("     #{} -> {text}", call.0)
                }
                Fact::Answered { call, heard } => format!("hears #{} {heard:?}", call.0),
                Fact::Began(_) | Fact::Slept { .. } => continue,
                other => format!("{other:?}"),
            };
            story.push_str(&format!("{:>12} {who} {what}\n", event.at.to_string()));
        }
        format!("{story}{:#?}", self.ledger)
    }
}

pub(crate) fn options(config: u64) -> Options {
    let mut options = Options::default();
    options.lease.term = Term::Fixed(ms(600));
    options.lease.max_hold = ms(2_000);
    options.expiry.soft = ms(700);
    options.expiry.hard = ms(20_000);
    match config {
        // Cold readers who wait.
        0 => {}
        // Fills that take longer than the lease, prolonged as long as they run.
        1 => options.lease.renewal = Renewal::WhileRunning,
        // Fills that overlap when the lease ends.
        2 => options.lease.renewal = Renewal::Never,
        // Nobody is ever served anything stale.
        3 => {
            options.losers.serve_stale = false;
            options.refresh.on_failure = false;
        }
        // Nobody waits for long.
        4 => {
            options.losers.wait = ms(100);
            options.losers.fallback = Fallback::WhenWaitedInVain;
        }
        // One who refreshes waits for it, early refreshes, shared reads.
        _ => {
            options.refresh.background = false;
            options.refresh.early = Some(2.0);
            options.coalesce_reads = true;
        }
    }
    options
}

fn fill_time(config: u64) -> Span {
    Span::from_millis(if matches!(config, 1 | 2) { 900 } else { 200 })
}

fn guard(port: &Port, config: u64) -> Guard<LabConnection, LabRuntime> {
    Guard::builder(port.connection())
        .runtime(port.runtime())
        .options(options(config))
        .permits(2)
        .remember(if config == 3 { 0 } else { 4 })
        .native_release(false)
        .build()
        .expect("options that make sense")
}

/// Reads the version from the database, and is written down while it runs.
async fn fill(port: Port, worker: usize, shared: Shared, context: Fill) -> Result<i64, SourceError> {
    struct Run<'a>(&'a Shared, usize, LabRuntime);
    impl Drop for Run<'_> {
        fn drop(&mut self) {
            let now = self.2.now();
            self.0.write(|ledger| ledger.fills[self.1].ended = Some(now));
        }
    }
    let began = port.runtime().now();
    let fallback = context.is_fallback();
    let number = shared.write(|ledger| {
        ledger.fills.push(FillRun { worker, began, ended: None, fallback });
        ledger.fills.len() - 1
    });
    let _run = Run(&shared, number, port.runtime());
    version(&port).await.ok_or_else(|| "the database does not answer".into())
}

async fn version(port: &Port) -> Option<i64> {
    let row = port.query("SELECT version FROM product WHERE id = 123", Vec::new()).await.ok()??;
    match row.get("version") {
        Some(Cell::Integer(version)) => Some(*version),
        _ => None,
    }
}

fn request(
    guard: &Guard<LabConnection, LabRuntime>,
    port: &Port,
    worker: usize,
    shared: &Shared,
) -> Request<i64, stampede::guard::Json, LabConnection, LabRuntime> {
    let (port, shared) = (port.clone(), shared.clone());
    guard.get_or_recompute_with(KEY, move |context| fill(port, worker, shared, context))
}

/// Drops what it holds at the given poll.
struct Until<F>(Option<Pin<Box<F>>>, usize);

impl<F: Future> Future for Until<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.1 == 0 {
            self.0 = None;
        }
        self.1 = self.1.saturating_sub(1);
        match &mut self.0 {
            None => Poll::Ready(None),
            Some(future) => future.as_mut().poll(context).map(Some),
        }
    }
}

async fn reader(port: Port, worker: usize, schedule: Schedule, shared: Shared) -> Option<String> {
    let guard = guard(&port, schedule.config);
    let runtime = port.runtime();
    let mut chance = ChaCha8Rng::seed_from_u64(schedule.seed * 31 + worker as u64);
    let mut delays: Vec<Duration> = (0..CALLERS).map(|_| ms(chance.random_range(0..8))).collect();
    delays.extend((0..CALLERS).map(|_| ms(chance.random_range(300..2_500))));
    let cancel = schedule.cancel;
    let callers = delays.into_iter().enumerate().map(|(caller, delay)| {
        let (guard, port, shared, runtime) = (guard.clone(), port.clone(), shared.clone(), runtime.clone());
        async move {
            runtime.sleep(delay).await;
            let asked = runtime.now();
            let number = shared.write(|ledger| {
                let floor = ledger.floor;
                ledger.calls.push(Call { worker, asked, floor, outcome: None });
                ledger.calls.len() - 1
            });
            let request = request(&guard, &port, worker, &shared).into_future();
            let leaves = cancel.filter(|cancel| cancel.worker == worker && cancel.caller == caller);
            let polls = leaves.map_or(usize::MAX, |cancel| cancel.polls);
            match Until(Some(Box::pin(request)), polls).await {
                None => shared.write(|ledger| ledger.cancelled += 1),
                Some(answer) => {
                    let now = runtime.now();
                    shared.write(|ledger| ledger.calls[number].outcome = Some((now, answer)));
                }
            }
        }
    });
    join_all(callers.collect::<Vec<_>>()).await;
    None
}

/// Commits a new version, then invalidates until that has worked.
async fn writer(port: Port, schedule: Schedule, shared: Shared) -> Option<String> {
    let guard = guard(&port, schedule.config);
    let runtime = port.runtime();
    let mut chance = ChaCha8Rng::seed_from_u64(schedule.seed * 31 + 17);
    for _ in 0..2 {
        runtime.sleep(ms(chance.random_range(0..1_200))).await;
        if let Err(error) = port.commit("UPDATE product SET version = version + 1", Vec::new()).await {
            return Some(error.to_string());
        }
        let Some(version) = version(&port).await else { return Some("the product is gone".to_owned()) };
        while guard.invalidate(KEY).await.is_err() {
            runtime.sleep(ms(50)).await;
        }
        shared.write(|ledger| ledger.floor = version);
    }
    None
}

async fn last(port: Port, schedule: Schedule, shared: Shared) -> Option<String> {
    let guard = guard(&port, schedule.config);
    let answer = request(&guard, &port, READERS + 1, &shared).never_stale().await;
    let version = version(&port).await.expect("the database answers");
    shared.write(|ledger| {
        ledger.last_read = Some(answer);
        ledger.version = version;
    });
    None
}

fn program(
    name: &str,
    run: impl Fn(Port) -> BoxFuture<'static, Option<String>> + Send + Sync + 'static,
) -> Program {
    Program { name: name.to_owned(), source: String::new(), native: Some(Native::new(run)) }
}

fn setup(schedule: &Schedule, shared: &Shared) -> Setup {
    let mut programs = Vec::new();
    let mut cast = Vec::new();
    let fast = Some(Span::from_millis(1));
    let mut join = |program: Program, arrives: Duration, fill| {
        let arrives = LabTime::from_micros(u64::try_from(arrives.as_micros()).expect("soon"));
        cast.push(Member { program: programs.len(), arrives, fill, ..Member::default() });
        programs.push(program);
    };
    for worker in 0..READERS {
        let fill = Some(fill_time(schedule.config));
        let (again, sheet) = (schedule.clone(), shared.clone());
        let run = move |port| reader(port, worker, again.clone(), sheet.clone()).boxed();
        join(program("reader", run), Duration::ZERO, fill);
    }
    let (again, sheet) = (schedule.clone(), shared.clone());
    join(
        program("writer", move |port| writer(port, again.clone(), sheet.clone()).boxed()),
        Duration::ZERO,
        fast,
    );
    let (again, sheet) = (schedule.clone(), shared.clone());
    join(program("last", move |port| last(port, again.clone(), sheet.clone()).boxed()), LATE, fast);
    Setup {
        lesson: "guard".to_owned(),
        take: "schedule".to_owned(),
        seed: schedule.seed,
        keys: Keys::new(KEY, Some(format!("lock:{KEY}").into())),
        globals: BTreeMap::new(),
        programs,
        scripts: SCRIPTS.to_vec(),
        cast,
        database: DatabaseSetup {
            schema: "CREATE TABLE product (id INTEGER PRIMARY KEY, version INTEGER);
                     INSERT INTO product VALUES (123, 11);"
                .to_owned(),
            truth: None,
            watch: None,
            pool: 32,
            p50: Span::from_millis(200),
            p99: Span::from_millis(400),
        },
        app: AppSetup::default(),
        faults: schedule.faults.clone(),
        round_trip: Span::from_millis(1),
        reply_timeout: Span::from_millis(500),
        schedule: Vec::new(),
        repair: None,
        ends: None,
    }
}

pub(crate) fn play_on(schedule: &Schedule, server: &Server) -> Play {
    let shared = Shared::default();
    let mut lab = Lab::open(setup(schedule, &shared), crate::servers::wire(server)).expect("the lab opens");
    while lab.tick().expect("the server stays") {}
    let events = lab.journal().events().to_vec();
    drop(lab);
    Play { events, ledger: shared.write(|ledger| ledger.clone()) }
}

thread_local! {
    /// Starting a server takes longer than most schedules.
    static SERVER: RefCell<Option<Server>> = const { RefCell::new(None) };
}

pub(crate) fn play(schedule: &Schedule) -> Play {
    SERVER.with_borrow_mut(|server| play_on(schedule, server.get_or_insert_with(crate::servers::server)))
}
