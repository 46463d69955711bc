//! Stampede: learn, teach and prove how to guard an expensive cache recompute with a Redis mutex.
//!
//! The map of the house; `ARCHITECTURE.md` walks through it.
//!
//! | room | what it owns |
//! |---|---|
//! | [`clock`] | time, chance and tasks |
//! | [`guard`] | the cache guard: the system itself |
#![cfg_attr(feature = "app", doc = "| [`server`] | where Redis comes from |")]
#![cfg_attr(feature = "app", doc = "| [`lab`] | workers in virtual time, wire, journal, world |")]
#![cfg_attr(feature = "app", doc = "| [`lesson`] | lesson files and what they mean |")]
#![cfg_attr(feature = "app", doc = "| [`judge`] | runs takes without a screen and checks their claims |")]
#![cfg_attr(
    feature = "app",
    doc = "| [`drill`] | cards, when they are due, and progress that is never lost |"
)]
#![cfg_attr(feature = "app", doc = "| [`tui`] | the terminal app |")]
#![cfg_attr(feature = "app", doc = "| [`cli`] | the command line |")]

#[cfg(feature = "app")]
pub mod cli;
pub mod clock;
#[cfg(feature = "app")]
pub mod drill;
pub mod guard;
#[cfg(feature = "app")]
pub mod judge;
#[cfg(feature = "app")]
pub mod lab;
#[cfg(feature = "app")]
pub mod lesson;
#[cfg(feature = "app")]
pub mod server;
#[cfg(feature = "app")]
pub mod tui;
