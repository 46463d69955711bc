//! The deterministic lab: a small world with a clock of its own, in which workers issue real Redis commands.
//!
//! - [`Setup`] says what a run is made of; [`Lab`] runs it, one due thing at a time, through a [`Wire`].
//! - Everything that happens becomes an [`Event`] in the [`Journal`]; a [`World`] is the fold of its events.
//! - Workers are Lua programs ([`lua`]) or Rust ones ([`Native`]) that wait only by asking the lab; the database is SQLite with lab time.
//!
//! It leaves to others: lesson files (`lesson`), verdicts (`judge`), screens (`tui`), and where the server comes
//! from (`server`).
//!
//! The law it keeps: the same setup gives the same journal, byte for byte, whatever the machine does meanwhile.

mod bytes;
mod command;
mod database;
mod desk;
mod engine;
mod event;
mod fault;
pub mod guarded;
mod harm;
mod journal;
mod keyspace;
mod line;
pub mod lua;
mod moment;
mod native;
mod process;
mod queue;
mod repertoire;
mod reply;
mod schedule;
mod seed;
mod setup;
mod time;
mod typed;
mod wire;
mod worker;
mod world;

pub use bytes::Bytes;
pub use command::{Command, Refusal};
pub use database::{Cell, DatabaseError, Row};
pub use engine::{Lab, LabError};
pub use event::{CallId, Event, Fact, Heard, JOURNAL_VERSION, Opening, Quality, QueryId, Turn};
pub use fault::{Fault, FaultError};
pub use guarded::Fleet;
pub use harm::{Harm, HarmError};
pub use journal::{Journal, JournalError};
pub use keyspace::{Change, Entry};
pub use line::LineError;
pub use moment::{Moment, MomentError, Nth, QUERY};
pub use native::{LabConnection, LabRuntime, Native, Port, QueryFailed};
pub use reply::Reply;
pub use schedule::{Act, Intervention, InterventionError, Lever};
pub use seed::{Purpose, Stream};
pub use setup::{AppSetup, DatabaseSetup, Global, Keys, Program, Setup};
pub use time::{LabTime, Span, SpanError};
pub use typed::NotTyped;
pub use wire::{PATIENCE, RedisWire, Wire, WireError};
pub use worker::{Member, Role, WorkerId};
pub use world::*;
