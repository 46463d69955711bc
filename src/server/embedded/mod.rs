//! A Redis inside the program: for machines that have none, and for runs that want no other process.
//!
//! ```text
//!   socket ──▶ crowd: one thread ──▶ guest ──┐ bytes ─▶ codec ─▶ words
//!                                            ├──▶ shared: one turn at a time ──▶ dispatch ──▶ commands/*
//!   in process ────────────────────▶ line ───┘ words                               │  table      │
//!                                                                                   ▼             ▼
//!                                                                                  lua ◀──▶ engine: data
//! ```
//!
//! - [`Embedded`] listens on a Unix socket in a folder that only we can enter; [`Line`] is a client without one.
//! - One command, transaction or script runs at a time, by whoever holds the engine's lock. One thread looks after all who
//!   come by the socket; a script that runs on and on keeps that thread, and another takes over.
//! - `table` knows the commands (a `spec` each), `commands/` has a file for each family, `data/` what is stored, `lua/` the scripts,
//!   `codec/` the protocol.
//! - Before each command the clock is read once and all that is due is removed, so that no command meets an expired key.
//! - Replies are those of the original it presents itself as ([`Dialect`]), byte for byte; `tests/conformance` compares
//!   them. What it does not have it refuses, as the original would refuse an unknown command, and says who is speaking.
//!
//! It keeps nothing: no file is written but the socket.

mod call;
mod card;
mod clients;
mod codec;
mod commands;
mod crowd;
mod data;
mod dialect;
mod dispatch;
mod engine;
mod error;
mod guest;
mod instance;
mod line;
mod lua;
mod options;
mod round;
mod running;
mod session;
mod shared;
mod spec;
mod table;

pub use codec::{Protocol, Reply};
pub use dialect::Dialect;
pub use instance::Embedded;
pub use line::{Line, NoTurn};
pub use options::Options;
