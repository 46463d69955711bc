//! What several commands open first: the server and the shelf of lessons.

use super::Failure;
use super::args::{Global, WhichServer};
use super::failure::USAGE;
use super::in_process::InProcess;
use crate::lab::{RedisWire, Wire, WireError};
use crate::lesson::{Lesson, Shelf};
use crate::server::embedded::Dialect;
use crate::server::{Choice, Server, Wish};

pub(super) fn choice(global: &Global) -> Result<Choice, Failure> {
    let wish = global.server.map(|which| match which {
        WhichServer::Auto => Wish::Auto,
        WhichServer::Spawn => Wish::Spawn,
        WhichServer::Embedded => Wish::Embedded(Dialect::Redis),
        WhichServer::EmbeddedValkey => Wish::Embedded(Dialect::Valkey),
    });
    Ok(Choice::from_flags(global.redis.as_deref(), std::env::var("REDIS_URL").ok().as_deref(), wish)?)
}

pub(super) fn shelf(global: &Global) -> Result<Shelf, Failure> {
    Ok(Shelf::open(global.lessons.as_deref())?)
}

/// The lesson of this name, or `all`.
pub(super) fn lessons<'a>(shelf: &'a Shelf, wanted: &str) -> Result<Vec<&'a Lesson>, Failure> {
    if wanted == "all" {
        return Ok(shelf.lessons.iter().collect());
    }
    let index = shelf.find(wanted).map_err(|error| Failure::new(error.to_string(), "", USAGE))?;
    Ok(vec![&shelf.lessons[index]])
}

/// A line to the server for one run: a call in this process where it is embedded, and a connection elsewhere.
///
/// # Errors
/// When the server cannot be reached.
pub fn wire(server: &Server) -> Result<Box<dyn Wire>, WireError> {
    if let Some(line) = server.line() {
        return Ok(Box::new(InProcess(line.map_err(|error| WireError::new(error.to_string()))?)));
    }
    let connection = server.connect().map_err(|error| WireError::new(error.to_string()))?;
    Ok(Box::new(RedisWire::new(connection)?))
}
