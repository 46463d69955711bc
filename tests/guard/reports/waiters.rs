//! Waiting: never for ever, never for more than one said, and never when an answer is at hand.

use std::time::Duration;

use futures::future::join_all;
use stampede::guard::{Error, Fallback, Guard, Provenance};

use stampede::lab::Port;

use crate::redis::Redis;
use crate::scene::{KEY, Scene, changes, guard, now, rest, takes};
use crate::servers::server;
use crate::support::{self, Source, block_on, guard_with, ms};

/// Nobody is told that a value has come: who waits looks. So no message can be lost, and the price is known.
#[test]
fn a_waiter_sees_the_value_one_look_after_it_is_there() {
    for takes_ms in [20, 100, 400, 1_500, 4_000] {
        let scene = Scene::new()
            .enters(ms(0), move |port: Port| async move {
                let guard = guard(&port, |options| {
                    options.lease.renewal = stampede::guard::Renewal::WhileRunning;
                });
                guard.get_or_recompute(KEY, move || takes(&port, ms(takes_ms), 1)).await.unwrap();
            })
            .enters(ms(5), move |port: Port| async move {
                let guard = guard(&port, |options| options.losers.wait = ms(10_000));
                let fill = port.clone();
                let answer = guard.get_or_recompute(KEY, move || takes(&fill, ms(1), 2)).await.unwrap();
                assert!(matches!(answer.provenance, Provenance::Waited { .. }), "{answer:?}");
                port.note(now(&port).to_string());
            });
        let events = scene.play();
        let stored = changes(&events, KEY).last().expect("it was stored").0;
        let seen = events.iter().find_map(|event| match &event.fact {
            stampede::lab::Fact::Noted { text } => text.parse().ok().map(ms),
            _ => None,
        });
        let late = seen.expect("it was noted").saturating_sub(stored);
        let share = (stored / 10).clamp(ms(4), ms(50));
        assert!(late <= share + ms(3), "{late:?} late after a fill of {takes_ms} ms");
    }
}

#[test]
fn who_waits_in_vain_is_told_when_the_time_is_up() {
    let scene = Scene::new()
        .enters(ms(0), async |port| {
            let guard =
                guard(&port, |options| options.lease.renewal = stampede::guard::Renewal::WhileRunning);
            guard.get_or_recompute(KEY, move || takes(&port, ms(5_000), 1)).await.unwrap();
        })
        .enters(ms(100), async |port| {
            let guard = guard(&port, |options| {
                options.losers.wait = ms(50);
                options.losers.retry_after = ms(700);
            });
            let calls = (0..200).map(|_| {
                let fill = port.clone();
                guard.get_or_recompute(KEY, move || takes(&fill, ms(1), 2)).into_future()
            });
            let began = now(&port);
            for answer in join_all(calls).await {
                assert!(
                    matches!(answer, Err(Error::Contended { retry_after }) if retry_after == ms(700)),
                    "{answer:?}"
                );
            }
            let took = now(&port) - began;
            // The first look, and then 50 ms.
            assert!((50..=55).contains(&took), "{took} ms");
            assert_eq!(guard.metrics().fills, 0);
        });
    scene.play();
}

#[test]
fn a_key_whose_fill_hangs_does_not_hold_up_another() {
    let server = server();
    block_on(async {
        let guard = guard_with(&server, |options| options.losers.wait = ms(200)).await;
        let hung = guard.get_or_recompute("hung", std::future::pending::<Result<u64, _>>);
        let others = join_all((0..20).map(|n| {
            let key = format!("well:{n}");
            guard.get_or_recompute(key, async move || Ok(n)).into_future()
        }));
        tokio::select! {
            answer = hung.into_future() => panic!("{answer:?}"),
            others = others => assert!(others.into_iter().all(|answer| answer.is_ok())),
        }
    });
}

