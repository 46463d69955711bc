//! When and by whom a value is refreshed that can still be served.

use std::time::Duration;

use super::bounds::OptionsError;

/// Refreshing what can still be served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refresh {
    /// The one who refreshes answers with the stale value too, and the refresh runs on its own. Otherwise it waits for
    /// the new one: one slow answer, but a key that is read once an hour is never an hour old.
    pub background: bool,
    /// When the fill fails, or Redis does, answer with the stale value that is at hand (stale-if-error, RFC 5861).
    pub on_failure: bool,
    /// Refresh before the soft deadline, with a probability that rises as it nears and with what a fill costs: the β
    /// of `XFetch` (Vattani, Chierichetti and Lowenstein, *Optimal probabilistic cache stampede prevention*, VLDB
    /// 2015); 1 is the paper's optimum, more begins earlier.
    pub early: Option<f64>,
}

impl Default for Refresh {
    fn default() -> Self {
        Self { background: true, on_failure: true, early: None }
    }
}

impl Refresh {
    /// Whether to refresh now a value that is fresh for another `left` and whose fill took `cost`, by a `chance` from
    /// 0 (excluded) to 1: with probability exp(−left / (β · cost)).
    pub(in crate::guard) fn is_early(
        &self,
        left: Duration,
        cost: Duration,
        chance: impl Fn() -> f64,
    ) -> bool {
        self.early.is_some_and(|beta| left.as_secs_f64() <= cost.as_secs_f64() * beta * -chance().ln())
    }

    pub(super) fn check(&self) -> Result<(), OptionsError> {
        match self.early {
            Some(beta) if !(beta > 0.0 && beta <= 100.0) => {
                Err(OptionsError::new("refresh.early", beta, "a factor above 0, at most 100"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_the_deadline_the_likelier() {
        let refresh = Refresh { early: Some(1.0), ..Refresh::default() };
        let cost = Duration::from_millis(100);
        let share = |left: Duration| {
            let chances = (1..=10_000).map(|n| f64::from(n) / 10_000.0);
            chances.filter(|chance| refresh.is_early(left, cost, || *chance)).count()
        };
        assert_eq!(share(Duration::ZERO), 10_000);
        assert!((share(cost) as f64 - 3_679.0).abs() < 2.0, "e^-1 at one cost before the end");
        assert!((share(cost * 5) as f64 - 67.0).abs() < 2.0, "e^-5 at five");
        assert!(!Refresh::default().is_early(Duration::ZERO, cost, || 0.5));
    }
}
