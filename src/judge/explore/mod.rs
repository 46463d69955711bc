//! The judge that does not sample one run but tries what can go wrong: every crash point, every lost reply, pauses, broken
//! connections, other orders of what happens at once, many seeds, and then two of these together.
//!
//! ```text
//!   seeds ──▶ Attempt ──survives──▶ places in its journal ──▶ schedules with one thing more
//!                │                                              (shortest first)
//!                └──breaks a law──▶ shrink ──▶ Counterexample
//! ```
//!
//! Breadth first, so that what it finds first is as short as can be; without chance, so that the same order gives the same
//! answer. Places that look alike are tried once: a worker on the same line with the same answer behind it, in a world that
//! differs in nothing but the time.

mod attempt;
mod case;
mod exploration;
mod places;
mod search;
mod shrink;

pub use attempt::Breach;
pub use case::{Case, Should, cases};
pub use exploration::{Counterexample, Exploration, Progress};
pub use search::{Budget, Lines, explore};
