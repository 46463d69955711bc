//! Guards on servers of their own, and a source that counts.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use stampede::clock::{Runtime, Tokio};
use stampede::guard::{Builder, Guard, Options, SourceError, Term};
use stampede::server::Server;
use tokio::sync::Semaphore;

pub(crate) const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Runs a test's body on a runtime with two threads.
pub(crate) fn block_on<T>(body: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("a runtime").block_on(body)
}

pub(crate) fn client(server: &Server) -> redis::Client {
    let socket = server.socket().expect("a server of our own");
    redis::Client::open(format!("redis+unix://{}", socket.display())).expect("a good address")
}

pub(crate) async fn connect(server: &Server) -> MultiplexedConnection {
    client(server).get_multiplexed_async_connection().await.expect("the server answers")
}

/// Patient, because the machine may be busy: who tests a deadline sets it.
pub(crate) fn patient() -> Options {
    let mut options = Options::default();
    options.losers.wait = Duration::from_secs(20);
    options.lease.term = Term::Fixed(Duration::from_secs(20));
    options
}

pub(crate) async fn builder(server: &Server) -> Builder<MultiplexedConnection> {
    Guard::builder(connect(server).await).options(patient()).redis_timeout(Duration::from_secs(10))
}

pub(crate) async fn guard(server: &Server) -> Guard<MultiplexedConnection> {
    builder(server).await.build().expect("options that make sense")
}

pub(crate) async fn guard_with(
    server: &Server,
    change: impl FnOnce(&mut Options),
) -> Guard<MultiplexedConnection> {
    let mut options = patient();
    change(&mut options);
    builder(server).await.options(options).build().expect("options that make sense")
}

/// Waits by the wall, as a source does.
pub(crate) async fn pause(time: Duration) {
    Tokio::new().sleep(time).await;
}

/// Waits until `condition` holds; ten seconds without, and the test has failed.
pub(crate) async fn until<F: Future<Output = bool>>(mut condition: impl FnMut() -> F) {
    for _ in 0..2_000 {
        if condition().await {
            return;
        }
        pause(ms(5)).await;
    }
    panic!("it never came true");
}

/// Runs one command beside the guard.
pub(crate) async fn ask<T: redis::FromRedisValue>(server: &Server, command: &[&str]) -> T {
    let mut cmd = redis::Cmd::new();
    for word in command {
        cmd.arg(*word);
    }
    cmd.query_async(&mut connect(server).await).await.expect("the server answers")
}

/// A place in a fill where it waits to be let through, and where others can wait for it.
#[derive(Clone)]
pub(crate) struct Gate {
    waiting: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        let closed = || Arc::new(Semaphore::new(0));
        Self { waiting: closed(), open: closed() }
    }

    pub(crate) async fn pass(&self) {
        self.waiting.add_permits(1);
        self.open.acquire().await.expect("never closed").forget();
    }

    /// Waits until a fill stands before it.
    pub(crate) async fn reached(&self) {
        self.waiting.acquire().await.expect("never closed").forget();
    }

    /// Lets one fill through.
    pub(crate) fn open(&self) {
        self.open.add_permits(1);
    }
}

/// A source that counts its calls.
#[derive(Clone, Default)]
pub(crate) struct Source(Arc<Inner>);

#[derive(Default)]
struct Inner {
    calls: AtomicUsize,
    now: AtomicUsize,
    most: AtomicUsize,
}

struct Leave<'a>(&'a AtomicUsize);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Source {
    pub(crate) fn calls(&self) -> usize {
        self.0.calls.load(Ordering::SeqCst)
    }

    /// The most calls that were under way at once.
    pub(crate) fn most(&self) -> usize {
        self.0.most.load(Ordering::SeqCst)
    }

    /// Answers with `value` after `time`.
    pub(crate) fn takes(
        &self,
        time: Duration,
        value: u64,
    ) -> impl Future<Output = Result<u64, SourceError>> + Send + 'static + use<> {
        let inner = Arc::clone(&self.0);
        async move {
            inner.calls.fetch_add(1, Ordering::SeqCst);
            let now = inner.now.fetch_add(1, Ordering::SeqCst) + 1;
            inner.most.fetch_max(now, Ordering::SeqCst);
            let _leave = Leave(&inner.now);
            pause(time).await;
            Ok(value)
        }
    }

    pub(crate) fn fails(
        &self,
        why: &'static str,
    ) -> impl Future<Output = Result<u64, SourceError>> + Send + 'static + use<> {
        let inner = Arc::clone(&self.0);
        async move {
            inner.calls.fetch_add(1, Ordering::SeqCst);
            Err(why.into())
        }
    }
}
