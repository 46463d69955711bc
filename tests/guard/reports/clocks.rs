//! Clocks: application servers need not agree on the time.

use std::future::Future;
use std::time::Duration;

use stampede::clock::Runtime;
use stampede::guard::{Guard, Provenance};
use stampede::lab::{LabRuntime, Port};

use crate::scene::{KEY, Scene, now, rest, takes};
use crate::support::ms;

/// The lab's runtime with a clock that shows another time.
#[derive(Clone)]
struct Skewed {
    inner: LabRuntime,
    ahead: Duration,
}

impl Runtime for Skewed {
    fn now(&self) -> Duration {
        self.inner.now() + self.ahead
    }

    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send + 'static {
        self.inner.sleep(time)
    }

    fn alarm(&self, time: Duration) -> impl Future<Output = ()> + Send + 'static {
        self.inner.alarm(time)
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.inner.spawn(task);
    }

    fn random(&self) -> u128 {
        self.inner.random()
    }
}

fn skewed(port: &Port, ahead: Duration) -> Guard<stampede::lab::LabConnection, Skewed> {
    let mut options = stampede::guard::Options::default();
    options.expiry.soft = ms(5_000);
    options.expiry.jitter = 0.0;
    let runtime = Skewed { inner: port.runtime(), ahead };
    let guard = Guard::builder(port.connection()).runtime(runtime).options(options);
    guard.native_release(false).build().expect("options that make sense")
}

/// Four servers whose clocks are up to a minute apart call a value stale in the same millisecond.
#[test]
fn servers_whose_clocks_are_a_minute_apart_agree_on_what_is_stale() {
    let ahead = [0, 30_000, 60_000, 29_999].map(ms);
    let mut scene = Scene::new().enters(ms(0), move |port: Port| async move {
        let guard = skewed(&port, ahead[1]);
        guard.get_or_recompute(KEY, move || takes(&port, ms(100), 1)).await.unwrap();
    });
    for ahead in ahead {
        scene = scene.enters(ms(500), move |port: Port| async move {
            let guard = skewed(&port, ahead);
            // The fill began when a look, an attempt and two questions, one round trip each, were over.
            for look in [1_000, 4_990, 5_015] {
                rest(&port, ms(look - now(&port))).await;
                let fill = port.clone();
                let answer = guard.get_or_recompute(KEY, move || takes(&fill, ms(1), 2)).await.unwrap();
                let stale = matches!(answer.provenance, Provenance::Stale { .. });
                assert_eq!(stale, look > 5_000, "{answer:?} at {look} ms");
            }
        });
    }
    scene.play();
}

/// The server's clock is asked for again now and then, by one command for many reads.
#[test]
fn a_read_costs_one_command_and_the_clock_one_in_half_a_minute() {
    let scene = Scene::new().enters(ms(0), async |port| {
        let guard = skewed(&port, ms(0));
        for _ in 0..120 {
            let fill = port.clone();
            let call = guard.get_or_recompute(KEY, move || takes(&fill, ms(1), 1));
            call.options(|options| options.expiry.soft = Duration::from_mins(10)).await.unwrap();
            rest(&port, ms(1_000)).await;
        }
    });
    let events = scene.play();
    let asked = crate::scene::ran(&events, &["TIME"]).len();
    assert!((3..=5).contains(&asked), "{asked} in two minutes");
    assert_eq!(crate::scene::ran(&events, &["GET", KEY]).len(), 120);
}
