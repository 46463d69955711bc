//! Ways out of a load: whichever it takes, the lock is given back, and a value that there is reaches its caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::future::join_all;
use stampede::guard::{Codec, CodecError, Error, Fill, NotFound, Provenance, Raw, SourceError, Stored};
use stampede::lab::{Harm, Port, WorkerId};

use crate::scene::{KEY, LOCK, Scene, changes, guard, rest, takes};
use crate::servers::server;
use crate::support::{self, ask, block_on, ms, until};

const A: WorkerId = WorkerId(0);

/// A format that cannot write what it is given.
#[derive(Clone)]
struct Mute;

impl Codec<Bytes> for Mute {
    fn encode(&self, _: &Bytes) -> Result<Bytes, CodecError> {
        Err(CodecError("it cannot be written".to_owned()))
    }

    fn decode(&self, bytes: Bytes) -> Result<Bytes, CodecError> {
        Ok(bytes)
    }
}

async fn value(_: Fill) -> Result<Bytes, SourceError> {
    Ok(Bytes::from_static(b"value"))
}

#[test]
fn every_way_out_gives_the_lock_back_and_the_value_to_its_caller() {
    let server = server();
    block_on(async {
        let guard = support::builder(&server).await.largest(1_000).build().unwrap();
        let large = async |_: Fill| Ok::<_, SourceError>(Bytes::from(vec![0; 1_001]));
        let uncached = async |fill: Fill| {
            fill.do_not_cache();
            value(fill).await
        };
        let failed = async |_: Fill| Err::<Bytes, SourceError>("no".into());
        let missing = async |_: Fill| Err::<Bytes, SourceError>(NotFound.into());
        let panics = async |_: Fill| -> Result<Bytes, SourceError> { panic!("oh no") };
        let at_once =
            |_: Fill| -> std::future::Ready<Result<Bytes, SourceError>> { panic!("before it began") };
        let hangs = |_: Fill| std::future::pending::<Result<Bytes, SourceError>>();
        let hurry = |options: &mut stampede::guard::Options| options.lease.max_hold = ms(50);
        let calls = [
            ("a value", guard.bytes("1", value).into_future()),
            ("a value that cannot be written", guard.with_codec("2", Mute, value).into_future()),
            ("a value that is too large", guard.bytes("3", large).into_future()),
            ("a value that is not to be stored", guard.bytes("4", uncached).into_future()),
            ("an error", guard.bytes("5", failed).into_future()),
            ("nothing", guard.bytes("6", missing).into_future()),
            ("a panic", guard.bytes("7", panics).into_future()),
            ("a panic before it began", guard.bytes("8", at_once).into_future()),
            ("no end", guard.with_codec("9", Raw, hangs).options(hurry).into_future()),
        ];
        let mut outcomes = Vec::new();
        for (name, call) in calls {
            let outcome = match call.await {
                Ok(answer) => {
                    let Provenance::Recomputed { stored, .. } = answer.provenance else { panic!("{name}") };
                    format!("{stored:?}")
                }
                Err(error) => format!("{error:?}").split(['(', ' ', '{']).next().unwrap_or("").to_owned(),
            };
            outcomes.push(outcome);
        }
        assert_eq!(
            outcomes,
            ["Yes", "Failed", "Failed", "Unwanted", "Source", "NotFound", "Panicked", "Panicked", "Overran"]
        );
        for n in 1..=9 {
            until(async || ask::<i64>(&server, &["EXISTS", &format!("lock:{n}")]).await == 0).await;
        }
        let metrics = guard.metrics();
        assert_eq!((metrics.acquisitions, metrics.refused_releases, metrics.stores_failed), (9, 0, 2));
    });
}

