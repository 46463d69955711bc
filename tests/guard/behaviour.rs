//! What one guard, and a few together, do on a healthy server.

use std::time::Duration;

use futures::future::join_all;
use stampede::guard::{Error, NotFound, Provenance, SourceError, Stored};

use crate::servers::{server, servers};
use crate::support::{Gate, Source, ask, block_on, guard, guard_with, ms, pause, until};

#[test]
fn a_miss_is_computed_stored_and_given_back_and_a_hit_is_one_command() {
    for server in servers() {
        block_on(async {
            let (guard, source) = (guard(&server).await, Source::default());
            let call = || {
                guard.get_or_recompute("product:123", {
                    let source = source.clone();
                    move || source.takes(ms(5), 7)
                })
            };
            let first = call().await.unwrap();
            assert_eq!(first.value, 7);
            assert!(matches!(first.provenance, Provenance::Recomputed { stored: Stored::Yes, .. }));
            until(async || ask::<i64>(&server, &["EXISTS", "lock:product:123"]).await == 0).await;
            let life: i64 = ask(&server, &["PTTL", "product:123"]).await;
            assert!((3_200_000..=3_600_000).contains(&life), "kept for an hour, less a jitter: {life}");
            let before: u64 = commands(&server).await;
            for _ in 0..100 {
                assert!(matches!(call().await.unwrap().provenance, Provenance::Hit { .. }));
            }
            // INFO itself, twice, and the greeting of two connections are the only others.
            let spent = commands(&server).await - before;
            assert!((100..=110).contains(&spent), "{spent} commands for 100 hits");
            assert_eq!(source.calls(), 1);
        });
    }
}

async fn commands(server: &stampede::server::Server) -> u64 {
    let info: String = ask(server, &["INFO", "stats"]).await;
    let line = info.lines().find_map(|line| line.strip_prefix("total_commands_processed:"));
    line.expect("INFO counts commands").trim().parse().expect("a number")
}

#[test]
fn a_thousand_cold_readers_make_one_fill_and_one_attempt() {
    for server in servers() {
        block_on(async {
            let (guard, source, gate) = (guard(&server).await, Source::default(), Gate::new());
            let answers = join_all((0..1_000).map(|_| {
                let (source, gate) = (source.clone(), gate.clone());
                let fill = async move || {
                    gate.pass().await;
                    source.takes(ms(0), 7).await
                };
                guard.get_or_recompute("hot", fill).into_future()
            }));
            let open = async {
                until(async || guard.metrics().coalesced == 999).await;
                gate.open();
            };
            let (answers, ()) = tokio::join!(answers, open);
            assert!(answers.into_iter().all(|answer| answer.unwrap().value == 7));
            assert_eq!((source.calls(), guard.metrics().attempts), (1, 1));
        });
    }
}

#[test]
fn several_processes_share_one_fill() {
    for server in servers() {
        block_on(async {
            let source = Source::default();
            let mut guards = Vec::new();
            for _ in 0..8 {
                // Whoever is refused while the winner has not put its claim yet tries again after this.
                guards.push(guard_with(&server, |options| options.losers.poll.most = ms(5_000)).await);
            }
            let gate = Gate::new();
            let answers = join_all(guards.iter().flat_map(|guard| {
                (0..125).map(|_| {
                    let (source, gate) = (source.clone(), gate.clone());
                    let fill = async move || {
                        gate.pass().await;
                        source.takes(ms(0), 7).await
                    };
                    guard.get_or_recompute("hot", fill).into_future()
                })
            }));
            let open = async {
                until(async || guards.iter().map(|guard| guard.metrics().misses).sum::<u64>() == 1_000).await;
                gate.open();
            };
            let (answers, ()) = tokio::join!(answers, open);
            assert!(answers.into_iter().all(|answer| answer.unwrap().value == 7));
            let attempts: u64 = guards.iter().map(|guard| guard.metrics().attempts).sum();
            assert_eq!(source.calls(), 1);
            assert!(attempts <= 8, "{attempts} attempts");
        });
    }
}

#[test]
fn a_stale_value_is_served_at_once_while_one_refreshes() {
    let server = server();
    block_on(async {
        let (source, gate) = (Source::default(), Gate::new());
        let guard = guard_with(&server, |options| options.expiry.soft = ms(50)).await;
        let call = |value| {
            let (source, gate) = (source.clone(), gate.clone());
            guard.get_or_recompute("k", async move || {
                gate.pass().await;
                source.takes(ms(100), value).await
            })
        };
        gate.open();
        assert_eq!(call(1).await.unwrap().value, 1);
        until(async || ask::<i64>(&server, &["EXISTS", "lock:k"]).await == 0).await;
        // The fill's own time counts: the value is as old as its fill.
        let stale = join_all((0..100).map(|_| call(2).into_future())).await;
        for answer in stale {
            let answer = answer.unwrap();
            assert!(matches!(answer.provenance, Provenance::Stale { age } if age >= ms(99)), "{answer:?}");
            assert_eq!(answer.value, 1);
        }
        gate.open();
        until(async || source.calls() == 2).await;
        until(async || ask::<i64>(&server, &["EXISTS", "lock:k"]).await == 0).await;
        gate.open();
        assert_eq!(call(3).never_stale().await.unwrap().value, 3, "by now the second is stale too");
        assert_eq!(source.calls(), 3);
    });
}

