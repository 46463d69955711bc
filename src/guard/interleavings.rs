//! Threads that meet in every order: thousands of interleavings of what the guard's callers share.
//!
//! `RUSTFLAGS="--cfg shuttle" cargo test --lib --no-default-features interleavings`. An order that fails is printed, and
//! `shuttle::replay` runs it again.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use shuttle::future::block_on;
use shuttle::thread;

use super::flight::{Errand, Flights, Joined, Landing, Reads};
use super::metrics::Metrics;
use super::options::Options;
use super::sync::atomic::{AtomicUsize, Ordering};
use super::wire::{Breaker, BreakerOptions};

/// Random orders, and orders with few changes of thread at the worst places (*PCT*, Burckhardt et al., 2010).
fn in_every_order(body: impl Fn() + Send + Sync + Clone + 'static) {
    shuttle::check_random(body.clone(), 10_000);
    shuttle::check_pct(body, 10_000, 3);
}

fn all(threads: Vec<thread::JoinHandle<()>>) {
    for thread in threads {
        thread.join().expect("it ends well");
    }
}

const REST: Duration = Duration::from_secs(10);

#[test]
fn a_breaker_lets_one_command_look_and_ends_as_the_server_is() {
    in_every_order(|| {
        let breaker = Arc::new(Breaker::new(BreakerOptions { failures: 2, rest: REST }));
        for _ in 0..2 {
            breaker.pass(|| Duration::ZERO).expect("closed").failed(Duration::ZERO);
        }
        let looking = Arc::new(AtomicUsize::new(0));
        let threads = (0..3).map(|n| {
            let (breaker, looking) = (Arc::clone(&breaker), Arc::clone(&looking));
            thread::spawn(move || {
                let Some(pass) = breaker.pass(|| REST) else { return };
                // Only the answer to the one that looks can close it.
                if breaker.is_open() {
                    assert_eq!(looking.fetch_add(1, Ordering::SeqCst), 0, "two look at once");
                    looking.fetch_sub(1, Ordering::SeqCst);
                }
                match n {
                    // Its caller goes away.
                    0 => drop(pass),
                    _ => pass.succeeded(),
                }
            })
        });
        all(threads.collect());
        // However they met, the way is free for one who looks, and after that for all.
        if let Some(pass) = breaker.pass(|| REST) {
            pass.succeeded();
        }
        assert!(!breaker.is_open());
        assert!(breaker.pass(|| REST).is_some() && breaker.pass(|| REST).is_some());
    });
}

#[test]
fn failures_in_a_row_are_counted_whoever_has_them() {
    in_every_order(|| {
        let breaker = Arc::new(Breaker::new(BreakerOptions { failures: 3, rest: REST }));
        let threads = (0..3).map(|_| {
            let breaker = Arc::clone(&breaker);
            thread::spawn(move || {
                breaker.pass(|| Duration::ZERO).map(|pass| pass.failed(Duration::ZERO));
            })
        });
        all(threads.collect());
        assert!(breaker.is_open() && breaker.pass(|| Duration::from_secs(9)).is_none());
    });
}

#[test]
fn every_caller_of_a_load_hears_of_its_end_or_has_left() {
    in_every_order(|| {
        let flights = Arc::<Flights>::default();
        let options = Arc::<Options>::default();
        let loads = Arc::new(AtomicUsize::new(0));
        let threads = (0..3).map(|n| {
            let (flights, options, loads) = (Arc::clone(&flights), Arc::clone(&options), Arc::clone(&loads));
            thread::spawn(move || {
                let key = (Bytes::from_static(b"k"), TypeId::of::<u8>());
                let seat = match flights.join(key, Errand::Need, &options, true) {
                    Joined::Another(seat) => seat,
                    Joined::First(seat, pilot) => {
                        loads.fetch_add(1, Ordering::SeqCst);
                        thread::spawn(move || {
                            thread::yield_now();
                            block_on(async {
                                // It has nothing to wait for, but may find that it was left alone.
                                if pilot.left_alone().now_or_never().is_none() {
                                    pilot.close();
                                    pilot.land(Landing::Vain);
                                }
                            });
                        });
                        seat
                    }
                };
                // One leaves at once; the others wait to the end.
                if n > 0 {
                    let landing = block_on(seat.landing());
                    assert!(matches!(landing, Landing::Vain), "a load with somebody in it was left alone");
                }
            })
        });
        all(threads.collect());
        assert!((1..=3).contains(&loads.load(Ordering::SeqCst)));
        let key = (Bytes::from_static(b"k"), TypeId::of::<u8>());
        assert!(!flights.is_under_way(&key, Errand::Need), "nothing stays behind");
    });
}

#[test]
fn whoever_comes_after_a_load_was_closed_is_in_another() {
    in_every_order(|| {
        let flights = Arc::<Flights>::default();
        let options = Arc::<Options>::default();
        let key = (Bytes::from_static(b"k"), TypeId::of::<u8>());
        let Joined::First(seat, pilot) = flights.join(key.clone(), Errand::Need, &options, true) else {
            panic!("nobody was there")
        };
        let closing = {
            let flights = Arc::clone(&flights);
            thread::spawn(move || {
                // An invalidation, and then somebody who asks.
                flights.close(&Bytes::from_static(b"k"));
                let late = flights.join(key, Errand::Need, &options, true);
                assert!(matches!(late, Joined::First(..)));
            })
        };
        let landing = thread::spawn(move || pilot.land(Landing::Vain));
        assert!(matches!(block_on(seat.landing()), Landing::Vain));
        all(vec![closing, landing]);
    });
}

#[test]
fn every_reader_is_answered_by_a_question_from_after_it_came() {
    in_every_order(|| {
        let reads = Reads::default();
        let (clock, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let threads = (0..3).map(|n| {
            let (reads, clock, asked) = (reads.clone(), Arc::clone(&clock), Arc::clone(&asked));
            thread::spawn(move || {
                let came = clock.fetch_add(1, Ordering::SeqCst);
                let key = Bytes::from_static(b"k");
                let read = reads.read(&key, || {
                    let (clock, asked) = (Arc::clone(&clock), Arc::clone(&asked));
                    async move {
                        let sent = clock.fetch_add(1, Ordering::SeqCst);
                        asked.fetch_add(1, Ordering::SeqCst);
                        thread::yield_now();
                        Ok(Some(super::entry::Entry::claim(sent as u128, Duration::ZERO)))
                    }
                });
                if n == 0 {
                    // It looks once and leaves.
                    let _ = read.now_or_never();
                    return;
                }
                let (answer, _) = block_on(read);
                let sent = answer.ok().flatten().expect("answered").id;
                assert!(sent > came as u128, "came at {came}, asked at {sent}");
            })
        });
        all(threads.collect());
        assert!(asked.load(Ordering::SeqCst) <= 3);
        assert!(reads.is_idle(), "nothing stays behind");
    });
}

#[test]
fn counters_lose_nothing() {
    in_every_order(|| {
        let metrics = Arc::new(Metrics::new());
        let threads = (0..3).map(|_| {
            let metrics = Arc::clone(&metrics);
            thread::spawn(move || {
                let _one_more = metrics.filling.enter();
                metrics.fills.add(1);
                metrics.fill_time.record(Duration::from_millis(3));
            })
        });
        all(threads.collect());
        let snapshot = metrics.snapshot();
        assert_eq!((snapshot.fills, snapshot.fill_time.count(), snapshot.filling), (3, 3, 0));
        assert!((1..=3).contains(&snapshot.filling_at_most));
    });
}