/// The store, the release, or both fail; every answer on the way is lost, or the connection with it.
#[test]
fn a_value_reaches_its_caller_whatever_goes_wrong_after_its_fill() {
    for harm in [Harm::LoseReply(A), Harm::DropConnection(A)] {
        // The claim, the store, the release.
        for nth in 1..=3 {
            for when in ["before", "executed"] {
                let scene = Scene::new().enters(ms(0), async |port| {
                    let guard = guard(&port, |_| ());
                    let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(20), 5)).await.unwrap();
                    assert_eq!(answer.value, 5);
                });
                let events = scene.with(harm.clone(), &format!("{when} EVALSHA {nth}")).play();
                let last = changes(&events, LOCK).pop().expect("it was taken");
                assert_eq!(last.1, None, "the lock is gone");
            }
        }
    }
    // Redis goes away during the fill and stays away.
    let scene = Scene::new().enters(ms(0), async |port| {
        let guard = guard(&port, |_| ());
        let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(300), 5)).await.unwrap();
        assert_eq!(answer.value, 5);
        assert!(matches!(answer.provenance, Provenance::Recomputed { stored: Stored::Failed, .. }));
    });
    scene.with(Harm::RedisDown(stampede::lab::Span::from_millis(20_000)), "at 100ms").play();
}

#[test]
fn ten_followers_of_a_panic_are_answered_by_one_more_fill() {
    let scene = Scene::new().enters(ms(0), async |port| {
        let guard = guard(&port, |_| ());
        let fill = port.clone();
        let first = guard.get_or_recompute(KEY, move || {
            let rest = rest(&fill, ms(50));
            async move {
                rest.await;
                panic!("oh no")
            }
        });
        let followers = async {
            rest(&port, ms(10)).await;
            join_all((0..10).map(|_| {
                let fill = port.clone();
                guard.get_or_recompute(KEY, move || takes(&fill, ms(50), 7)).into_future()
            }))
            .await
        };
        let (first, followers) = tokio::join!(first.into_future(), followers);
        assert!(matches!(first, Err::<stampede::guard::Answer<u64>, _>(Error::Panicked(_))), "{first:?}");
        assert!(followers.into_iter().all(|answer| answer.unwrap().value == 7));
        let metrics = guard.metrics();
        assert_eq!((metrics.fills_panicked, metrics.fills), (1, 1));
    });
    assert_eq!(changes(&scene.play(), LOCK).pop().expect("it was taken").1, None);
}

/// Load of version 1, invalidation, load of version 2; the second ends first. In one process and in two.
#[test]
fn a_load_from_before_an_invalidation_ends_after_the_one_from_after_it() {
    for processes in [1, 2] {
        let old = async |port: Port, guard: crate::scene::LabGuard| {
            let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(500), 1)).await.unwrap();
            assert_eq!(answer.value, 1, "whose fill it was gets what it computed");
            assert!(matches!(answer.provenance, Provenance::Recomputed { stored: Stored::Refused, .. }));
            assert_eq!(guard.metrics().stores_refused, 1);
        };
        let new = async |port: Port, guard: crate::scene::LabGuard| {
            guard.invalidate(KEY).await.unwrap();
            let fill = port.clone();
            let call = guard.get_or_recompute(KEY, move || takes(&fill, ms(100), 2));
            // The lock is the old load's until its lease ends or it is given back.
            let answer = call.options(|options| options.losers.wait = ms(5_000)).await.unwrap();
            assert_eq!(answer.value, 2);
            rest(&port, ms(2_000)).await;
            let last = guard.get_or_recompute(KEY, move || takes(&port, ms(1), 3)).await.unwrap();
            assert_eq!(last.value, 2, "what stays is what was read after the invalidation");
        };
        let scene = if processes == 1 {
            Scene::new().enters(ms(0), move |port: Port| async move {
                let guard = guard(&port, |options| options.lease.renewal = stampede::guard::Renewal::Never);
                let later = async {
                    rest(&port, ms(100)).await;
                    new(port.clone(), guard.clone()).await;
                };
                tokio::join!(old(port.clone(), guard.clone()), later);
            })
        } else {
            Scene::new()
                .enters(ms(0), move |port: Port| old(port.clone(), guard(&port, |_| ())))
                .enters(ms(100), move |port: Port| new(port.clone(), guard(&port, |_| ())))
        };
        scene.play();
    }
}

