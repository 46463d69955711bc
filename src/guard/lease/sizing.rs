//! How long fills take, measured, for sizing the lease.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::time::Duration;

use crate::guard::options::Term;
use crate::guard::sync::Mutex;

/// How many of the last fills count.
const WINDOW: usize = 256;

/// With fewer fills a 99th percentile says nothing.
const ENOUGH: usize = 20;

/// How long the last fills took.
#[derive(Debug, Default)]
pub(in crate::guard) struct Sizing(Mutex<VecDeque<Duration>>);

impl Sizing {
    pub(in crate::guard) fn note(&self, took: Duration) {
        let mut fills = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if fills.len() == WINDOW {
            fills.pop_front();
        }
        fills.push_back(took);
    }

    /// The life for a lease that is taken now, in whole milliseconds as the server counts.
    pub(in crate::guard) fn term(&self, term: Term) -> Duration {
        let life = match term {
            Term::Fixed(term) => term,
            Term::Measured { initial, least, most, margin } => {
                self.p99().map_or(initial, |p99| p99.mul_f64(margin).clamp(least, most))
            }
        };
        Duration::from_millis(u64::try_from(life.as_millis()).unwrap_or(u64::MAX))
    }

    fn p99(&self) -> Option<Duration> {
        let fills = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if fills.len() < ENOUGH {
            return None;
        }
        let mut sorted: Vec<_> = fills.iter().copied().collect();
        sorted.sort_unstable();
        sorted.get((sorted.len() * 99).div_ceil(100) - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_follows_the_slow_fills_within_its_bounds() {
        let ms = Duration::from_millis;
        let term = Term::Measured { initial: ms(5000), least: ms(100), most: ms(2000), margin: 1.5 };
        let sizing = Sizing::default();
        for took in 1..ENOUGH {
            sizing.note(ms(took as u64));
            assert_eq!(sizing.term(term), ms(5000), "too few to tell");
        }
        for took in 0..WINDOW {
            sizing.note(ms(took as u64));
        }
        assert_eq!(sizing.term(term), ms(253 * 3 / 2), "the 254th of 256, with the margin");
        sizing.note(ms(60_000));
        for _ in 0..10 {
            sizing.note(ms(9_000));
        }
        assert_eq!(sizing.term(term), ms(2000));
        for _ in 0..WINDOW {
            sizing.note(ms(1));
        }
        assert_eq!(sizing.term(term), ms(100));
        assert_eq!(sizing.term(Term::Fixed(ms(7))), ms(7));
    }
}
