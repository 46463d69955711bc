//! Scripts: what is kept of them, and the Lua that runs them.
//!
//! A script sees what a script in Redis sees: `KEYS`, `ARGV`, `redis.call` and its kin, the libraries `string`, `table`,
//! `math` and `coroutine` (and in Valkey `os.clock`), no way out, and nothing that outlives it. Four things are left out and say so when they are used:
//! `cjson`, `cmsgpack`, `struct` and `bit`.
//!
//! Each thread that runs scripts has a Lua state of its own, made when the first one comes. Nobody can tell: a script leaves
//! nothing behind in the state but how far the random numbers have come.

mod convert;
mod host;
mod library;
mod luck;
mod sandbox;
mod sender;
mod source;

pub(super) use library::{Library, Says, Script};
pub(super) use sandbox::{Run, Sandbox};
