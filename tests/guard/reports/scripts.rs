//! Scripts that the server has forgotten, keys of any bytes, and what is sent at all.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{Arg, Cmd, Pipeline, RedisFuture, Value};
use stampede::guard::{Guard, NotFound, Options, Provenance, Renewal, SourceError, Stored, Term};

use stampede::server::{Server, embedded};

use crate::servers::servers;
use crate::support::{self, ask, block_on, ms, pause, until};

/// A connection that does something of its own before each command, and remembers it.
#[derive(Clone)]
struct Watched {
    inner: MultiplexedConnection,
    /// Flush all scripts first.
    forgets: bool,
    sent: Arc<Mutex<Vec<Vec<Vec<u8>>>>>,
}

impl Watched {
    async fn on(server: &Server, forgets: bool) -> Self {
        Self { inner: support::connect(server).await, forgets, sent: Arc::default() }
    }
}

impl ConnectionLike for Watched {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        let words = cmd.args_iter().map(|arg| match arg {
            Arg::Simple(word) => word.to_vec(),
            _ => Vec::new(),
        });
        self.sent.lock().unwrap().push(words.collect());
        async move {
            if self.forgets {
                redis::cmd("SCRIPT").arg("FLUSH").exec_async(&mut self.inner).await?;
            }
            self.inner.req_packed_command(cmd).await
        }
        .boxed()
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        self.inner.req_packed_commands(pipeline, offset, count)
    }

    fn get_db(&self) -> i64 {
        self.inner.get_db()
    }
}

/// Every command that a guard has: miss, renewal, refresh, a failed refresh, "not found", invalidation, release.
async fn whole_life(guard: &Guard<Watched>, key: &[u8]) {
    let fill = |result: Result<u64, SourceError>| move || std::future::ready(result);
    let renewed = guard.clone();
    let first = guard.get_or_recompute(key, async move || {
        until(async || renewed.metrics().extensions > 0).await;
        Ok(1)
    });
    let first = first.await.unwrap();
    assert!(matches!(first.provenance, Provenance::Recomputed { stored: Stored::Yes, .. }), "{first:?}");
    pause(ms(60)).await;
    let stale = guard.get_or_recompute(key, fill(Err("no".into()))).await.unwrap();
    assert!(matches!(stale.provenance, Provenance::Stale { .. }), "{stale:?}");
    until(async || guard.metrics().fills_failed == 1).await;
    guard.invalidate(key).await.unwrap();
    let gone = guard.get_or_recompute(key, fill(Err(NotFound.into()))).await;
    assert!(matches!(gone, Err(stampede::guard::Error::NotFound)), "{gone:?}");
    guard.invalidate(key).await.unwrap();
}

fn options() -> Options {
    let mut options = Options::default();
    options.losers.wait = Duration::from_secs(20);
    options.lease.term = Term::Fixed(ms(900));
    options.lease.renewal = Renewal::WhileRunning;
    options.expiry.soft = ms(50);
    options
}

#[test]
fn scripts_that_are_flushed_before_every_command_change_nothing() {
    for server in servers() {
        for native in [false, true] {
            block_on(async {
                let connection = Watched::on(&server, true).await;
                let guard = Guard::builder(connection)
                    .options(options())
                    .redis_timeout(Duration::from_secs(10))
                    .native_release(native);
                let guard = guard.build().unwrap();
                whole_life(&guard, b"k").await;
                until(async || ask::<i64>(&server, &["EXISTS", "lock:k", "k"]).await == 0).await;
                let metrics = guard.metrics();
                assert!(metrics.extensions >= 1, "{metrics:?}");
                assert_eq!(
                    (metrics.refused_releases, metrics.stores_refused, metrics.redis_failures),
                    (0, 0, 0)
                );
            });
        }
    }
}

/// A server that can compare and delete by itself is asked to; where it cannot, the script does it.
#[test]
fn a_lock_is_given_back_by_the_server_s_own_command_where_there_is_one() {
    for server in servers() {
        block_on(async {
            let own = ["DELEX", "DELIFEQ"];
            let mut known = Vec::new();
            for command in own {
                let about: redis::Value = ask(&server, &["COMMAND", "INFO", command]).await;
                let redis::Value::Array(found) = about else { panic!("{about:?}") };
                if !matches!(found.first(), None | Some(Value::Nil)) {
                    known.push(command.as_bytes().to_vec());
                }
            }
            for native in [true, false] {
                let connection = Watched::on(&server, false).await;
                let sent = Arc::clone(&connection.sent);
                let guard = Guard::builder(connection).native_release(native).build().unwrap();
                guard.get_or_recompute("k", async || Ok(1_u64)).await.unwrap();
                until(async || ask::<i64>(&server, &["EXISTS", "lock:k"]).await == 0).await;
                guard.invalidate("k").await.unwrap();
                let sent = sent.lock().unwrap().clone();
                let used: Vec<_> =
                    sent.iter().map(|command| &command[0]).filter(|name| known.contains(name)).collect();
                assert_eq!(used.len(), usize::from(native && !known.is_empty()), "{:?}", server.identity());
            }
        });
    }
}

/// Keys of any bytes, with braces in every place where they could matter.
#[test]
fn every_command_is_about_one_key_and_with_hash_tags_all_share_a_slot() {
    // It refuses what crosses a slot.
    let cluster = embedded::Options { cluster: true, ..embedded::Options::default() };
    let server = Server::start_embedded(&cluster).expect("it starts");
    let keys: [&[u8]; 12] = [
        b"product:123",
        b"{",
        b"}",
        b"{}",
        b"}{",
        b"a{b}c",
        b"a{}{b}",
        b"{{a}}",
        b"\x00\xff\xfe\r\n",
        b"{\xff\x00",
        b"lock:x",
        b"*?[a-z]",
    ];
    block_on(async {
        for tags in [false, true] {
            for key in keys {
                let connection = Watched::on(&server, false).await;
                let sent = Arc::clone(&connection.sent);
                let guard = Guard::builder(connection)
                    .options(options())
                    .redis_timeout(Duration::from_secs(10))
                    .hash_tags(tags);
                let guard = guard.namespace(&b"shop:"[..]).native_release(false).build().unwrap();
                whole_life(&guard, key).await;
                let sent = sent.lock().unwrap().clone();
                let mut touched = std::collections::BTreeSet::new();
                for command in &sent {
                    let key = match command[0].as_slice() {
                        b"EVALSHA" | b"EVAL" => {
                            assert_eq!(command[2], b"1", "one key a script");
                            &command[3]
                        }
                        b"TIME" | b"COMMAND" => continue,
                        _ => &command[1],
                    };
                    touched.insert(key.clone());
                }
                assert_eq!(touched.len(), 2, "the value and its lock");
                if tags {
                    let mut slots = std::collections::BTreeSet::new();
                    for key in &touched {
                        slots.insert(slot(&server, key).await);
                    }
                    assert_eq!(slots.len(), 1, "{:?}", String::from_utf8_lossy(key));
                }
            }
        }
    });
}

async fn slot(server: &Server, key: &[u8]) -> i64 {
    let mut ask = redis::cmd("CLUSTER");
    ask.arg("KEYSLOT").arg(key);
    ask.query_async(&mut support::connect(server).await).await.expect("it answers")
}
