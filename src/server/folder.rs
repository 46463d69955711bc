//! The folder of a server of our own: only we can enter it, and it goes when we do.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary folder for a socket.
#[derive(Debug)]
pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> std::io::Result<Self> {
        let permissions = std::fs::Permissions::from_mode(0o700);
        tempfile::Builder::new().prefix("stampede-").permissions(permissions).tempdir().map(Self)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn socket(&self) -> PathBuf {
        self.path().join("redis.sock")
    }
}
