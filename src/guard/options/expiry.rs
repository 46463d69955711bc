//! How long values live.

use std::time::Duration;

use super::bounds::{OptionsError, check_life};

/// How long a value is fresh, and how long it is kept.
///
/// Between the two it is stale: good enough to answer with while somebody refreshes it. A value that Redis has dropped
/// cannot be served at all, so keep it as long as an old answer is better than a slow one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expiry {
    /// Soft deadline: how long a value is fresh, counted from when its fill *began*.
    pub soft: Duration,
    /// Hard expiry: how long Redis keeps it (`PX`), counted from when it was stored. At least `soft`.
    pub hard: Duration,
    /// Shortens both, for each value anew, by up to this share. So values that were stored together do not expire
    /// together. It does nothing for readers of *one* key: that is what the lock is for.
    pub jitter: f64,
}

impl Default for Expiry {
    /// Fresh for five minutes, kept for an hour, a tenth of jitter.
    fn default() -> Self {
        Self { soft: Duration::from_mins(5), hard: Duration::from_hours(1), jitter: 0.1 }
    }
}

impl Expiry {
    /// The two lives of a new value, jittered by `chance` (from 0 to 1).
    pub(in crate::guard) fn draw(&self, chance: f64) -> (Duration, Duration) {
        let share = 1.0 - self.jitter * chance;
        // Whole milliseconds, as the server counts them; never none at all.
        let shorten = |life: Duration| {
            let millis = (life.as_secs_f64() * 1000.0 * share).round().max(1.0);
            Duration::from_millis(millis as u64)
        };
        (shorten(self.soft), shorten(self.hard))
    }

    pub(super) fn check(&self) -> Result<(), OptionsError> {
        check_life("expiry.soft", self.soft)?;
        check_life("expiry.hard", self.hard)?;
        if self.hard < self.soft {
            let expected = format!("at least expiry.soft ({:?})", self.soft);
            return Err(OptionsError::new("expiry.hard", self.hard, &expected));
        }
        if !(0.0..=0.9).contains(&self.jitter) {
            return Err(OptionsError::new("expiry.jitter", self.jitter, "a share from 0 to 0.9"));
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
        fn jitter_only_shortens_and_keeps_the_order(
            soft in 1u64..10_000_000, more in 0u64..10_000_000, jitter in 0.0..=0.9f64, chance in 0.0..1.0f64,
        ) {
            let (soft, hard) = (Duration::from_millis(soft), Duration::from_millis(soft + more));
            let expiry = Expiry { soft, hard, jitter };
            prop_assert!(expiry.check().is_ok());
            let (fresh, kept) = expiry.draw(chance);
            prop_assert!(fresh <= soft && kept <= hard && fresh <= kept);
            prop_assert!(fresh.as_millis() >= 1);
            prop_assert!(kept.as_secs_f64() >= hard.as_secs_f64() * (1.0 - jitter) - 0.001);
        }
    }
}
