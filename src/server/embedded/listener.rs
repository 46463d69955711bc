//! The socket: where clients come in, and how the server ends.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Resource, getrlimit};

use super::client;
use super::dialect::Dialect;
use super::engine::Engine;
use super::line::{Line, NoTurn};
use super::options::Options;
use super::shared::Shared;
use crate::server::error::ServerError;
use crate::server::folder::Folder;

/// The most clients at a time; fewer where the system gives us few files. Each has a thread.
const MOST_CLIENTS: usize = 4_000;

/// How long to wait when the system has no file or thread to spare.
const SHORTAGE: Duration = Duration::from_millis(50);

/// A running embedded server. Dropping it ends it and removes its folder.
#[derive(Debug)]
pub struct Embedded {
    shared: Arc<Shared>,
    door: Arc<Door>,
    accepting: Option<JoinHandle<()>>,
    folder: Folder,
    /// Removes the folder when we cannot: it reads from a pipe that we hold open, however we end.
    heir: Option<Child>,
}

impl Embedded {
    /// Starts a server on a Unix socket in a folder that only we can enter.
    ///
    /// # Errors
    /// When there is no room for the folder, or the system has no socket or thread to give.
    pub fn start(options: &Options) -> Result<Self, ServerError> {
        let failed = |why: std::io::Error| ServerError::NoEmbedded { why: why.to_string() };
        let folder = Folder::new().map_err(failed)?;
        let heir = heir(&folder);
        let path = folder.socket();
        let listener = UnixListener::bind(&path).map_err(failed)?;
        let shared = Arc::new(Shared::new(Engine::new(options, path.display().to_string())));
        let (bell, rings) = UnixStream::pair().map_err(failed)?;
        let door = Arc::new(Door { path, bell, limit: most_clients(), inside: Mutex::default() });
        let accepting = {
            let (shared, door, dialect) = (Arc::clone(&shared), Arc::clone(&door), options.dialect);
            let accept = move || door.accept(&shared, &listener, &rings, dialect);
            thread::Builder::new().name("embedded".to_owned()).spawn(accept).map_err(failed)?
        };
        Ok(Self { shared, door, accepting: Some(accepting), folder, heir })
    }

    /// Where clients reach it.
    pub fn socket(&self) -> PathBuf {
        self.folder.socket()
    }

    /// A client in this process.
    ///
    /// # Errors
    /// When somebody has shut the server down.
    pub fn line(&self) -> Result<Line, NoTurn> {
        if self.shared.is_stopped() { Err(NoTurn::Ended) } else { Ok(Line::to(&self.shared)) }
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.shared.stop();
        self.door.shut();
        if let Some(accepting) = self.accepting.take() {
            // It ends by returning; a panic in it was reported when it happened.
            let _ = accepting.join();
        }
        if let Some(mut heir) = self.heir.take() {
            drop(heir.stdin.take());
            // It removes what we are about to remove anyway.
            let _ = heir.wait();
        }
    }
}

/// Who is inside.
#[derive(Debug)]
struct Door {
    path: PathBuf,
    /// Closed to wake the thread that waits for clients.
    bell: UnixStream,
    limit: usize,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    next: u64,
    clients: BTreeMap<u64, (Arc<UnixStream>, Option<JoinHandle<()>>)>,
}

impl Door {
    /// Lets clients in until the server ends, then waits for all to leave.
    fn accept(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        listener: &UnixListener,
        rings: &UnixStream,
        dialect: Dialect,
    ) {
        while !shared.is_stopped() {
            // Whatever wakes it, the two lines around it find out why.
            let _ =
                poll(&mut [PollFd::new(listener, PollFlags::IN), PollFd::new(rings, PollFlags::IN)], None);
            if shared.is_stopped() {
                break;
            }
            match listener.accept() {
                Ok((stream, _)) => self.admit(shared, stream, dialect),
                // No file to spare, or a client that left at once.
                Err(_) => shared.pause(SHORTAGE),
            }
        }
        self.shut();
        let clients = std::mem::take(&mut self.inside.lock().clients);
        for thread in clients.into_values().filter_map(|(_, thread)| thread) {
            // As above.
            let _ = thread.join();
        }
    }

    fn admit(self: &Arc<Self>, shared: &Arc<Shared>, stream: UnixStream, dialect: Dialect) {
        let mut inside = self.inside.lock();
        if inside.clients.len() >= self.limit {
            // It is turned away; whether it hears why is its own affair.
            let _ = (&stream).write_all(b"-ERR max number of clients reached\r\n");
            return;
        }
        let number = inside.next;
        inside.next += 1;
        let stream = Arc::new(stream);
        let thread = {
            let (door, shared, stream) = (Arc::clone(self), Arc::clone(shared), Arc::clone(&stream));
            let address = self.path.display().to_string();
            thread::Builder::new().name("embedded-client".to_owned()).spawn(move || {
                client::serve(&shared, dialect, &stream, address);
                door.leave(number);
                if shared.is_stopped() {
                    // `SHUTDOWN` came from this client: wake the thread that accepts.
                    door.shut();
                }
            })
        };
        // Without a thread the stream is dropped, and the client sees the connection end.
        if let Ok(thread) = thread {
            inside.clients.insert(number, (stream, Some(thread)));
        }
    }

    fn leave(&self, number: u64) {
        self.inside.lock().clients.remove(&number);
    }

    /// Closes the socket and everybody's connection.
    fn shut(&self) {
        // It may have been closed before.
        let _ = self.bell.shutdown(Shutdown::Both);
        for (stream, _) in self.inside.lock().clients.values() {
            // It may have been closed from the other side.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Without a shell the folder stays behind if we are killed; nothing else depends on it.
fn heir(folder: &Folder) -> Option<Child> {
    Command::new("sh")
        .args(["-c", "read -r _; rm -rf \"$1\"", "stampede-heir"])
        .arg(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()
}

/// Half of the files that the system gives us, so that the app has the other half.
fn most_clients() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    let half = files.and_then(|files| usize::try_from(files / 2).ok());
    half.unwrap_or(MOST_CLIENTS).min(MOST_CLIENTS)
}
