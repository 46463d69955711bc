//! A server that answers, whoever started it.

use std::path::Path;
use std::sync::mpsc;
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
            Choice::Url(url) => Self::connect_to(url, None),
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
        Self::connect_to(&url, Some(private))
    }

    fn connect_to(url: &str, private: Option<Private>) -> Result<Self, ServerError> {
        let info = url.into_connection_info();
        // From here on the address is only shown, and a password is not for showing.
        let url = without_password(url);
        let bad = |why: redis::RedisError| ServerError::BadUrl { url: url.clone(), why: why.to_string() };
        let client = Client::open(info.map_err(bad)?).map_err(bad)?;
        let unreachable =
            |why: redis::RedisError| ServerError::Unreachable { url: url.clone(), why: why.to_string() };
        let mut connection = connect(&client).map_err(unreachable)?;
        let info: String = redis::cmd("INFO").arg("server").query(&mut connection).map_err(unreachable)?;
        Ok(Self { client, identity: Identity::from_info(&info), url, private })
    }

    /// A new connection, with a limit of two seconds on what it reads and writes.
    ///
    /// # Errors
    /// When the server cannot be reached any more, or says nothing for two seconds.
    pub fn connect(&self) -> Result<Connection, ServerError> {
        let lost =
            |why: redis::RedisError| ServerError::Unreachable { url: self.url.clone(), why: why.to_string() };
        connect(&self.client).map_err(lost)
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

/// Connects, and gives up on a server that takes the connection and then says nothing: one that was stopped does so for
/// ever, and the client greets it before any timeout can be set. The thread that waits for it then ends with the server.
fn connect(client: &Client) -> redis::RedisResult<Connection> {
    let (tell, hear) = mpsc::channel();
    let client = client.clone();
    std::thread::spawn(move || {
        let connected = client.get_connection_with_timeout(CONNECT_TIMEOUT).and_then(|connection| {
            connection.set_read_timeout(Some(CONNECT_TIMEOUT))?;
            connection.set_write_timeout(Some(CONNECT_TIMEOUT))?;
            Ok(connection)
        });
        // After the limit nobody listens.
        let _ = tell.send(connected);
    });
    let silent = |_| redis::RedisError::from((redis::ErrorKind::Io, "it says nothing"));
    hear.recv_timeout(CONNECT_TIMEOUT).map_err(silent)?
}

/// The address with stars for its password.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let Some((user, host)) = rest.rsplit_once('@') else { return url.to_owned() };
    let user = user.split_once(':').map_or(user, |(user, _)| user);
    format!("{scheme}://{user}:***@{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(without_password("redis://me:s3cret@host:1/2"), "redis://me:***@host:1/2");
        assert_eq!(without_password("redis://:s3c@ret@host"), "redis://:***@host");
        assert_eq!(without_password("redis://host:6379"), "redis://host:6379");
        assert_eq!(without_password("nonsense"), "nonsense");
    }
}
