//! All choices together, and three ready sets of them.

use std::time::Duration;

use super::bounds::OptionsError;
use super::{Expiry, Fallback, Lease, Losers, Negative, Refresh, Term};

/// How a call behaves. Each part stands for one of the guard's decisions; three presets set them all:
///
/// | | [`minimal`](Self::minimal) | [`balanced`](Self::balanced) (default) | [`resilient`](Self::resilient) |
/// |---|---|---|---|
/// | lock with token and lease, checked release | yes | yes | yes |
/// | look again after winning, checked fill, singleflight | yes | yes | yes |
/// | stale values while one refreshes | no | yes | yes |
/// | refresh in the background | no | yes | yes |
/// | stale value when the source or Redis fails | no | yes | yes |
/// | early refresh (`XFetch`) | no | no | β = 1 |
/// | lease | 5 s | 5 s | from measured fills, 1 s to 10 s |
/// | "not found" remembered | no | 5 s | 5 s |
/// | failures remembered | no | 1 s | 1 s |
/// | fallback without lock | never | when Redis is down | when Redis is down or waiting was in vain |
/// | reads of one key coalesced | no | no | yes |
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a protection of its own that can be switched off")]
pub struct Options {
    /// How long values live.
    pub expiry: Expiry,
    /// How long the right to fill lasts, and what prolongs it.
    pub lease: Lease,
    /// What callers get while somebody else is computing.
    pub losers: Losers,
    /// What is remembered that is no value.
    pub negative: Negative,
    /// How stale values become younger.
    pub refresh: Refresh,
    /// Look at the value again after taking the lock. Without it whoever misses, loses time and then takes the lock
    /// recomputes what somebody else has just stored. Costs nothing: it is one script with the claim.
    pub recheck: bool,
    /// Store a fill's result only if the entry is still the one the fill began from. Without it a fill that began
    /// before an invalidation stores the old value after it, and a late fill overwrites a newer one.
    pub checked_fill: bool,
    /// Callers of one key in one process share one load. Without it each of them tries the lock.
    pub singleflight: bool,
    /// Callers of one key in one process share `GET`s too: nobody is answered by one that was sent before they asked.
    /// Fewer commands for a hot key at the price of a little bookkeeping for each read.
    pub coalesce_reads: bool,
}

impl Options {
    /// A lock, a token, a lease, and nothing that ever serves an old value.
    pub fn minimal() -> Self {
        Self {
            losers: Losers { serve_stale: false, fallback: Fallback::Never, ..Losers::default() },
            negative: Negative { not_found: None, failure: None },
            refresh: Refresh { background: false, on_failure: false, early: None },
            ..Self::balanced()
        }
    }

    /// What most services want.
    pub fn balanced() -> Self {
        Self {
            expiry: Expiry::default(),
            lease: Lease::default(),
            losers: Losers::default(),
            negative: Negative::default(),
            refresh: Refresh::default(),
            recheck: true,
            checked_fill: true,
            singleflight: true,
            coalesce_reads: false,
        }
    }

    /// Answers as often as can be, with old values where it must.
    pub fn resilient() -> Self {
        let term = Term::Measured {
            initial: Duration::from_secs(5),
            least: Duration::from_secs(1),
            most: Duration::from_secs(10),
            margin: 2.0,
        };
        Self {
            lease: Lease { term, ..Lease::default() },
            losers: Losers { fallback: Fallback::WhenWaitedInVain, ..Losers::default() },
            refresh: Refresh { early: Some(1.0), ..Refresh::default() },
            coalesce_reads: true,
            ..Self::balanced()
        }
    }

    /// # Errors
    /// When a value makes no sense, with its name and what was expected.
    pub fn check(&self) -> Result<(), OptionsError> {
        self.expiry.check()?;
        self.lease.check()?;
        self.losers.check()?;
        self.negative.check()?;
        self.refresh.check()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::balanced()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_make_sense() {
        for preset in [Options::minimal(), Options::balanced(), Options::resilient()] {
            assert_eq!(preset.check(), Ok(()));
        }
    }

    #[test]
    fn no_wait_is_without_an_end() {
        let mut options = Options::default();
        options.losers.wait = Duration::MAX;
        assert!(options.check().unwrap_err().to_string().contains("losers.wait"));
        let mut options = Options::default();
        options.lease.max_hold = Duration::MAX;
        assert!(options.check().is_err());
        options = Options::default();
        options.lease.term = Term::Fixed(Duration::ZERO);
        assert!(options.check().is_err());
    }

    #[test]
    fn a_mistake_is_named_with_what_was_expected() {
        let mut options = Options::default();
        options.expiry.jitter = 1.5;
        assert_eq!(
            options.check().unwrap_err().to_string(),
            "expiry.jitter is 1.5; expected a share from 0 to 0.9"
        );
    }
}
