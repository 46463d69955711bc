//! RESP, the protocol: requests in, replies out.
//!
//! Kept codec crates read *frames*. A server must also read inline commands, answer a malformed request with the
//! sentence Redis has for it, and believe no declared length; none that we found does, so requests have a reader of our
//! own. It owns no socket: it is fed bytes and gives back what is complete.

mod inline;
mod reply;
mod request;

pub use reply::{Protocol, Reply};
pub(super) use request::Requests;
