//! The guard.

mod answer;
mod builder;
mod core;
mod entry;
mod error;
mod fill;
mod flight;
#[expect(clippy::module_inception, reason = "the room is named after what it holds")]
mod guard;
mod lease;
mod metrics;
mod naming;
mod options;
mod request;
mod scripts;
mod wire;

pub use answer::{Answer, Provenance, Stored};
pub use builder::Builder;
pub use entry::{Codec, CodecError, Json, Raw};
pub use error::{Error, NotFound, SourceError};
pub use fill::Fill;
pub use guard::Guard;
pub use metrics::{Bucket, Histogram, Snapshot};
pub use options::{
    Expiry, Fallback, LONGEST, Lease, Losers, Negative, Options, OptionsError, Poll, Refresh, Renewal, Term,
};
pub use request::Request;
pub use scripts::SCRIPTS;
pub use wire::{BreakerOptions, Connection, Trouble};
