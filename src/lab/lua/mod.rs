//! Worker programs: Lua 5.1 as client code, sandboxed, waiting through the desk.
//!
//! What a program can call is in `prelude.lua` (what it looks like) and `host.rs` (what it does).

mod host;
mod script;
mod value;

pub(super) use script::Scripts;
pub use script::{ScriptError, check};
