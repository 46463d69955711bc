//! Real servers that stop, die, forget and come back.

use std::time::Duration;

use futures::future::join_all;
use redis::aio::ConnectionManager;
use stampede::clock;
use stampede::guard::{
    BreakerOptions, Builder, Error, Fallback, Guard, Options, Provenance, Renewal, Stored, Term,
};

use crate::redis::Redis;
use crate::support::{Gate, Source, block_on, ms, pause, until};

/// A connection that comes back by itself, with limits of its own that are longer than the guard's.
async fn manager(redis: &Redis) -> ConnectionManager {
    let config = redis::aio::ConnectionManagerConfig::new()
        .set_connection_timeout(Some(Duration::from_secs(1)))
        .set_response_timeout(Some(Duration::from_secs(1)))
        .set_number_of_retries(1);
    redis.client().get_connection_manager_with_config(config).await.expect("the server answers")
}

async fn builder(redis: &Redis) -> Builder<ConnectionManager> {
    Guard::builder(manager(redis).await)
        .redis_timeout(ms(100))
        .breaker(BreakerOptions { failures: 3, rest: ms(200) })
}

async fn guard(redis: &Redis) -> Guard<ConnectionManager> {
    builder(redis).await.build().expect("options that make sense")
}

/// 500 readers of 50 keys that nobody has seen: at most eight at the source at once, and all are answered in time.
async fn herd(guard: &Guard<ConnectionManager>, name: &str) -> (Source, usize) {
    let source = Source::default();
    let began = clock::now();
    let answers = join_all((0..500).map(|n| {
        let source = source.clone();
        let key = format!("{name}:{}", n % 50);
        guard.get_or_recompute(key, move || source.takes(ms(20), 7)).into_future()
    }));
    let mut answered = 0;
    for answer in answers.await {
        match answer {
            Ok(answer) => {
                // Whoever comes late may find what another's fallback has left in this process.
                let beside = matches!(
                    answer.provenance,
                    Provenance::Fallback { .. } | Provenance::Coalesced { .. } | Provenance::Stale { .. }
                );
                assert!(beside, "{answer:?}");
                answered += 1;
            }
            Err(Error::Shed { .. } | Error::Contended { .. }) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(clock::since(began) < Duration::from_secs(5), "answered after {:?}", clock::since(began));
    assert_eq!(source.most(), 8, "as many as there are permits");
    (source, answered)
}

async fn outage(redis: &mut Redis, stop: impl Fn(&mut Redis), come_back: impl Fn(&mut Redis)) {
    let mut options = Options::default();
    options.expiry.soft = ms(50);
    options.expiry.jitter = 0.0;
    let guard = builder(redis).await.options(options).permits(8).remember(100).build().unwrap();
    let call = |value| guard.get_or_recompute("known", async move || Ok(value)).into_future();
    assert_eq!(call(1_u64).await.unwrap().value, 1);
    pause(ms(60)).await;
    stop(redis);
    let (source, answered) = herd(&guard, "first").await;
    assert!(answered >= 400, "{answered} of 500 answered, {} calls", source.calls());
    assert!(guard.is_redis_down());
    // A value at hand is served, at once, and a background fill makes it younger.
    let began = clock::now();
    let known = call(2).await.unwrap();
    assert_eq!(known.value, 1);
    assert!(matches!(known.provenance, Provenance::Stale { .. }));
    assert!(clock::since(began) < ms(100));
    until(async || call(3).await.unwrap().value != 1).await;
    come_back(redis);
    until(async || !guard.is_redis_down() || call(4).await.is_err()).await;
    until(async || {
        let answer = guard.get_or_recompute("back", async || Ok(5_u64)).await;
        matches!(answer.unwrap().provenance, Provenance::Hit { .. })
    })
    .await;
}

#[test]
fn a_server_that_stands_still() {
    let Some(mut redis) = Redis::start() else { return };
    block_on(outage(&mut redis, |redis| redis.signal("STOP"), |redis| redis.signal("CONT")));
}

#[test]
fn a_server_that_is_killed_and_started_again() {
    let Some(mut redis) = Redis::start() else { return };
    block_on(outage(&mut redis, Redis::kill, Redis::start_again));
}

#[test]
fn without_a_fallback_an_outage_is_an_error_of_its_own() {
    let Some(mut redis) = Redis::start() else { return };
    block_on(async {
        let mut options = Options::default();
        options.losers.fallback = Fallback::Never;
        let guard = builder(&redis).await.options(options).build().unwrap();
        redis.kill();
        let call = || guard.get_or_recompute("k", async || Ok(1_u64));
        assert!(matches!(call().await, Err(Error::Redis(_))));
        assert_eq!(call().or(9).await.unwrap().provenance, Provenance::Degraded);
    });
}

#[test]
fn a_server_that_forgets_its_scripts() {
    let Some(forgetful) = Redis::start() else { return };
    block_on(async {
        let mut options = Options::default();
        options.lease.term = Term::Fixed(ms(600));
        options.lease.renewal = Renewal::WhileRunning;
        let guard = builder(&forgetful).await.options(options).redis_timeout(Duration::from_secs(5));
        let guard = guard.native_release(false).build().unwrap();
        for n in 0..5_u64 {
            forgetful.ask::<()>(&["SCRIPT", "FLUSH"]).await;
            let key = format!("k{n}");
            let (redis, renewals) = (forgetful.client(), guard.clone());
            let fill = guard.get_or_recompute(&key, async move || {
                let mut connection = redis.get_multiplexed_async_connection().await?;
                redis::cmd("SCRIPT").arg("FLUSH").exec_async(&mut connection).await?;
                until(async || renewals.metrics().extensions > n).await;
                redis::cmd("SCRIPT").arg("FLUSH").exec_async(&mut connection).await?;
                Ok(n)
            });
            let answer = fill.await;
            assert!(matches!(answer.unwrap().provenance, Provenance::Recomputed { stored: Stored::Yes, .. }));
            until(async || forgetful.ask::<i64>(&["EXISTS", &format!("lock:{key}")]).await == 0).await;
        }
        let metrics = guard.metrics();
        assert!(metrics.extensions >= 5 && metrics.refused_releases == 0, "{metrics:?}");
    });
}

#[test]
fn a_lock_that_is_gone_costs_a_fill_and_no_value() {
    let Some(redis) = Redis::start() else { return };
    block_on(async {
        let (one, two) = (guard(&redis).await, guard(&redis).await);
        let gate = Gate::new();
        let inside = gate.clone();
        let slow = one.get_or_recompute("k", async move || {
            inside.pass().await;
            Ok(1_u64)
        });
        // A failover, an eviction: the lock is gone, and the claim with it.
        let lose = async {
            gate.reached().await;
            redis.ask::<i64>(&["DEL", "lock:k", "k"]).await;
            let new = two.get_or_recompute("k", async || Ok(2_u64)).await.unwrap();
            gate.open();
            new
        };
        let (old, new) = tokio::join!(slow.into_future(), lose);
        assert_eq!((old.unwrap().value, new.value), (1, 2));
        assert_eq!(
            one.get_or_recompute("k", async || Ok(3_u64)).await.unwrap().value,
            2,
            "the newer one stays"
        );
        until(async || one.metrics().refused_releases == 1).await;
        assert_eq!(one.metrics().stores_refused, 1);
    });
}

#[test]
fn renewals_on_a_connection_of_their_own_pass_a_large_value() {
    let Some(redis) = Redis::start() else { return };
    block_on(async {
        let mut options = Options::default();
        options.lease.term = Term::Fixed(ms(1_500));
        options.lease.renewal = Renewal::WhileRunning;
        let connection = manager(&redis).await;
        let guard = Guard::builder(connection).renewals(manager(&redis).await).options(options);
        let guard = guard.redis_timeout(Duration::from_secs(10)).largest(64 << 20).build().unwrap();
        let large = bytes::Bytes::from(vec![b'x'; 32 << 20]);
        let slow = guard.get_or_recompute("slow", async || {
            pause(ms(3_000)).await;
            Ok(1_u64)
        });
        let value = large.clone();
        let stores = async {
            for n in 0..3 {
                let value = value.clone();
                guard.bytes(format!("large{n}"), async move |_| Ok(value)).await.unwrap();
            }
        };
        let (answer, ()) = tokio::join!(slow.into_future(), stores);
        assert!(matches!(answer.unwrap().provenance, Provenance::Recomputed { stored: Stored::Yes, .. }));
        assert_eq!(guard.metrics().lost_leases, 0);
    });
}
