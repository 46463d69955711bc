//! The guard's promises: in the lab under every schedule that its faults can make, and against real servers.
#![cfg(feature = "app")]

mod behaviour;
mod cluster;
mod outages;
mod processes;
mod redis;
mod schedules;
#[path = "../support/mod.rs"]
mod servers;
mod support;
