//! The way to Redis: one command at a time, each with a deadline, behind a circuit breaker.

mod breaker;
mod link;
mod script;
mod server_clock;

pub(super) use breaker::Breaker;
pub use breaker::BreakerOptions;
pub(super) use link::Link;
pub use link::{Connection, Trouble};
pub(super) use script::Script;
pub(super) use server_clock::{Known, ServerClock};