#[test]
fn calls_that_mean_something_else_share_nothing() {
    let server = server();
    block_on(async {
        let guard = support::guard(&server).await;
        let slow = |value: u64| {
            move || async move {
                support::pause(ms(60)).await;
                Ok(value)
            }
        };
        let one = guard.get_or_recompute("k", slow(1));
        let other = guard.get_or_recompute("k", slow(2)).options(|options| {
            options.losers.serve_stale = false;
            options.losers.wait = ms(2_000);
        });
        let text = guard.get_or_recompute("k", async || Ok("text".to_owned()));
        let (one, other, text) = tokio::join!(
            one.into_future(),
            other.into_future(),
            text.options(|o| o.losers.wait = ms(2_000)).into_future()
        );
        assert_eq!(guard.metrics().coalesced, 0, "three loads");
        assert!(one.is_ok() && other.is_ok());
        assert_eq!(text.unwrap().value, "text", "never a number");
    });
}

/// Two versions of a service during a deployment: what one writes the other cannot read, and neither waits in vain.
#[test]
fn a_value_that_a_waiter_cannot_read_is_no_answer_to_it() {
    let scene = Scene::new()
        .enters(ms(0), async |port| {
            let guard = guard(&port, |_| ());
            let answer = guard.get_or_recompute(KEY, move || takes(&port, ms(100), 1)).await.unwrap();
            assert!(matches!(answer.provenance, Provenance::Recomputed { stored: Stored::Yes, .. }));
        })
        .enters(ms(10), async |port| {
            let guard = guard(&port, |_| ());
            let fill = rest(&port, ms(20));
            let answer = guard.get_or_recompute(KEY, move || async move {
                fill.await;
                Ok("two".to_owned())
            });
            let answer = answer.await.unwrap();
            assert!(
                matches!(answer.provenance, Provenance::Recomputed { stored: Stored::Yes, .. }),
                "{answer:?}"
            );
        });
    scene.play();
}

/// The memory of a failure outlives its own entry on the server for a moment, while it is no longer fresh; what happens
/// then is remembered anew.
#[test]
fn a_source_that_fails_again_and_again_is_left_alone_each_time() {
    let calls = Arc::new(AtomicUsize::new(0));
    let source = Arc::clone(&calls);
    let scene = Scene::new().enters(ms(0), move |port: Port| {
        let source = Arc::clone(&source);
        async move {
            let guard = guard(&port, |_| ());
            for _ in 0..2_000 {
                let source = Arc::clone(&source);
                let fill = async move || {
                    source.fetch_add(1, Ordering::SeqCst);
                    Err::<u64, SourceError>("no".into())
                };
                match guard.get_or_recompute(KEY, fill).await {
                    Err(Error::Source(_) | Error::FailedLately { .. }) => {}
                    other => panic!("{other:?}"),
                }
                rest(&port, ms(3)).await;
            }
        }
    });
    let events = scene.play();
    let lasted = events.last().expect("it was played").at.as_micros() / 1_000_000;
    let calls = calls.load(Ordering::SeqCst) as u64;
    assert!(calls <= lasted + 1, "{calls} calls in {lasted} s: failures are remembered for a second");
}

/// A stale value of another form, whose refresh has failed: the source is left alone for those who cannot read it too.
#[test]
fn a_postponed_refresh_is_a_failure_and_not_contention() {
    let scene = Scene::new().enters(ms(0), async |port| {
        let guard = guard(&port, |_| ());
        guard.get_or_recompute(KEY, move || takes(&port, ms(1), 1)).await.unwrap();
        let fails = || async { Err::<String, SourceError>("no".into()) };
        assert!(matches!(guard.get_or_recompute(KEY, fails).await, Err(Error::Source(_))));
        for _ in 0..3 {
            let again = guard.get_or_recompute(KEY, fails).await;
            assert!(matches!(again, Err(Error::FailedLately { .. })), "{again:?}");
        }
    });
    scene.play();
}
