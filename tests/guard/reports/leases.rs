//! Locks and leases: whose they are, how long, and what a lost one costs.

use std::time::Duration;

use stampede::guard::{Error, Lease, Options, Provenance, Renewal, SCRIPTS, Stored, Term};
use stampede::lab::{Harm, Port, Span, WorkerId};

use crate::redis::Redis;
use crate::scene::{self, KEY, LOCK, Scene, changes, guard, ran, ran_script, rest, takes};
use crate::support::{Gate, block_on, ms, until};

const A: WorkerId = WorkerId(0);
const RELEASE: &str = SCRIPTS[0];
const EXTEND: &str = SCRIPTS[1];
const PROLONG: &str = SCRIPTS[3];

#[test]
fn a_slow_leader_leaves_the_next_one_s_lock_alone() {
    let scene = Scene::new()
        .enters(ms(0), async |port| {
            let guard = guard(&port, |options| options.lease.renewal = Renewal::Never);
            let fill = port.clone();
            let answer = guard.get_or_recompute(KEY, move || takes(&fill, ms(1_200), 1)).await.unwrap();
            assert_eq!(answer.value, 1, "refusing a release takes nobody's value away");
            rest(&port, ms(10)).await;
            let metrics = guard.metrics();
            assert_eq!((metrics.refused_releases, metrics.lost_leases), (1, 1));
        })
        .enters(ms(10), async |port| {
            let guard = guard(&port, |options| options.losers.wait = ms(5_000));
            let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(600), 2)).await.unwrap();
            assert!(matches!(answer.provenance, Provenance::Recomputed { stored: Stored::Yes, .. }));
            assert_eq!((answer.value, guard.metrics().refused_releases), (2, 0));
        });
    let events = scene.play();
    let releases = ran_script(&events, RELEASE);
    let [(0, refused), (1, _)] = *releases.as_slice() else { panic!("{releases:?}") };
    let held = changes(&events, LOCK);
    assert!(held.iter().all(|(at, _)| *at != refused), "the slow one's release changes nothing: {held:?}");
}

/// The fill ends at every millisecond around the moment when a renewal is due.
#[test]
fn no_renewal_follows_a_release() {
    for ends in 325..345 {
        for pause in [0, 1, 40] {
            let mut scene = Scene::new().enters(ms(0), move |port: Port| async move {
                let guard = guard(&port, |options| options.lease.renewal = Renewal::WhileRunning);
                let fill = port.clone();
                guard.get_or_recompute(KEY, move || takes(&fill, ms(ends), 1)).await.unwrap();
                rest(&port, Duration::from_secs(10)).await;
            });
            if pause > 0 {
                scene = scene.with(Harm::Pause(A, Span::from_millis(pause)), "at 333ms");
            }
            let events = scene.play();
            let released = ran_script(&events, RELEASE);
            assert_eq!(released.len(), 1);
            for renewal in [ran_script(&events, EXTEND), ran_script(&events, PROLONG)].concat() {
                assert!(renewal.1 < released[0].1, "{renewal:?} after the release {released:?}, {ends} ms");
            }
        }
    }
}

#[test]
fn a_fill_that_hangs_holds_its_key_for_as_long_as_one_may() {
    let scene = Scene::new()
        .enters(ms(0), async |port| {
            let guard = guard(&port, |options| {
                options.lease.renewal = Renewal::WhileRunning;
                options.lease.max_hold = ms(3_000);
            });
            let hung = guard.get_or_recompute(KEY, std::future::pending::<Result<u64, _>>).await;
            assert!(matches!(hung, Err(Error::Overran(limit)) if limit == ms(3_000)));
            assert!((1..=9).contains(&guard.metrics().extensions), "{}", guard.metrics().extensions);
        })
        .enters(ms(10), async |port| {
            let guard = guard(&port, |options| options.losers.wait = ms(10_000));
            let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(1), 2)).await.unwrap();
            assert!(matches!(answer.provenance, Provenance::Recomputed { .. }), "the next one leads");
        });
    let events = scene.play();
    let mut taken = changes(&events, LOCK).into_iter().filter(|(_, after)| after.is_some());
    let next = taken.next_back().expect("it was taken").0;
    assert!((ms(2_990)..ms(3_080)).contains(&next), "taken again at {next:?}");
}

/// Renewals are due at 333 ms, and again soon after each that fails; the lease would end at 1,000 ms.
#[test]
fn a_renewal_that_fails_is_tried_again_until_the_lease_ends() {
    for (down, survives) in [(100, true), (500, true), (640, true), (900, false), (3_000, false)] {
        let scene = Scene::new().enters(ms(0), move |port: Port| async move {
            let guard = guard(&port, |options| options.lease.renewal = Renewal::WhileRunning);
            let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(1_300), 1)).await.unwrap();
            assert_eq!(answer.value, 1);
            let metrics = guard.metrics();
            assert_eq!(metrics.lost_leases, u64::from(!survives), "after {down} ms");
            assert_eq!(metrics.extensions > 0, survives);
        });
        scene.with(Harm::RedisDown(Span::from_millis(down)), "at 320ms").play();
    }
}

