//! One load for all callers of a key in this process.
//!
//! ```text
//!   callers ──► registry ──► flight ──► load (a task): lock, wait or fill ──► landing ──► callers
//! ```
//! The load is a task of its own: it belongs to nobody, so nobody's cancellation can reach the others. It ends early
//! only when the last of its callers has left.

mod landing;
mod lead;
mod load;
mod place;
mod reads;
mod registry;

pub(super) use landing::{Landing, Standing};
pub(super) use load::Load;
pub(super) use reads::Reads;
pub(super) use registry::{Errand, Flights, Joined, Pilot, Seat};
