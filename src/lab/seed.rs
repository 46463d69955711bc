//! Seeded randomness: one stream for each worker and purpose.
//!
//! Streams never share state, so a worker that draws once more moves nobody else's luck, and turning one knob
//! changes only what it touches.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::time::Span;

/// What a stream is for. The discriminant is part of the stream's number: append, never reorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    Arrival = 0,
    Latency = 1,
    Token = 2,
    Jitter = 3,
    Chance = 4,
}

/// The seeded stream of one worker for one purpose.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    pub fn new(seed: u64, owner: u64, purpose: Purpose) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(owner * 16 + purpose as u64);
        Self(rng)
    }

    /// A whole number from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0.random_range(low..=high.max(low))
    }

    /// 128 unpredictable bits as 32 hex digits: a lock token.
    pub fn token(&mut self) -> String {
        format!("{:032x}", self.bits())
    }

    /// 128 bits.
    pub fn bits(&mut self) -> u128 {
        self.0.random()
    }

    /// A draw from the log-normal distribution with this median and 99th percentile.
    pub fn log_normal(&mut self, p50: Span, p99: Span) -> Span {
        /// The 99th percentile of the standard normal distribution.
        const Z99: f64 = 2.326_347_874_040_841;
        if p99 <= p50 {
            return p50;
        }
        let sigma = libm::log(p99.as_millis_f64() / p50.as_millis_f64()) / Z99;
        let factor = libm::exp(sigma * self.standard_normal());
        Span::from_micros((p50.as_micros() as f64 * factor) as u64)
    }

    /// A draw from the exponential distribution with this mean.
    pub fn exponential(&mut self, mean: Span) -> Span {
        let uniform = 1.0 - self.0.random::<f64>();
        Span::from_micros((-libm::log(uniform) * mean.as_micros() as f64) as u64)
    }

    /// Box and Muller's transform on `libm`, because a journal must be the same on every machine: the standard
    /// library's `ln` and `cos` may differ in the last bit from one platform to the next.
    fn standard_normal(&mut self) -> f64 {
        let radius = 1.0 - self.0.random::<f64>();
        let angle = std::f64::consts::TAU * self.0.random::<f64>();
        libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_normal_has_the_percentiles_it_was_given() {
        let mut stream = Stream::new(7, 1, Purpose::Latency);
        let (p50, p99) = (Span::from_millis(400), Span::from_millis(900));
        let mut draws: Vec<_> = (0..20_000).map(|_| stream.log_normal(p50, p99).as_millis_f64()).collect();
        draws.sort_by(f64::total_cmp);
        assert!((draws[10_000] - 400.0).abs() < 8.0, "p50 {}", draws[10_000]);
        assert!((draws[19_800] - 900.0).abs() < 40.0, "p99 {}", draws[19_800]);
    }

    #[test]
    fn an_exponential_has_the_mean_it_was_given() {
        let mut stream = Stream::new(7, 1, Purpose::Chance);
        let mean = Span::from_millis(400);
        let total: f64 = (0..20_000).map(|_| stream.exponential(mean).as_millis_f64()).sum();
        assert!((total / 20_000.0 - 400.0).abs() < 10.0, "{}", total / 20_000.0);
    }

    #[test]
    fn streams_are_independent_and_repeatable() {
        let draw = |owner, purpose| Stream::new(7, owner, purpose).token();
        assert_eq!(draw(1, Purpose::Token), draw(1, Purpose::Token));
        assert_ne!(draw(1, Purpose::Token), draw(2, Purpose::Token));
        assert_ne!(draw(1, Purpose::Token), draw(1, Purpose::Jitter));
        assert_eq!(draw(1, Purpose::Token).len(), 32);
    }
}
