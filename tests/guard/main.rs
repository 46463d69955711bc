//! The guard's promises: in the lab under every schedule that its faults can make, and against real servers.
#![cfg(feature = "app")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod behaviour;
mod cluster;
mod outages;
mod processes;
mod redis;
mod reports;
mod scene;
mod schedules;
#[path = "../support/mod.rs"]
mod servers;
mod support;