#[test]
fn whoever_lost_the_lease_stores_nothing_over_a_newer_value() {
    let scene = Scene::new()
        .enters(ms(0), async |port| {
            let guard = guard(&port, |options| options.lease.renewal = Renewal::Never);
            let fill = port.clone();
            let call = guard.get_or_recompute_with(KEY, async move |context| {
                context.lease_lost().await;
                rest(&fill, ms(500)).await;
                Ok(1_u64)
            });
            let answer = call.await.unwrap();
            assert!(matches!(answer.provenance, Provenance::Recomputed { stored: Stored::Refused, .. }));
            assert_eq!(guard.metrics().stores_refused, 1);
        })
        .enters(ms(10), async |port| {
            let guard = guard(&port, |options| options.losers.wait = ms(5_000));
            let fill = port.clone();
            guard.get_or_recompute(KEY, move || takes(&fill, ms(100), 2)).await.unwrap();
            rest(&port, ms(5_000)).await;
            let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(1), 3)).await.unwrap();
            assert_eq!(answer.value, 2, "the newer one stays");
        });
    scene.play();
}

#[test]
fn an_attempt_whose_answer_is_lost_is_one_s_own_when_the_server_says_so() {
    for harm in [Harm::LoseReply(A), Harm::DropConnection(A)] {
        for when in ["before SET 1", "executed SET 1"] {
            let scene = Scene::new().enters(ms(0), move |port: Port| async move {
                let guard = guard(&port, |_| ());
                let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(10), 1)).await.unwrap();
                assert!(matches!(answer.provenance, Provenance::Recomputed { stored: Stored::Yes, .. }));
                let metrics = guard.metrics();
                assert_eq!((metrics.attempts, metrics.acquisitions, metrics.fills), (1, 1, 1));
                assert!(metrics.uncertain == 1 || matches!(when, "before SET 1"), "{metrics:?}");
            });
            let events = scene.with(harm.clone(), when).play();
            assert_eq!(changes(&events, LOCK).len(), 2, "taken once and given back");
        }
    }
}

/// The caller leaves while the command is on its way, while its answer is, and at every tenth of a millisecond between.
#[test]
fn who_leaves_before_the_answer_leaves_no_lock_behind() {
    for leaves in (0..60).map(|n| Duration::from_micros(n * 100)) {
        let scene = Scene::new().enters(ms(0), move |port: Port| async move {
            let guard = guard(&port, |_| ());
            let fill = port.clone();
            let call = guard.get_or_recompute(KEY, move || takes(&fill, ms(500), 1)).into_future();
            tokio::select! { biased;
                () = rest(&port, leaves) => {}
                _ = call => panic!("nothing is that fast"),
            }
        });
        let events = scene.play();
        for key in [LOCK, KEY] {
            let history = changes(&events, key);
            let Some(last) = history.last() else { continue };
            assert_eq!(last.1, None, "{key} stays behind after {leaves:?}: {history:?}");
            assert!(last.0 <= leaves + ms(5), "{key} was there until {:?}, left at {leaves:?}", last.0);
        }
    }
}

#[test]
fn a_lock_is_taken_by_one_command_and_has_an_end_from_the_first_moment() {
    let scene = Scene::new().enters(ms(0), async |port| {
        let guard = guard(&port, |_| ());
        guard.get_or_recompute(KEY, move || takes(&port, ms(10), 1)).await.unwrap();
    });
    let events = scene.play();
    assert_eq!(ran(&events, &["SET", LOCK]).len(), 1);
    assert_eq!(ran(&events, &["EXPIRE", LOCK]).len() + ran(&events, &["PEXPIRE", LOCK]).len(), 0);
    let endless = events.iter().any(|event| match &event.fact {
        stampede::lab::Fact::Executed { effects, .. } => {
            effects.iter().any(|change| change.after.as_ref().is_some_and(|entry| entry.deadline.is_none()))
        }
        _ => false,
    });
    assert!(!endless, "a key without an end");
}

/// There is no way to write a lease without an end; one that is meant to be without is refused.
#[test]
fn a_lease_without_an_end_is_refused() {
    for term in [Duration::ZERO, Duration::from_micros(10), Duration::MAX] {
        let options =
            Options { lease: Lease { term: Term::Fixed(term), ..Lease::default() }, ..Options::default() };
        assert!(options.check().is_err(), "{term:?}");
    }
    let options =
        Options { lease: Lease { max_hold: Duration::MAX, ..Lease::default() }, ..Options::default() };
    assert!(options.check().is_err());
}

