//! A server that answers, whoever started it.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use redis::{Client, Connection, IntoConnectionInfo};

use super::choice::{Choice, Wish};
use super::embedded::{Embedded, Line, NoTurn, Options};
use super::error::ServerError;
use super::identity::{Identity, Kind};
use super::private::Private;

/// How long to wait for a connection to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// A server found, started or pointed at. Dropping it ends one of our own.
#[derive(Debug)]
pub struct Server {
    client: Client,
    identity: Identity,
    url: String,
    home: Home,
}

/// Whose it is.
#[derive(Debug)]
enum Home {
    Foreign,
    Private(Private),
    Embedded(Embedded),
}

impl Home {
    /// The socket of one of our own.
    fn socket(&self) -> Option<PathBuf> {
        match self {
            Self::Foreign => None,
            Self::Private(private) => Some(private.socket()),
            Self::Embedded(embedded) => Some(embedded.socket()),
        }
    }
}

impl Server {
    /// Opens what was chosen and asks it who it is.
    ///
    /// # Errors
    /// When there is none, it does not start, or it does not answer.
    pub fn open(choice: &Choice) -> Result<Self, ServerError> {
        match choice {
            Choice::Url(url) => Self::connect_to(url, Home::Foreign),
            Choice::Start(Wish::Spawn) => Self::of(Home::Private(Private::start()?)),
            Choice::Start(Wish::Embedded(dialect)) => {
                Self::start_embedded(&Options { dialect: *dialect, ..Options::default() })
            }
            Choice::Start(Wish::Auto) => match Private::start() {
                Err(ServerError::NoServer) => Self::start_embedded(&Options::default()),
                started => Self::of(Home::Private(started?)),
            },
        }
    }

    /// Starts an embedded server.
    ///
    /// # Errors
    /// When the system has no folder, socket or thread to give.
    pub fn start_embedded(options: &Options) -> Result<Self, ServerError> {
        Self::of(Home::Embedded(Embedded::start(options)?))
    }

    /// Starts this server program as a private server.
    ///
    /// # Errors
    /// When it does not start or does not answer.
    pub fn start_program(program: &Path) -> Result<Self, ServerError> {
        Self::start_program_with(program, &[])
    }

    /// The same, with more of the program's own settings, like `--cluster-enabled yes`.
    ///
    /// # Errors
    /// When it does not start or does not answer.
    pub fn start_program_with(program: &Path, settings: &[&str]) -> Result<Self, ServerError> {
        Self::of(Home::Private(Private::start_program(program, settings)?))
    }

    fn of(home: Home) -> Result<Self, ServerError> {
        let url = format!("redis+unix://{}", home.socket().unwrap_or_default().display());
        Self::connect_to(&url, home)
    }

    fn connect_to(url: &str, home: Home) -> Result<Self, ServerError> {
        let info = url.into_connection_info();
        // From here on the address is only shown, and a password is not for showing.
        let url = without_password(url);
        let bad = |why: redis::RedisError| ServerError::BadUrl { url: url.clone(), why: why.to_string() };
        let client = Client::open(info.map_err(bad)?).map_err(bad)?;
        let unreachable =
            |why: redis::RedisError| ServerError::Unreachable { url: url.clone(), why: why.to_string() };
        let mut connection = connect(&client).map_err(unreachable)?;
        let info: String = redis::cmd("INFO").arg("server").query(&mut connection).map_err(unreachable)?;
        Ok(Self { client, identity: Identity::from_info(&info), url, home })
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

    /// True when it is a node of a cluster.
    ///
    /// # Errors
    /// When it cannot be reached any more.
    pub fn is_cluster(&self) -> Result<bool, ServerError> {
        let info: String = self.ask(redis::cmd("INFO").arg("cluster"))?;
        Ok(info.lines().any(|line| line.trim() == "cluster_enabled:1"))
    }

    /// True when it has a command of this name.
    ///
    /// # Errors
    /// When it cannot be reached any more.
    pub fn knows(&self, command: &str) -> Result<bool, ServerError> {
        let found: Vec<redis::Value> = self.ask(redis::cmd("COMMAND").arg("INFO").arg(command))?;
        Ok(found.iter().any(|entry| *entry != redis::Value::Nil))
    }

    /// Which of the newer ways to compare and delete it has, beside scripts: names as in the commands.
    ///
    /// # Errors
    /// When it cannot be reached any more.
    pub fn compares_by(&self) -> Result<Vec<(&'static str, bool)>, ServerError> {
        let identity = &self.identity;
        let set = match identity.kind {
            Kind::Redis => identity.is_at_least(8, 4),
            Kind::Valkey => identity.is_at_least(8, 1),
        };
        Ok(vec![
            ("SET … IFEQ", set),
            ("DELIFEQ", self.knows("DELIFEQ")?),
            ("DELEX", self.knows("DELEX")?),
            ("Functions", self.knows("FCALL")?),
        ])
    }

    fn ask<T: redis::FromRedisValue>(&self, command: &redis::Cmd) -> Result<T, ServerError> {
        let lost =
            |why: redis::RedisError| ServerError::Unreachable { url: self.url.clone(), why: why.to_string() };
        command.query(&mut self.connect()?).map_err(lost)
    }

    /// True when nobody but us uses it.
    pub fn is_private(&self) -> bool {
        !matches!(self.home, Home::Foreign)
    }

    /// A client of the embedded server that needs no connection; none for a server in another process.
    ///
    /// # Errors
    /// When somebody has shut the embedded server down.
    pub fn line(&self) -> Option<Result<Line, NoTurn>> {
        match &self.home {
            Home::Embedded(embedded) => Some(embedded.line()),
            Home::Foreign | Home::Private(_) => None,
        }
    }

    /// The socket of one of our own.
    pub fn socket(&self) -> Option<PathBuf> {
        self.home.socket()
    }

    /// The command that reaches it from a terminal of one's own.
    pub fn redis_cli(&self) -> String {
        match self.home.socket() {
            Some(socket) => format!("redis-cli -s {}", socket.display()),
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
