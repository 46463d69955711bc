//! What the log's first so many bytes add up to, so that a start need not read all of it.
//!
//! A snapshot is replaced atomically, and the one before it stays beside it. It has a checksum: one that is damaged may
//! still read well. Where there is none that can be used there is the log.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tempfile::NamedTempFile;

use super::progress::Progress;
use super::store::read;

pub(super) const SNAPSHOT: &str = "progress.json";
pub(super) const BACKUP: &str = "progress.backup.json";

/// The version that this program writes.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Snapshot {
    version: u32,
    /// How much of the log it is made of.
    log_bytes: u64,
    /// Of all the rest.
    sha1: String,
    progress: Box<RawValue>,
}

/// The version alone, which every version can read.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// What stands in a folder.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The newest snapshot that can be used, and how much of the log it is made of.
    pub known: Option<(Progress, u64)>,
    /// The newest is of a newer program, and not ours to replace.
    pub newer: bool,
}

/// Looks for a snapshot; what there is to tell goes to `told`.
pub(super) fn find(folder: &Path, told: &mut Vec<String>) -> Found {
    for name in [SNAPSHOT, BACKUP] {
        let text = match read(&folder.join(name)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                told.push(format!("{} could not be read: {error}", folder.join(name).display()));
                continue;
            }
        };
        let version = serde_json::from_slice::<Version>(&text).ok();
        if let Some(Version { version }) = version.filter(|known| known.version > VERSION) {
            told.push(format!(
                "{name} is of a newer stampede (version {version}, this one knows {VERSION}); it stays as it is, and \
                 progress is read from the answers"
            ));
            return Found { known: None, newer: true };
        }
        match parse(&text) {
            Some(known) => return Found { known: Some(known), newer: false },
            None => told.push(format!("{name} is damaged; progress is read from what stands beside it")),
        }
    }
    Found::default()
}

/// What a snapshot says, and of how much of the log; `None` for one that is damaged.
fn parse(text: &[u8]) -> Option<(Progress, u64)> {
    let Snapshot { log_bytes, sha1, progress, .. } = serde_json::from_slice(text).ok()?;
    let whole = sha1 == sum(log_bytes, &progress);
    Some((serde_json::from_str(progress.get()).ok().filter(|_| whole)?, log_bytes))
}

/// Puts a new one in the place of the last.
///
/// # Errors
/// When a file cannot be written or moved.
pub(super) fn replace(folder: &Path, progress: &Progress, log_bytes: u64) -> io::Result<()> {
    let progress = serde_json::value::to_raw_value(progress)?;
    let snapshot = Snapshot { version: VERSION, log_bytes, sha1: sum(log_bytes, &progress), progress };
    // Under a name of its own: another may be doing the same.
    let mut new = NamedTempFile::with_prefix_in(format!("{SNAPSHOT}."), folder)?;
    new.write_all(&serde_json::to_vec(&snapshot)?)?;
    new.as_file().sync_all()?;
    match fs::rename(folder.join(SNAPSHOT), folder.join(BACKUP)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    new.persist(folder.join(SNAPSHOT))?;
    Ok(())
}

fn sum(log_bytes: u64, progress: &RawValue) -> String {
    let mut sum = sha1_smol::Sha1::from(progress.get());
    sum.update(&log_bytes.to_le_bytes());
    sum.digest().to_string()
}
