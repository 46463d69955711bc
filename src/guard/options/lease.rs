//! How long the right to fill lasts.

use std::time::Duration;

use super::bounds::{OptionsError, check_hold};

/// The life of the lock, and what may prolong it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lease {
    /// How long it lasts without renewals.
    pub term: Term,
    /// What prolongs it.
    pub renewal: Renewal,
    /// The longest that one fill may run and hold the lock, renewals included. After that the fill is dropped, the lock
    /// released and whoever waits for it answered otherwise: a fill that hangs must not own its key for ever.
    pub max_hold: Duration,
}

/// The life of the lock without renewals (`PX`).
///
/// It answers two questions at once: how long may a holder that died block the others, and how soon is one that is
/// merely slow overlapped?
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// Always the same, from 1 ms to an hour.
    Fixed(Duration),
    /// The 99th percentile of this guard's last 256 fills, times `margin`, kept between `least` and `most`; `initial`
    /// until there are twenty.
    Measured {
        /// The term until enough fills have been measured.
        initial: Duration,
        /// Never shorter than this: what a pause of the process and the way to Redis take.
        least: Duration,
        /// Never longer than this: what may be lost with a holder that dies.
        most: Duration,
        /// By how much the term exceeds the percentile: 1 or more.
        margin: f64,
    },
}

/// The watchdog: whether the holder prolongs its lease while it works. It does so every third of the term, on a
/// connection of its own if the guard was given one, and tries again when that fails until the lease is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// Never: the lease ends when its term does, and somebody else may begin.
    Never,
    /// As long as the fill reports progress ([`Fill::progress`](crate::guard::Fill::progress)): a third of the term
    /// without any, and it is taken for hung.
    WithProgress,
    /// As long as the fill runs, hung or not, up to `max_hold`. For sources whose fills are one long query that cannot
    /// report anything.
    WhileRunning,
}

impl Default for Lease {
    fn default() -> Self {
        Self {
            term: Term::Fixed(Duration::from_secs(5)),
            renewal: Renewal::WithProgress,
            max_hold: Duration::from_secs(30),
        }
    }
}

impl Lease {
    pub(super) fn check(&self) -> Result<(), OptionsError> {
        check_hold("lease.max_hold", self.max_hold)?;
        match self.term {
            Term::Fixed(term) => check_hold("lease.term", term),
            Term::Measured { initial, least, most, margin } => {
                check_hold("lease.term.least", least)?;
                check_hold("lease.term.most", most)?;
                if least > most || !(least..=most).contains(&initial) {
                    return Err(OptionsError::new("lease.term", self.term, "least <= initial <= most"));
                }
                if !(1.0..=100.0).contains(&margin) {
                    return Err(OptionsError::new("lease.term.margin", margin, "a factor from 1 to 100"));
                }
                Ok(())
            }
        }
    }
}