#[test]
fn stale_readers_wait_for_nothing_but_their_read() {
    let scene = Scene::new()
        .enters(ms(0), async |port| {
            let guard = guard(&port, |options| options.expiry.soft = ms(100));
            guard.get_or_recompute(KEY, move || takes(&port, ms(1), 1)).await.unwrap();
        })
        .enters(ms(500), async |port| {
            let guard = guard(&port, |options| {
                options.expiry.soft = ms(100);
                options.lease.renewal = stampede::guard::Renewal::WhileRunning;
                options.coalesce_reads = true;
            });
            // The refresh never ends; the first call learns the server's time too.
            let first = guard.get_or_recompute(KEY, std::future::pending::<Result<u64, _>>).await.unwrap();
            assert!(matches!(first.provenance, Provenance::Stale { .. }));
            rest(&port, ms(20)).await;
            let began = now(&port);
            let calls = (0..1_000)
                .map(|_| guard.get_or_recompute(KEY, std::future::pending::<Result<u64, _>>).into_future());
            for answer in join_all(calls).await {
                assert!(matches!(answer.unwrap().provenance, Provenance::Stale { .. }));
            }
            // One of them asks, and one more for all who came after the question left.
            assert!(now(&port) - began <= 2, "{} ms", now(&port) - began);
        });
    scene.play();
}

#[test]
fn who_must_not_have_a_stale_value_waits_for_a_fresh_one() {
    let scene = Scene::new()
        .enters(ms(0), async |port| {
            let guard = guard(&port, |options| options.expiry.soft = ms(100));
            let fill = port.clone();
            guard.get_or_recompute(KEY, move || takes(&fill, ms(1), 1)).await.unwrap();
            rest(&port, ms(500)).await;
            let stale = guard.get_or_recompute(KEY, move || takes(&port, ms(300), 2)).await.unwrap();
            assert_eq!(stale.value, 1);
        })
        .enters(ms(550), async |port| {
            let guard = guard(&port, |options| options.expiry.soft = ms(100));
            let call = |value| {
                let fill = port.clone();
                guard.get_or_recompute(KEY, move || takes(&fill, ms(1), value))
            };
            assert_eq!(call(3).await.unwrap().value, 1, "stale, by default");
            let fresh = call(4).never_stale().await.unwrap();
            assert!(fresh.value >= 2 && !matches!(fresh.provenance, Provenance::Stale { .. }), "{fresh:?}");
        });
    scene.play();
}

/// `CLIENT PAUSE`: connections stand, and nothing is answered on them.
#[test]
fn a_server_that_answers_nobody_costs_its_limit_and_no_more() {
    let Some(redis) = Redis::start() else { return };
    block_on(async {
        let connect = async || redis.client().get_multiplexed_async_connection().await.unwrap();
        let build = async |fallback| {
            let mut options = stampede::guard::Options::default();
            options.losers.fallback = fallback;
            let guard = Guard::builder(connect().await).options(options).redis_timeout(ms(60));
            guard.build().unwrap()
        };
        let (strict, lenient) = (build(Fallback::Never).await, build(Fallback::WhenRedisIsDown).await);
        redis.ask::<()>(&["CLIENT", "PAUSE", "60000", "ALL"]).await;
        let began = stampede::clock::now();
        assert!(matches!(strict.get_or_recompute("k", async || Ok(1_u64)).await, Err(Error::Redis(_))));
        let answer = lenient.get_or_recompute("k", async || Ok(2_u64)).await.unwrap();
        assert!(matches!(answer.provenance, Provenance::Fallback { .. }));
        assert!(stampede::clock::since(began) < Duration::from_secs(3));
        let hurried = connect_anew(&redis).get_or_recompute("k", async || Ok(3_u64));
        let began = stampede::clock::now();
        assert!(matches!(hurried.within(ms(100)).await, Err(Error::Contended { .. })));
        assert!(stampede::clock::since(began) < Duration::from_secs(2));
    });
}

/// A guard that has not yet noticed that the server is silent, and would wait for long.
fn connect_anew(redis: &Redis) -> Guard<redis::aio::ConnectionManager> {
    let config = redis::aio::ConnectionManagerConfig::new().set_response_timeout(None);
    let manager = redis::aio::ConnectionManager::new_lazy_with_config(redis.client(), config).unwrap();
    Guard::builder(manager).redis_timeout(Duration::from_mins(1)).build().unwrap()
}