#[test]
fn what_does_not_exist_is_remembered_and_is_no_failure() {
    let server = server();
    block_on(async {
        let guard = guard(&server).await;
        let none = async || -> Result<u8, SourceError> { Err(NotFound.into()) };
        assert!(matches!(guard.get_or_recompute("k", none).await, Err(Error::NotFound)));
        let never = async || -> Result<u8, SourceError> { panic!("it is remembered") };
        assert!(matches!(guard.get_or_recompute("k", never).or(3).await, Err(Error::NotFound)));
        assert_eq!(guard.metrics().negative_hits, 1);
    });
}

#[test]
fn a_failure_is_shared_and_remembered_for_a_while() {
    let server = server();
    block_on(async {
        let (one, two, source) = (guard(&server).await, guard(&server).await, Source::default());
        let gate = Gate::new();
        let call = |guard: &stampede::guard::Guard<_>| {
            let (source, gate) = (source.clone(), gate.clone());
            let fill = async move || {
                gate.pass().await;
                source.fails("the database is on fire").await
            };
            guard.get_or_recompute("k", fill).into_future()
        };
        let open = async {
            until(async || one.metrics().coalesced == 9).await;
            gate.open();
        };
        for answer in tokio::join!(join_all((0..10).map(|_| call(&one))), open).0 {
            let error = answer.unwrap_err();
            assert!(matches!(&error, Error::Source(_)), "{error:?}");
            assert_eq!(error.to_string(), "the source failed: the database is on fire");
        }
        let Err(Error::FailedLately { said, retry_after }) = call(&two).await else { panic!("remembered") };
        assert_eq!(said, "the database is on fire");
        assert!(retry_after <= ms(1_000));
        assert_eq!(source.calls(), 1);
        pause(retry_after + ms(10)).await;
        gate.open();
        assert!(matches!(call(&two).await, Err(Error::Source(_))));
        assert_eq!(source.calls(), 2);
        assert_eq!(guard_after_failure(&two).await, 9);
    });
}

