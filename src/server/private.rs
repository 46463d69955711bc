//! A server of our own: on a Unix socket in a folder that only we can enter, without persistence, gone when we are.
//!
//! ```text
//!   stampede ──pipe──▶ sh (supervisor) ──▶ redis-server
//! ```
//!
//! The supervisor reads from a pipe that we hold open and never write to. However we end, by returning, panicking
//! or being killed with SIGKILL, the system closes the pipe; the read ends, and the supervisor stops the server
//! and removes the folder. Both run in a process group of their own, so that Ctrl-C and Ctrl-Z at the terminal
//! reach us and not them.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::error::ServerError;
use super::folder::Folder;

/// Ends the server and removes its folder once standard input closes. It keeps nothing, so nothing is lost by ending it
/// at once; and a server that was stopped (SIGSTOP) would not hear anything gentler. It lets go of the output, so that a
/// server that ends before it is ready is noticed.
const SUPERVISOR: &str = r#"
folder=$1; shift
"$@" &
server=$!
exec >/dev/null
read -r _
kill -KILL "$server" 2>/dev/null
wait "$server" 2>/dev/null
rm -rf "$folder"
"#;

/// The most a server takes to start on a slow and busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// The programs we look for, the first found is taken.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// A running private server. Dropping it ends the server.
#[derive(Debug)]
pub(super) struct Private {
    supervisor: Child,
    folder: Folder,
}

impl Private {
    /// Starts the first known server on PATH.
    pub(super) fn start() -> Result<Self, ServerError> {
        let program = PROGRAMS.into_iter().find_map(find_on_path).ok_or(ServerError::NoServer)?;
        Self::start_program(&program, &[])
    }

    /// Starts this program with more settings than our own, and waits until it says that it is ready.
    pub(super) fn start_program(program: &Path, settings: &[&str]) -> Result<Self, ServerError> {
        let failed = |why: std::io::Error| ServerError::NotStarted {
            program: program.to_owned(),
            why: why.to_string(),
        };
        let folder = Folder::new().map_err(failed)?;
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISOR, "stampede-supervisor"])
            .arg(folder.path())
            .arg(program)
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no"])
            .args(["--loglevel", "notice", "--logfile", "", "--unixsocketperm", "700", "--unixsocket"])
            .arg(folder.socket())
            .arg("--dir")
            .arg(folder.path())
            .args(settings)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let output = supervisor.stdout.take();
        let private = Self { supervisor, folder };
        wait_until_ready(program, output)?;
        Ok(private)
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.folder.socket()
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        // Waits for the server's own end, which takes it a few milliseconds; there is nobody left to tell of an error.
        let _ = self.supervisor.wait();
    }
}

/// Reads what the server prints until it is ready, and goes on reading so that it never blocks on a full pipe.
fn wait_until_ready(
    program: &Path,
    output: Option<impl std::io::Read + Send + 'static>,
) -> Result<(), ServerError> {
    let (tell, hear) = mpsc::channel();
    std::thread::spawn(move || {
        let Some(output) = output else { return };
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // Nobody listens once the server is ready; then the line has been read, which is all it needs.
            let _ = tell.send(line);
        }
    });
    let mut said = String::new();
    loop {
        match hear.recv_timeout(PATIENCE) {
            Ok(line) if line.to_ascii_lowercase().contains("ready to accept connections") => return Ok(()),
            Ok(line) => said.push_str(&format!("  {line}\n")),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                return Err(ServerError::NotReady { program: program.to_owned(), waited: PATIENCE, said });
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let why = if said.is_empty() {
                    "it ended without a word".to_owned()
                } else {
                    format!("it ended; it said:\n{said}")
                };
                return Err(ServerError::NotStarted { program: program.to_owned(), why });
            }
        }
    }
}

/// The first executable file with this name on PATH.
pub fn find_on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| {
        std::fs::metadata(candidate)
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    })
}
