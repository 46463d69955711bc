//! Workers in Rust: futures that wait for nothing but the lab, like the Lua ones.
//!
//! What a [`Native`] program gets is a [`Port`]: a [`LabConnection`] that the guard takes for a connection to Redis, a
//! [`LabRuntime`] whose time is the lab's, and the database. A task that it spawns belongs to its worker and dies with it.

mod connection;
mod port;
mod runtime;

pub use connection::LabConnection;
pub use port::{Native, Port, QueryFailed};
pub use runtime::LabRuntime;