#[test]
fn a_flood_of_deletions_under_load_hurts_nobody() {
    let server = server();
    block_on(async {
        let (guard, source) = (support::guard(&server).await, Source::default());
        let readers = join_all((0..200_u64).map(|n| {
            let (guard, source) = (guard.clone(), source.clone());
            async move {
                for round in 0..5_u64 {
                    let source = source.clone();
                    let key = format!("k{}", (n + round) % 10);
                    let answer = guard.get_or_recompute(key, move || source.takes(ms(3), 7)).await;
                    assert_eq!(answer.unwrap().value, 7);
                }
            }
        }));
        let flood = async {
            loop {
                support::ask::<()>(&server, &["FLUSHALL"]).await;
                support::pause(ms(2)).await;
            }
        };
        tokio::select! { _ = readers => {} () = flood => {} }
        assert!(source.most() <= 10, "one fill of a key at a time: {}", source.most());
    });
}

/// A fill that asks for its own key waits for itself; it must not do so for ever.
#[test]
fn a_fill_that_asks_for_its_own_key_is_turned_away() {
    let server = server();
    block_on(async {
        let guard = guard_with(&server, |options| options.losers.wait = ms(100)).await;
        let again = guard.clone();
        let outer = guard.get_or_recompute("k", async move || {
            let inner = again.get_or_recompute("k", async || Ok(1_u64)).await;
            assert!(matches!(inner, Err(Error::Contended { .. })), "{inner:?}");
            Ok(2)
        });
        assert_eq!(outer.await.unwrap().value, 2);
    });
}

/// A soft timeout: the caller has its answer, and the load goes on for the next one.
#[test]
fn a_deadline_ends_the_wait_and_not_the_load() {
    let scene = Scene::new().enters(ms(0), async |port| {
        let guard = guard(&port, |_| ());
        let call = |value| {
            let fill = port.clone();
            guard.get_or_recompute(KEY, move || takes(&fill, ms(300), value))
        };
        let began = now(&port);
        assert!(matches!(call(1).within(ms(50)).await, Err(Error::Contended { .. })));
        assert_eq!(now(&port) - began, 50);
        assert_eq!(call(2).within(ms(50)).or(9).await.unwrap().provenance, Provenance::Degraded);
        rest(&port, ms(300)).await;
        let answer = call(3).await.unwrap();
        assert!(matches!(answer.provenance, Provenance::Hit { .. }) && answer.value == 1, "{answer:?}");
        assert_eq!((guard.metrics().fills, guard.metrics().fills_abandoned), (1, 0));
    });
    scene.play();
}

/// While one process refreshes, the readers of the others get the old value by one command each, and seldom ask for the
/// lock.
#[test]
fn stale_readers_do_not_besiege_the_lock() {
    let scene = Scene::new()
        .enters(ms(0), async |port| {
            let guard = guard(&port, |options| options.expiry.soft = ms(50));
            let fill = port.clone();
            guard.get_or_recompute(KEY, move || takes(&fill, ms(1), 1)).await.unwrap();
            rest(&port, ms(100)).await;
            let fill = port.clone();
            guard.get_or_recompute(KEY, move || takes(&fill, ms(800), 2)).await.unwrap();
        })
        .enters(ms(150), async |port| {
            let guard = guard(&port, |options| options.expiry.soft = ms(50));
            for _ in 0..300 {
                let fill = port.clone();
                let answer = guard.get_or_recompute(KEY, move || takes(&fill, ms(1), 3)).await.unwrap();
                assert!(matches!(answer.provenance, Provenance::Stale { .. }) && answer.value == 1);
                rest(&port, ms(1)).await;
            }
            let metrics = guard.metrics();
            assert!((2..=14).contains(&metrics.attempts), "{} attempts in 600 ms", metrics.attempts);
        });
    scene.play();
}
