//! Durations in buckets.

use std::fmt;
use std::time::Duration;

use crate::guard::sync::atomic::{AtomicU64, Ordering};

/// Upper bounds in milliseconds: a cache answers in the first ones, sources in the middle, trouble in the last.
const BOUNDS: [u64; 14] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000];

#[derive(Debug)]
pub(in crate::guard) struct Recorder {
    name: &'static str,
    counts: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

/// How long things took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// From the shortest to the longest; the last one has no upper bound.
    pub buckets: Vec<Bucket>,
    /// All of them together.
    pub sum: Duration,
}

/// How many took at most so long, and longer than the bucket before says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The longest that falls into it; none for the last bucket.
    pub at_most: Option<Duration>,
    /// How many there were.
    pub count: u64,
}

impl Recorder {
    pub(in crate::guard) fn new(name: &'static str) -> Self {
        Self { name, counts: Default::default(), micros: AtomicU64::new(0) }
    }

    pub(in crate::guard) fn record(&self, took: Duration) {
        let place = BOUNDS.partition_point(|bound| Duration::from_millis(*bound) < took);
        self.counts[place].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        super::counters::export_duration(self.name, took);
    }

    pub(in crate::guard) fn snapshot(&self) -> Histogram {
        let bounds = BOUNDS.iter().map(|bound| Some(Duration::from_millis(*bound))).chain([None]);
        let buckets = bounds
            .zip(&self.counts)
            .map(|(at_most, count)| Bucket { at_most, count: count.load(Ordering::Relaxed) })
            .collect();
        Histogram { buckets, sum: Duration::from_micros(self.micros.load(Ordering::Relaxed)) }
    }
}

impl Histogram {
    /// How many there were in all.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.count).sum()
    }

    /// The upper bound of the bucket in which the given share of all (0.99 for the 99th percentile) is reached; `None`
    /// when there are none, or it lies beyond the last bound.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let wanted = (self.count() as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        for bucket in &self.buckets {
            seen += bucket.count;
            if seen >= wanted {
                return bucket.at_most;
            }
        }
        None
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.count();
        let Some(mean) = u32::try_from(count).ok().and_then(|count| self.sum.checked_div(count)) else {
            return f.write_str("none");
        };
        write!(f, "{count}, mean {mean:.1?}")?;
        for (name, share) in [("half", 0.5), ("99 %", 0.99)] {
            match self.quantile(share) {
                Some(bound) => write!(f, ", {name} within {bound:?}")?,
                None => write!(f, ", {name} beyond all bounds")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_fall_into_the_bucket_that_holds_them() {
        let recorder = Recorder::new("test");
        for millis in [0, 1, 2, 3, 100, 99_000] {
            recorder.record(Duration::from_millis(millis));
        }
        let histogram = recorder.snapshot();
        let counts: Vec<_> = histogram.buckets.iter().map(|bucket| bucket.count).collect();
        assert_eq!(counts, [2, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(histogram.quantile(0.5), Some(Duration::from_millis(2)));
        assert_eq!(histogram.quantile(0.8), Some(Duration::from_millis(100)));
        assert_eq!(histogram.quantile(1.0), None);
        assert_eq!(histogram.to_string(), "6, mean 16.5s, half within 2ms, 99 % beyond all bounds");
        let none = Recorder::new("none").snapshot();
        assert_eq!((none.quantile(0.5), none.to_string().as_str()), (None, "none"));
    }
}
