//! The server's clock, known from here.
//!
//! How old a value is must not depend on whether the clocks of two application servers agree. So every age is told by
//! one clock, the Redis server's: this process asks for its `TIME` now and then, notes how far it is from a monotonic
//! clock of its own, and needs no further command to know it. The question is Cristian's (*Probabilistic clock
//! synchronization*, 1989): the error is at most half a round trip, plus what two clocks drift apart until the next
//! question (at 100 ppm 3 ms in 30 s).

use std::sync::PoisonError;
use std::time::Duration;

use redis::{Value, cmd};

use super::link::{Connection, Link, Trouble};
use crate::clock::Runtime;
use crate::guard::sync::Mutex;

/// How long one answer is trusted.
const TRUSTED: Duration = Duration::from_secs(30);

/// How long whoever asks anew has for it, before the next one is told to.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(in crate::guard) struct ServerClock(Mutex<Option<Reading>>);

/// What the two clocks showed at one moment.
#[derive(Clone, Copy, Debug)]
struct Reading {
    here: Duration,
    there: Duration,
    /// When somebody was last told to ask anew.
    asked: Duration,
}

/// What is known of the server's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard) enum Known {
    /// It has never been asked.
    No,
    Yes(Duration),
    /// Known, and whoever hears this is to ask again.
    Aged(Duration),
}

impl ServerClock {
    /// The server's time at `here`.
    pub(in crate::guard) fn at(&self, here: Duration) -> Known {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(reading) = reading.as_mut() else { return Known::No };
        let passed = here.saturating_sub(reading.here);
        let there = reading.there.saturating_add(passed);
        if passed < TRUSTED || here.saturating_sub(reading.asked) < PATIENCE {
            return Known::Yes(there);
        }
        reading.asked = here;
        Known::Aged(there)
    }

    /// The server's time at `here`, if it was ever asked.
    pub(in crate::guard) fn estimate(&self, here: Duration) -> Option<Duration> {
        let reading = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reading.map(|reading| reading.there.saturating_add(here.saturating_sub(reading.here)))
    }

    /// Asks the server, and tells its time now.
    pub(in crate::guard) async fn ask<C, R>(
        &self,
        link: &Link<C, R>,
        runtime: &R,
    ) -> Result<Duration, Trouble>
    where
        C: Connection,
        R: Runtime,
    {
        let sent = runtime.now();
        let answer = link.ask_twice(&cmd("TIME")).await;
        let heard = runtime.now();
        let there = unix_time(&answer?).unwrap_or_default() + heard.saturating_sub(sent) / 2;
        let reading = Reading { here: heard, there, asked: heard };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(reading);
        Ok(there)
    }
}

/// `TIME` answers with seconds and microseconds, as texts.
fn unix_time(value: &Value) -> Option<Duration> {
    let (seconds, micros): (u64, u64) = redis::from_redis_value_ref(value).ok()?;
    Some(Duration::from_secs(seconds).saturating_add(Duration::from_micros(micros)))
}