/// A good value replaces the failure once that has been remembered for long enough.
async fn guard_after_failure<C: stampede::guard::Connection>(guard: &stampede::guard::Guard<C>) -> u64 {
    loop {
        match guard.get_or_recompute("k", async || Ok(9)).await {
            Ok(answer) => return answer.value,
            Err(Error::FailedLately { retry_after, .. }) => pause(retry_after).await,
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn a_panic_reaches_nobody_but_its_caller() {
    let server = server();
    block_on(async {
        let guard = guard(&server).await;
        let gate = Gate::new();
        let inside = gate.clone();
        let first = guard.get_or_recompute("k", async move || -> Result<u64, SourceError> {
            inside.pass().await;
            panic!("oh no")
        });
        let others = async {
            gate.reached().await;
            let calls = (0..9_u64).map(|n| guard.get_or_recompute("k", async move || Ok(n)).into_future());
            let open = async {
                until(async || guard.metrics().coalesced == 9).await;
                gate.open();
            };
            tokio::join!(join_all(calls), open).0
        };
        let (first, others) = tokio::join!(first.into_future(), others);
        for other in others {
            assert!(other.is_ok(), "{other:?}");
        }
        let Err(Error::Panicked(words)) = first else { panic!("it panicked") };
        assert_eq!(words, "oh no");
        until(async || ask::<i64>(&server, &["EXISTS", "lock:k"]).await == 0).await;
        assert_eq!(guard.metrics().fills_panicked, 1);
    });
}

#[test]
fn a_load_lives_as_long_as_somebody_waits_for_it() {
    let server = server();
    block_on(async {
        let (guard, gate) = (guard(&server).await, Gate::new());
        let call = || {
            let gate = gate.clone();
            let fill = async move || {
                gate.pass().await;
                Ok(7_u64)
            };
            guard.get_or_recompute("k", fill).into_future()
        };
        let mut leader = call();
        tokio::select! { biased;
            answer = &mut leader => panic!("{answer:?}"),
            () = gate.reached() => {}
        }
        let followers = async {
            let calls = join_all((0..9).map(|_| call()));
            let leave = async {
                until(async || guard.metrics().coalesced == 9).await;
                drop(leader);
                gate.open();
            };
            tokio::join!(calls, leave).0
        };
        assert!(followers.await.into_iter().all(|answer| answer.unwrap().value == 7));
        assert_eq!((guard.metrics().fills, guard.metrics().fills_abandoned), (1, 0));
        ask::<i64>(&server, &["DEL", "k"]).await;
        tokio::select! { biased;
            _ = join_all((0..10).map(|_| call())) => panic!("the gate is closed"),
            () = gate.reached() => {}
        }
        until(async || guard.metrics().fills_abandoned == 1).await;
        until(async || ask::<i64>(&server, &["EXISTS", "lock:k", "k"]).await == 0).await;
        gate.open();
        assert_eq!(call().await.unwrap().value, 7);
    });
}

#[test]
fn an_old_fill_stores_nothing_after_an_invalidation() {
    for server in servers() {
        block_on(async {
            let (one, two) = (guard(&server).await, guard(&server).await);
            let gate = Gate::new();
            let inside = gate.clone();
            let slow = one.get_or_recompute("k", async move || {
                inside.pass().await;
                Ok(11_u64)
            });
            let (old, ()) = tokio::join!(slow.into_future(), async {
                gate.reached().await;
                two.invalidate("k").await.unwrap();
                gate.open();
            });
            let old = old.unwrap();
            assert_eq!(old.value, 11, "whose fill it was gets it");
            assert!(matches!(old.provenance, Provenance::Recomputed { stored: Stored::Refused, .. }));
            assert_eq!(ask::<i64>(&server, &["EXISTS", "k"]).await, 0);
            assert_eq!(one.metrics().stores_refused, 1);
            assert_eq!(two.get_or_recompute("k", async || Ok(12_u64)).await.unwrap().value, 12);
        });
    }
}

#[test]
fn who_comes_after_an_invalidation_gets_nothing_older() {
    let server = server();
    block_on(async {
        let guard = guard(&server).await;
        let gate = Gate::new();
        let inside = gate.clone();
        let old = guard.get_or_recompute("k", async move || {
            inside.pass().await;
            Ok(11_u64)
        });
        let (old, new) = tokio::join!(old.into_future(), async {
            gate.reached().await;
            guard.invalidate("k").await.unwrap();
            let new = guard.get_or_recompute("k", async || Ok(12_u64)).into_future();
            gate.open();
            new.await
        });
        assert_eq!(old.unwrap().value, 11);
        assert_eq!(new.unwrap().value, 12);
        assert_eq!(guard.get_or_recompute("k", async || Ok(13_u64)).await.unwrap().value, 12);
    });
}

#[test]
fn what_cannot_be_read_is_a_miss_and_is_replaced() {
    let server = server();
    block_on(async {
        let guard = guard(&server).await;
        for (n, foreign) in ["plain text", "{}", "\u{0}\u{0}", ""].into_iter().enumerate() {
            ask::<()>(&server, &["SET", "k", foreign]).await;
            let answer = guard.get_or_recompute("k", async move || Ok(n)).await.unwrap();
            assert_eq!(answer.value, n);
            assert!(matches!(guard.get_or_recompute("k", async || Ok(99)).await.unwrap().value, m if m == n));
        }
        ask::<i64>(&server, &["DEL", "k"]).await;
        ask::<i64>(&server, &["HSET", "k", "a", "list"]).await;
        assert_eq!(guard.get_or_recompute("k", async || Ok(5_u64)).await.unwrap().value, 5);
        // Of another type by now: unreadable for this caller.
        let text = guard.get_or_recompute("k", async || Ok("a text".to_owned())).await.unwrap();
        assert_eq!(text.value, "a text");
        assert!(guard.metrics().unreadable >= 6);
    });
}

#[test]
fn a_fill_says_what_becomes_of_its_value() {
    let server = server();
    block_on(async {
        let guard = guard(&server).await;
        let call = guard.get_or_recompute_with("k", async |fill| {
            fill.do_not_cache();
            Ok(1_u64)
        });
        let answer = call.await.unwrap();
        assert!(matches!(answer.provenance, Provenance::Recomputed { stored: Stored::Unwanted, .. }));
        until(async || ask::<i64>(&server, &["EXISTS", "k", "lock:k"]).await == 0).await;
        let call = guard.get_or_recompute_with("k", async |fill| {
            fill.keep_for(Duration::from_secs(7));
            fill.fresh_for(Duration::from_secs(3));
            Ok(1_u64)
        });
        call.await.unwrap();
        let life: i64 = ask(&server, &["PTTL", "k"]).await;
        assert!((6_000..=7_000).contains(&life), "{life}");
    });
}

#[test]
fn callers_share_reads_and_get_what_is_there() {
    let server = server();
    block_on(async {
        let guard = guard_with(&server, |options| options.coalesce_reads = true).await;
        assert_eq!(guard.get_or_recompute("k", async || Ok(7_u64)).await.unwrap().value, 7);
        let before = commands(&server).await;
        let answers =
            join_all((0..200).map(|_| guard.get_or_recompute("k", async || Ok(8_u64)).into_future()));
        assert!(answers.await.into_iter().all(|answer| answer.unwrap().value == 7));
        let spent = commands(&server).await - before;
        assert!(spent < 20, "{spent} commands for 200 hits");
        assert!(guard.metrics().reads_coalesced > 190);
    });
}
