//! The server as a whole: started, reached, ended.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use super::crowd::Crowd;
use super::engine::Engine;
use super::line::{Line, NoTurn};
use super::options::Options;
use super::shared::Shared;
use crate::server::error::ServerError;
use crate::server::folder::Folder;

/// A running embedded server. Dropping it ends it and removes its folder.
#[derive(Debug)]
pub struct Embedded {
    shared: Arc<Shared>,
    crowd: Arc<Crowd>,
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
        let shared = Arc::new(Shared::new(Engine::new(options, path.display().to_string())));
        let crowd = Crowd::open(&shared, path, options.dialect).map_err(failed)?;
        Ok(Self { shared, crowd, folder, heir })
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
        self.crowd.close();
        if let Some(mut heir) = self.heir.take() {
            drop(heir.stdin.take());
            // It removes what we are about to remove anyway.
            let _ = heir.wait();
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
