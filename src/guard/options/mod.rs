//! What can be chosen for a call: for all calls of a guard when it is built, for one call on the request.

mod bounds;
mod expiry;
mod lease;
mod losers;
mod negative;
mod preset;
mod refresh;

pub use bounds::{LONGEST, OptionsError};
pub use expiry::Expiry;
pub use lease::{Lease, Renewal, Term};
pub use losers::{Fallback, Losers, Poll};
pub use negative::Negative;
pub use preset::Options;
pub use refresh::Refresh;
