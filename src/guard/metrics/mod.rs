//! What the guard counts.
//!
//! Everything is counted in the process, for [`Guard::metrics`](super::Guard::metrics); with the feature `metrics` it
//! also goes to the recorder of the `metrics` crate under the names listed here.

mod counters;
mod histogram;

pub(super) use counters::Metrics;
pub use counters::Snapshot;
pub use histogram::{Bucket, Histogram};
