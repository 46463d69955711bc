//! Where Redis comes from.
//!
//! - [`Choice`] is what the user asked for; [`Server::open`] turns it into a server that answers.
//! - A URL leads to a server that may be somebody's: this room only connects to it.
//! - Otherwise a private server is started from PATH and ends with us, however we end.
//! - Where PATH has none, the [embedded] one is started, in this process.
//!
//! It leaves to others: what is sent over a connection, and which keys.

mod choice;
pub mod embedded;
mod error;
mod folder;
mod identity;
mod private;
mod source;

pub use choice::{Choice, ChoiceError, Wish};
pub use error::ServerError;
pub use identity::{Identity, Kind};
pub use private::find_on_path;
pub use source::Server;
