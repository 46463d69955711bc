//! What callers get who need a value that somebody else is computing: the decision that matters most.

use std::time::Duration;

use super::bounds::{OptionsError, check_hold};

/// What a caller does that did not get the lock. It goes down this list until it has an answer:
///
/// 1. a stale value, at once, if there is one and `serve_stale` allows it;
/// 2. waiting for somebody else's fill, for `wait` at most, holding no connection meanwhile;
/// 3. a fill of its own without the lock, if `fallback` allows it and the source has a permit to spare;
/// 4. the value that the call names for this case ([`Request::or`](crate::guard::Request::or));
/// 5. [`Error::Contended`](crate::guard::Error::Contended) with `retry_after`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losers {
    /// Answer with a value past its soft deadline while somebody refreshes it. Not for what must be exact: stock,
    /// permissions, payments.
    pub serve_stale: bool,
    /// How long to wait for somebody else's fill, and for a permit of the source. The caller whose own load it is
    /// waits longer: until its fill ends, or is ended by `max_hold`.
    pub wait: Duration,
    /// How often to look meanwhile.
    pub poll: Poll,
    /// Whether to compute without the lock in the end.
    pub fallback: Fallback,
    /// What a caller is told who has to come again.
    pub retry_after: Duration,
}

/// How often a waiting process looks for the value (one for all its callers).
///
/// The pause is a share of the time waited so far, so that the answer is late by at most that share of the fill,
/// however long it takes; a random half of it is left out, so that processes do not look in lockstep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poll {
    /// The shortest pause, before its random half is left out.
    pub least: Duration,
    /// The longest one; also how soon the lock is tried again in an empty place, or for a refresh that somebody else is at.
    pub most: Duration,
    /// The pause as a share of the time waited so far, from 0 to 1.
    pub share: f64,
}

/// When a caller may compute a value without the lock. The guard's permits for the source bound how many do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// Never: a caller is told to come again.
    Never,
    /// When Redis does not answer.
    WhenRedisIsDown,
    /// Also when somebody else's fill did not end within `wait`.
    WhenWaitedInVain,
}

impl Default for Losers {
    fn default() -> Self {
        Self {
            serve_stale: true,
            wait: Duration::from_millis(500),
            poll: Poll::default(),
            fallback: Fallback::WhenRedisIsDown,
            retry_after: Duration::from_secs(1),
        }
    }
}

impl Default for Poll {
    /// From 4 ms on, a tenth of the time waited, 50 ms at most.
    fn default() -> Self {
        Self { least: Duration::from_millis(4), most: Duration::from_millis(50), share: 0.1 }
    }
}

impl Poll {
    /// The pause after having waited for `waited`, by `chance` (from 0 to 1).
    pub(in crate::guard) fn pause(&self, waited: Duration, chance: f64) -> Duration {
        waited.mul_f64(self.share).clamp(self.least, self.most).mul_f64(0.5 + chance / 2.0)
    }
}

impl Losers {
    pub(super) fn check(&self) -> Result<(), OptionsError> {
        check_hold("losers.wait", self.wait)?;
        check_hold("losers.poll.least", self.poll.least)?;
        check_hold("losers.poll.most", self.poll.most)?;
        if self.poll.least > self.poll.most {
            return Err(OptionsError::new("losers.poll.least", self.poll.least, "at most losers.poll.most"));
        }
        if !(0.0..=1.0).contains(&self.poll.share) {
            return Err(OptionsError::new("losers.poll.share", self.poll.share, "a share from 0 to 1"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_pause_is_within_its_bounds(waited in 0u64..10_000, chance in 0.0..1.0f64) {
            let poll = Poll::default();
            let pause = poll.pause(Duration::from_millis(waited), chance);
            prop_assert!(pause >= poll.least / 2 && pause <= poll.most);
            prop_assert!(pause <= (Duration::from_millis(waited) / 10).max(poll.least));
        }
    }
}
