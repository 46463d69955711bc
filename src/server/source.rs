//! A server that answers, whoever started it.

use std::path::Path;
use std::time::Duration;

use redis::{Client, Connection, IntoConnectionInfo};

use super::choice::{Choice, Wish};
use super::error::ServerError;
use super::identity::Identity;
use super::private::Private;

/// How long to wait for a connection to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// A server found, started or pointed at. Dropping it ends a private one.
#[derive(Debug)]
pub struct Server {
    client: Client,
    identity: Identity,
    url: String,
    private: Option<Private>,
}

impl Server {
    /// Opens what was chosen and asks it who it is.
    ///
    /// # Errors
    /// When there is none, it does not start, or it does not answer.
    pub fn open(choice: &Choice) -> Result<Self, ServerError> {
        match choice {
            Choice::Url(url) => Self::connect_to(url.clone(), None),
            Choice::Start(Wish::Auto | Wish::Spawn) => Self::of(Private::start()?),
            Choice::Start(Wish::Embedded) => Err(ServerError::NoEmbedded),
        }
    }

    /// Starts this server program as a private server.
    ///
    /// # Errors
    /// When it does not start or does not answer.
    pub fn start_program(program: &Path) -> Result<Self, ServerError> {
        Self::of(Private::start_program(program)?)
    }

    fn of(private: Private) -> Result<Self, ServerError> {
        let url = format!("redis+unix://{}", private.socket().display());
        Self::connect_to(url, Some(private))
    }

    fn connect_to(url: String, private: Option<Private>) -> Result<Self, ServerError> {
        let bad = |why: redis::RedisError| ServerError::BadUrl { url: url.clone(), why: why.to_string() };
        let client = Client::open(url.as_str().into_connection_info().map_err(bad)?).map_err(bad)?;
        let unreachable =
            |why: redis::RedisError| ServerError::Unreachable { url: url.clone(), why: why.to_string() };
        let mut connection = client.get_connection_with_timeout(CONNECT_TIMEOUT).map_err(unreachable)?;
        connection.set_read_timeout(Some(CONNECT_TIMEOUT)).map_err(unreachable)?;
        let info: String = redis::cmd("INFO").arg("server").query(&mut connection).map_err(unreachable)?;
        Ok(Self { client, identity: Identity::from_info(&info), url, private })
    }

    /// A new connection.
    ///
    /// # Errors
    /// When the server cannot be reached any more.
    pub fn connect(&self) -> Result<Connection, ServerError> {
        let lost =
            |why: redis::RedisError| ServerError::Unreachable { url: self.url.clone(), why: why.to_string() };
        self.client.get_connection_with_timeout(CONNECT_TIMEOUT).map_err(lost)
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// True when nobody but us uses it.
    pub fn is_private(&self) -> bool {
        self.private.is_some()
    }

    /// The command that reaches it from a terminal of one's own.
    pub fn redis_cli(&self) -> String {
        match &self.private {
            Some(private) => format!("redis-cli -s {}", private.socket().display()),
            None => format!("redis-cli -u {}", self.url),
        }
    }
}
