//! A Redis inside the program: for machines that have none, and for runs that want no other process.
//!
//! ```text
//!   socket ──▶ listener ──▶ client (a thread each) ──┐ bytes ─▶ codec ─▶ words
//!                                                    ├──▶ shared: one turn at a time ──▶ dispatch ──▶ commands/*
//!   in process ───────────▶ line ────────────────────┘ words                               │  table      │
//!                                                                                          ▼             ▼
//!                                                                                         lua ◀──▶ engine: data
//! ```
//!
//! - [`Embedded`] listens on a Unix socket in a folder that only we can enter; [`Line`] is a client without one.
//! - One command, transaction or script runs at a time, by whoever holds the engine's lock, on its own thread. A thread a
//!   client costs one system call to read and one to write, and needs no event loop to be understood.
//! - `table` knows the commands, `commands/` has a file for each family, `data/` what is stored, `lua/` the scripts,
//!   `codec/` the protocol.
//! - Before each command the clock is read once and all that is due is removed, so that no command meets an expired key.
//! - Replies are those of the original it presents itself as ([`Dialect`]), byte for byte; `tests/conformance` compares
//!   them. What it does not have it refuses, as the original would refuse an unknown command, and says who is speaking.
//!
//! It keeps nothing: no file is written but the socket.

mod call;
mod card;
mod client;
mod clients;
mod codec;
mod commands;
mod data;
mod dialect;
mod dispatch;
mod engine;
mod error;
mod line;
mod listener;
mod lua;
mod options;
mod session;
mod shared;
mod table;

pub use codec::{Protocol, Reply};
pub use dialect::Dialect;
pub use line::{Line, NoTurn};
pub use listener::Embedded;
pub use options::Options;
