//! What the guard tells `tracing`. A program of its own: whether a span is wanted is remembered for a whole process.
#![cfg(feature = "app")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::future::IntoFuture;
use std::sync::{Arc, Mutex};

use stampede::guard::Guard;
use tracing::Instrument;

mod support;

/// Where lines of a log go.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_fill_runs_in_its_caller_s_span() {
    let (server, log) = (support::server(), Log::default());
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false);
    let subscriber = subscriber.with_max_level(tracing::Level::DEBUG).finish();
    tracing::subscriber::with_default(subscriber, || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let socket = server.socket().expect("a server of our own");
            let client = redis::Client::open(format!("redis+unix://{}", socket.display())).unwrap();
            let guard = Guard::builder(client.get_connection_manager().await.unwrap()).build().unwrap();
            let call = guard.get_or_recompute("k", async || {
                tracing::info!("asking the database");
                Ok(1_u64)
            });
            call.into_future().instrument(tracing::info_span!("request", id = 7)).await.unwrap();
        });
    });
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let line = log.lines().find(|line| line.ends_with("asking the database")).expect("it is logged");
    assert!(line.contains("request{id=7}:load{key=\"k\" errand=Need}:fill: "), "{line}");
}
