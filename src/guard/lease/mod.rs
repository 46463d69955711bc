//! The right to fill: taking it, keeping it, giving it back.
//!
//! Whoever fills holds the lock `lock:<key>`, a key with a random token and a finite life. Taking it is one command
//! (`SET … NX PX`), so there is no moment in which it exists without an end; giving it back deletes it only if it still
//! holds the same token. It makes double work rare, not impossible: a lease can end while its holder still works. What
//! keeps an old value from replacing a newer one is the [entry](super::entry), not the lock.

mod hold;
mod release;
mod sizing;
mod watchdog;

pub(super) use hold::{Attempt, Hold};
pub(super) use release::Release;
pub(super) use sizing::Sizing;
pub(super) use watchdog::{Lease, keep};
