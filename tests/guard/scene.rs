//! Small scenes in the lab: a few processes with guards of their own, in virtual time, over real commands.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use stampede::guard::{Guard, Options, SCRIPTS, SourceError};
use stampede::lab::{
    Event, Fact, Fault, Harm, LabConnection, LabRuntime, LabTime, Member, Native, Port, Program, Setup,
};

use crate::servers;
use crate::support::ms;

/// The only key of these scenes, and its lock.
pub(crate) const KEY: &str = "product:123";
pub(crate) const LOCK: &str = "lock:product:123";

pub(crate) type LabGuard = Guard<LabConnection, LabRuntime>;

/// A guard of a process of the lab, with leases of one second and no jitter.
pub(crate) fn guard(port: &Port, change: impl FnOnce(&mut Options)) -> LabGuard {
    let mut options = Options::default();
    options.lease.term = stampede::guard::Term::Fixed(ms(1_000));
    options.expiry.jitter = 0.0;
    change(&mut options);
    let guard = Guard::builder(port.connection()).runtime(port.runtime()).options(options);
    guard.native_release(false).build().expect("options that make sense")
}

/// A source that takes `time` of the lab's.
pub(crate) fn takes(
    port: &Port,
    time: Duration,
    value: u64,
) -> impl Future<Output = Result<u64, SourceError>> + Send + 'static + use<> {
    let slept = rest(port, time);
    async move {
        slept.await;
        Ok(value)
    }
}

pub(crate) fn rest(port: &Port, time: Duration) -> impl Future<Output = ()> + Send + 'static + use<> {
    let runtime = port.runtime();
    async move { stampede::clock::Runtime::sleep(&runtime, time).await }
}

/// The lab's time in milliseconds.
pub(crate) fn now(port: &Port) -> u64 {
    u64::try_from(stampede::clock::Runtime::now(&port.runtime()).as_millis()).expect("soon")
}

pub(crate) struct Scene {
    setup: Setup,
    ended: Arc<AtomicUsize>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let setup = Setup { scripts: SCRIPTS.to_vec(), ..servers::setup(&[]) };
        Self { setup, ended: Arc::default() }
    }

    /// A process that starts `at` a time. Scenes name them A, B and so on, in this order.
    pub(crate) fn enters<F>(
        mut self,
        at: Duration,
        program: impl Fn(Port) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let ended = Arc::clone(&self.ended);
        let native = Native::new(move |port| {
            let (run, ended) = (program(port), Arc::clone(&ended));
            async move {
                run.await;
                ended.fetch_add(1, Ordering::SeqCst);
                None
            }
        });
        let arrives = LabTime::from_micros(u64::try_from(at.as_micros()).expect("soon"));
        let program = self.setup.programs.len();
        self.setup.programs.push(Program {
            name: "scene".to_owned(),
            source: String::new(),
            native: Some(native),
        });
        self.setup.cast.push(Member { program, arrives, ..Member::default() });
        self
    }

    /// Something goes wrong, at a moment such as `executed SET 1`.
    pub(crate) fn with(mut self, harm: Harm, when: &str) -> Self {
        self.setup.faults.push(Fault { harm, when: when.parse().expect("a moment") });
        self
    }

    /// Plays it to the end; all who did not crash have come to the end of their programs.
    pub(crate) fn play(self) -> Vec<Event> {
        let events = servers::run(self.setup, &servers::server());
        let crashed = events.iter().filter(|event| matches!(event.fact, Fact::Crashed)).count();
        let started = events.iter().filter(|event| matches!(event.fact, Fact::Arrived)).count();
        assert_eq!(self.ended.load(Ordering::SeqCst) + crashed, started, "everybody comes to an end");
        events
    }
}

/// When commands that begin with these words ran, and on whose behalf (A is 0).
pub(crate) fn ran(events: &[Event], words: &[&str]) -> Vec<(usize, Duration)> {
    let mut sent = std::collections::BTreeMap::new();
    let mut found = Vec::new();
    for event in events {
        match &event.fact {
            Fact::Sent { call, command } => {
                let begins = command.args().iter().zip(words).all(|(arg, word)| arg.as_str() == Some(word));
                sent.insert(*call, begins);
            }
            Fact::Executed { call, .. } if sent.get(call) == Some(&true) => {
                let worker = event.worker.expect("somebody sent it").index();
                found.push((worker, Duration::from_micros(event.at.as_micros())));
            }
            _ => {}
        }
    }
    found
}

/// When runs of a script took place.
pub(crate) fn ran_script(events: &[Event], text: &str) -> Vec<(usize, Duration)> {
    ran(events, &["EVALSHA", &sha1_smol::Sha1::from(text).digest().to_string()])
}

/// When a key came to hold something else, and what it is: none when it is gone.
pub(crate) fn changes(events: &[Event], key: &str) -> Vec<(Duration, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    for event in events {
        let at = Duration::from_micros(event.at.as_micros());
        match &event.fact {
            Fact::Executed { effects, .. } => {
                for change in effects.iter().filter(|change| change.key.as_str() == Some(key)) {
                    let after = change.after.as_ref().map(|entry| entry.value.as_slice().to_vec());
                    found.push((at, after));
                }
            }
            Fact::Expired { key: gone } if gone.as_str() == Some(key) => found.push((at, None)),
            _ => {}
        }
    }
    found
}
