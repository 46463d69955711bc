//! The engine: takes what is due, lets it happen, and writes it down.
//!
//! ```text
//!   queue ──due──▶ Lab::tick ──answers──▶ desk ──▶ worker (polled here)
//!     ▲               │  ▲                            │
//!     └────schedules──┘  └───────────acts─────────────┘
//!                     └──events──▶ journal
//! ```
//!
//! Law: nothing here depends on the wall. What the server answers and what the seed draws are the only inputs.

mod acts;
mod app;
mod commands;
mod error;
mod faults;
mod holding;
mod queries;
mod roster;
mod run;
mod workers;

pub use error::LabError;
pub use run::Lab;
