//! The commands, a file a family. Each ends in its part of the table.
#![expect(clippy::unnecessary_wraps, reason = "all commands have one signature, also those that cannot fail")]

pub(super) mod client;
pub(super) mod cluster;
pub(super) mod config;
pub(super) mod connection;
pub(super) mod counters;
pub(super) mod expiry;
pub(super) mod hashes;
pub(super) mod info;
pub(super) mod introspection;
pub(super) mod keys;
pub(super) mod keyspace;
mod options;
pub(super) mod scripting;
pub(super) mod server;
pub(super) mod set;
pub(super) mod strings;
pub(super) mod transactions;
