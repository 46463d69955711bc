//! A circuit breaker: after some failures in a row nobody asks Redis for a while, then one asks.
//!
//! The pattern is Michael Nygard's (*Release It!*). Here it spares every caller the wait for a server that is gone.

use std::sync::PoisonError;
use std::time::Duration;

use crate::guard::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, Ordering},
};

/// When the breaker opens, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerOptions {
    /// Failures in a row that open it.
    pub failures: u32,
    /// How long nobody asks after that; then one command is let through to see.
    pub rest: Duration,
}

impl Default for BreakerOptions {
    fn default() -> Self {
        Self { failures: 3, rest: Duration::from_secs(1) }
    }
}

pub(in crate::guard) struct Breaker {
    options: BreakerOptions,
    /// Nothing has failed lately: commands pass without taking the lock.
    calm: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    failures: u32,
    /// Set while it is open.
    until: Option<Duration>,
    /// One command is on its way to see whether the server is back.
    probing: bool,
}

/// Leave to send one command. Dropped without a word (its caller went away), it counts as neither.
pub(in crate::guard) struct Pass<'a> {
    breaker: &'a Breaker,
    probe: bool,
    settled: bool,
}

impl Breaker {
    pub(in crate::guard) fn new(options: BreakerOptions) -> Self {
        Self { options, calm: AtomicBool::new(true), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leave to send a command; `None` while it is open. The time is asked for only when it matters.
    pub(in crate::guard) fn pass(&self, now: impl FnOnce() -> Duration) -> Option<Pass<'_>> {
        let pass = |probe| Some(Pass { breaker: self, probe, settled: false });
        if self.calm.load(Ordering::Acquire) {
            return pass(false);
        }
        let mut state = self.state();
        match state.until {
            None => pass(false),
            Some(until) if state.probing || now() < until => None,
            Some(_) => {
                state.probing = true;
                pass(true)
            }
        }
    }

    pub(in crate::guard) fn is_open(&self) -> bool {
        !self.calm.load(Ordering::Acquire) && self.state().until.is_some()
    }
}

impl Pass<'_> {
    /// The server answered.
    pub(in crate::guard) fn succeeded(mut self) {
        self.settled = true;
        if self.breaker.calm.load(Ordering::Acquire) {
            return;
        }
        let mut state = self.breaker.state();
        // An answer to a question from before the failures says little about now.
        if state.until.is_none() || self.probe {
            *state = State::default();
            self.breaker.calm.store(true, Ordering::Release);
        }
    }

    /// The server did not answer, by `now`. True when this is what opened the breaker.
    pub(in crate::guard) fn failed(mut self, now: Duration) -> bool {
        self.settled = true;
        let mut state = self.breaker.state();
        self.breaker.calm.store(false, Ordering::Release);
        state.failures = state.failures.saturating_add(1);
        let opens = state.until.is_none() && state.failures >= self.breaker.options.failures;
        if opens || self.probe {
            state.until = Some(now.saturating_add(self.breaker.options.rest));
            state.probing = false;
        }
        opens
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.probe && !self.settled {
            self.breaker.state().probing = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn breaker() -> Breaker {
        Breaker::new(BreakerOptions { failures: 2, rest: secs(10) })
    }

    #[test]
    fn it_opens_after_failures_in_a_row_and_only_then() {
        let breaker = breaker();
        assert!(!breaker.pass(|| secs(0)).unwrap().failed(secs(0)));
        breaker.pass(|| secs(0)).unwrap().succeeded();
        assert!(!breaker.pass(|| secs(0)).unwrap().failed(secs(0)));
        assert!(!breaker.is_open());
        assert!(breaker.pass(|| secs(0)).unwrap().failed(secs(1)));
        assert!(breaker.is_open());
        assert!(breaker.pass(|| secs(10)).is_none());
    }

    #[test]
    fn after_its_rest_one_command_looks_and_decides() {
        let breaker = breaker();
        for _ in 0..2 {
            breaker.pass(|| secs(0)).unwrap().failed(secs(0));
        }
        let probe = breaker.pass(|| secs(10)).unwrap();
        assert!(breaker.pass(|| secs(10)).is_none(), "one is enough");
        probe.failed(secs(11));
        assert!(breaker.pass(|| secs(20)).is_none(), "it rests again");
        drop(breaker.pass(|| secs(21)).unwrap());
        breaker.pass(|| secs(21)).expect("a probe whose caller went away leaves the way free").succeeded();
        assert!(!breaker.is_open());
    }

    #[test]
    fn a_late_answer_does_not_close_it() {
        let breaker = breaker();
        let early = breaker.pass(|| secs(0)).unwrap();
        for _ in 0..2 {
            breaker.pass(|| secs(0)).unwrap().failed(secs(0));
        }
        early.succeeded();
        assert!(breaker.is_open());
    }
}
