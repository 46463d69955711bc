//! A Redis for the examples: the one that `REDIS_URL` names, or an embedded one, so that there is nothing to install.
#![allow(dead_code, clippy::allow_attributes, reason = "each example uses its own part")]

use std::time::Duration;

use redis::aio::ConnectionManager;
use stampede::clock::{Runtime, Tokio};
use stampede::server::{Choice, Server, Wish};

pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A connection, and the server that must live as long as it is used.
pub(crate) async fn redis() -> Result<(ConnectionManager, Option<Server>), Failure> {
    if let Ok(url) = std::env::var("REDIS_URL") {
        return Ok((redis::Client::open(url)?.get_connection_manager().await?, None));
    }
    let server = Server::open(&Choice::Start(Wish::Auto))?;
    let socket = server.socket().ok_or("a server of our own has a socket")?;
    let client = redis::Client::open(format!("redis+unix://{}", socket.display()))?;
    Ok((client.get_connection_manager().await?, Some(server)))
}

pub(crate) async fn pause(time: Duration) {
    Tokio::new().sleep(time).await;
}
