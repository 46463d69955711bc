//! What threads share: the standard library's locks and atomics, or, in tests of their interleavings, those of `shuttle`,
//! which runs the threads one at a time and chooses who is next.

#[cfg(not(shuttle))]
pub(super) use std::sync::{Mutex, MutexGuard, atomic};

#[cfg(shuttle)]
pub(super) use shuttle::sync::{Mutex, MutexGuard, atomic};
