//! Stampede: learn, teach and prove how to guard an expensive cache recompute with a Redis mutex.
//!
//! The map of the house; `ARCHITECTURE.md` walks through it.
//!
//! | room | what it owns |
//! |---|---|
//! | [`clock`] | time, chance and tasks |
//! | [`guard`] | the cache guard: the system itself |
//! | [`server`] | where Redis comes from |
//! | [`lab`] | the deterministic lab: workers, wire, database, journal, world |
//! | [`lesson`] | lesson files and what they mean |
//! | [`judge`] | runs takes without a screen and checks their claims |
//! | [`tui`] | the terminal app |
//! | [`cli`] | the command line |

#[cfg(feature = "app")]
pub mod cli;
pub mod clock;
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
