//! A run's numbers, as programs read them.

use serde::Serialize;

use crate::lab::World;

/// What a run added up to. Times are milliseconds of lab time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Totals {
    pub readers: usize,
    pub db_hits: usize,
    pub db_peak_in_flight: usize,
    pub lock_acquired: usize,
    pub lock_lost: usize,
    pub releases: usize,
    pub releases_refused: usize,
    pub releases_of_others: usize,
    pub expired: usize,
    pub extended: usize,
    pub outcomes: OutcomeTotals,
    pub p50_ms: Option<f64>,
    pub p99_ms: Option<f64>,
    pub end_ms: f64,
}

/// How readers were answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutcomeTotals {
    pub fresh: usize,
    pub stale: usize,
    pub degraded: usize,
    pub failed: usize,
}

impl Totals {
    pub(super) fn of(world: &World) -> Self {
        let percentile = |percent| world.outcomes.percentile(percent).map(crate::lab::Span::as_millis_f64);
        Self {
            readers: world.readers(),
            db_hits: world.database.hits,
            db_peak_in_flight: world.database.peak,
            lock_acquired: world.lock_tally.acquired,
            lock_lost: world.lock_tally.lost,
            releases: world.lock_tally.releases,
            releases_refused: world.lock_tally.refused,
            releases_of_others: world.lock_tally.of_others,
            expired: world.lock_tally.expired,
            extended: world.lock_tally.extended,
            outcomes: OutcomeTotals {
                fresh: world.outcomes.fresh,
                stale: world.outcomes.stale,
                degraded: world.outcomes.degraded,
                failed: world.outcomes.failed,
            },
            p50_ms: percentile(50),
            p99_ms: percentile(99),
            end_ms: world.now.as_micros() as f64 / 1000.0,
        }
    }
}