#[test]
fn a_lock_that_is_evicted_costs_a_fill_and_no_value() {
    let Some(redis) = Redis::start() else { return };
    block_on(async {
        redis.ask::<()>(&["CONFIG", "SET", "maxmemory-policy", "allkeys-random"]).await;
        let connect = async || redis.client().get_multiplexed_async_connection().await.unwrap();
        let one = stampede::guard::Guard::builder(connect().await).build().unwrap();
        let two = stampede::guard::Guard::builder(connect().await).build().unwrap();
        let gate = Gate::new();
        let inside = gate.clone();
        let slow = one.get_or_recompute("k", async move || {
            inside.pass().await;
            Ok(1_u64)
        });
        let press = async {
            gate.reached().await;
            assert_eq!(redis.ask::<i64>(&["EXISTS", "lock:k", "k"]).await, 2, "the lock and the claim");
            redis.ask::<()>(&["CONFIG", "SET", "maxmemory", "1"]).await;
            // With so little memory every write first evicts what there is, and then fails.
            let _: redis::RedisResult<()> =
                redis::cmd("SET").arg("big").arg("value").exec_async(&mut connect().await).await;
            redis.ask::<()>(&["CONFIG", "SET", "maxmemory", "0"]).await;
            assert_eq!(redis.ask::<i64>(&["EXISTS", "lock:k", "k"]).await, 0, "evicted");
            let new = two.get_or_recompute("k", async || Ok(2_u64)).await.unwrap();
            gate.open();
            new
        };
        let (old, new) = tokio::join!(slow.into_future(), press);
        assert_eq!((old.unwrap().value, new.value), (1, 2));
        assert_eq!(one.get_or_recompute("k", async || Ok(3_u64)).await.unwrap().value, 2);
        assert_eq!(one.metrics().stores_refused, 1);
        until(async || one.metrics().refused_releases == 1).await;
    });
}

#[test]
fn a_lost_lease_is_heard_of_at_once_when_somebody_else_holds_it() {
    let scene = Scene::new()
        .enters(ms(0), async |port| {
            let guard = guard(&port, |options| options.lease.renewal = Renewal::WhileRunning);
            let fill = port.clone();
            let call = guard.get_or_recompute_with(KEY, async move |context| {
                context.lease_lost().await;
                assert!(context.is_lease_lost());
                Ok(scene::now(&fill))
            });
            let heard = call.await.unwrap().value;
            // Paused from 100 ms to 1,400 ms: the lease ended at 1,000.
            assert!((1_400..1_420).contains(&heard), "{heard}");
        })
        .enters(ms(1_050), async |port| {
            let guard = guard(&port, |_| ());
            guard.get_or_recompute(KEY, move || takes(&port, ms(1_000), 2)).await.unwrap();
        });
    scene.with(Harm::Pause(A, Span::from_millis(1_300)), "at 100ms").play();
}

#[test]
fn no_progress_no_renewal_and_the_fill_hears_of_it() {
    let scene = Scene::new().enters(ms(0), async |port| {
        let guard = guard(&port, |_| ());
        let fill = port.clone();
        let call = guard.get_or_recompute_with(KEY, async move |context| {
            for _ in 0..20 {
                context.progress();
                rest(&fill, ms(100)).await;
            }
            assert!(!context.is_lease_lost(), "prolonged while there was progress");
            context.lease_lost().await;
            Ok(scene::now(&fill))
        });
        let lost = call.await.unwrap().value;
        // The last report was at 1,900 ms: one or two renewals later the lease had its last second.
        assert!((2_900..3_400).contains(&lost), "{lost}");
        assert_eq!(guard.metrics().lost_leases, 1);
    });
    scene.play();
}

/// Where a fill can report nothing, the lease lives as long as it does.
#[test]
fn a_fill_without_reports_is_carried_when_that_is_wanted() {
    for (renewal, lost) in [(Renewal::WhileRunning, 0), (Renewal::WithProgress, 1), (Renewal::Never, 1)] {
        let scene = Scene::new().enters(ms(0), move |port: Port| async move {
            let guard = guard(&port, |options| options.lease.renewal = renewal);
            guard.get_or_recompute(KEY, move || takes(&port, ms(2_500), 1)).await.unwrap();
            assert_eq!(guard.metrics().lost_leases, lost, "{renewal:?}");
        });
        scene.play();
    }
}

/// It stands still between winning the lock and its fill, and its lease runs out meanwhile.
#[test]
fn a_fill_whose_lease_is_over_does_not_begin() {
    for when in ["after SET", "after TIME", "after EVALSHA"] {
        let scene = Scene::new()
            .enters(ms(0), async |port| {
                let guard = guard(&port, |options| options.losers.wait = ms(10_000));
                let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(1), 1)).await.unwrap();
                assert!(matches!(answer.provenance, Provenance::Waited { .. }), "{answer:?}");
                assert_eq!((guard.metrics().fills, guard.metrics().lost_leases), (0, 1));
            })
            .enters(ms(1_200), async |port| {
                let guard = guard(&port, |options| options.lease.renewal = Renewal::WhileRunning);
                let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(2_000), 2)).await.unwrap();
                assert_eq!(answer.value, 2);
            });
        scene.with(Harm::Pause(A, Span::from_millis(1_500)), when).play();
    }
}
