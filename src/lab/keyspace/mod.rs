//! The lesson's keys: what the lab knows of them, and how the real server is kept in step with lab time.
//!
//! Redis counts down in wall time, a lesson in lab time. So the lab keeps every deadline itself, and with each
//! command it sends a batch of its own around it, all in the one round trip:
//!
//! ```text
//!   DEL k             for each key whose deadline has come in lab time
//!   GET k, PTTL k     what is really there: has somebody else been at it?
//!   PEXPIRE k rest    the life that k has left in lab time
//!   … the command …
//!   PTTL k, GET k     what the command made of it
//! ```
//!
//! Law: a deadline in the journal is a number some command named, never one that was measured. The measured one
//! only tells *which* number it was.

mod batch;
mod entry;
mod keys;
mod life;
mod rescue;

pub(super) use batch::Batch;
pub use entry::{Change, Entry};
pub(super) use keys::{Findings, Keyspace};
