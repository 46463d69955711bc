//! Progress on disk: a log that only grows, and a snapshot that saves reading all of it.
//!
//! `answers.jsonl` is the truth. An entry is appended, and on the disk, before the next one is asked for. `progress.json` says
//! what the log's first so many bytes add up to; it is replaced atomically, and the one before it stays as
//! `progress.backup.json`. Whatever happens to the files, opening never fails: it takes what can be read, and says what
//! it did. Several programs may write at once; each line goes out whole, under a lock that is held for that long only.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::entry::Entry;
use super::progress::Progress;
use super::snapshot::{self, BACKUP, Found, SNAPSHOT};
use super::time::Calendar;

const LOG: &str = "answers.jsonl";

/// After so many entries a new snapshot is made.
const SNAPSHOT_EVERY: u32 = 200;

/// Why answers are not where they belong.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// They are kept in memory, and written with the next one.
    #[error(
        "could not write {path}: {error}; answers wait in memory ({waiting}) and are tried again with the next"
    )]
    Waiting { path: PathBuf, waiting: usize, error: io::Error },
    /// The program has ended, and could write them elsewhere.
    #[error(
        "could not write {path}: {error}; what was answered is in {rescue}, and `stampede progress import` adds it once \
         the folder can be written"
    )]
    Rescued { path: PathBuf, rescue: PathBuf, error: io::Error },
    /// The program has ended, and could write them nowhere.
    #[error("could not write {path}: {error}; answers are lost with this program ({waiting})")]
    Lost { path: PathBuf, waiting: usize, error: io::Error },
}

/// A learner's progress, and where it is kept.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    progress: Progress,
    /// How much of the log has been taken in.
    read_to: u64,
    /// What could not be written yet.
    waiting: Vec<Entry>,
    /// What other programs wrote, and nobody has been told yet.
    others: Vec<Entry>,
    since_snapshot: u32,
    /// A newer program has written here, and its snapshot would know more than ours.
    newer: bool,
    /// How often the folder had been begun anew when it was read.
    resets: u32,
    /// It has been begun anew since, and nobody has been told yet.
    begun_anew: bool,
    /// Nothing is written.
    forgetful: bool,
}

impl Store {
    /// Opens what is in `folder`; a folder that is not there is made with the first answer. Returns what there is to tell
    /// about the files, in sentences.
    pub fn open(folder: &Path, calendar: Calendar) -> (Self, Vec<String>) {
        let mut told = Vec::new();
        let resets = resets(folder);
        let mut store =
            Self { folder: folder.to_owned(), resets, forgetful: false, ..Self::forgetful(calendar) };
        let Found { known, newer } = snapshot::find(folder, &mut told);
        store.newer = newer;
        let from_snapshot = known.is_some();
        if let Some((progress, log_bytes)) = known {
            store.progress = progress;
            store.read_to = log_bytes;
        }
        store.progress.calendar = calendar;
        let log = match read(&store.path(LOG)) {
            Ok(log) => log,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                // It may be read the next time; until then there is what the snapshot knows of it.
                told.push(format!("{} could not be read: {error}", store.path(LOG).display()));
                return (store, told);
            }
        };
        let length = log.len() as u64;
        if store.read_to > length {
            told.push(format!(
                "{LOG} is {} bytes shorter than it was; what {SNAPSHOT} knows of them is kept",
                store.read_to - length
            ));
            store.read_to = length;
            store.snapshot();
        }
        let new = usize::try_from(store.read_to).ok().and_then(|at| log.get(at..)).unwrap_or_default();
        let Lines { mut entries, unreadable, newer } = entries(new);
        store.newer |= newer;
        if unreadable > 0 {
            told.push(format!(
                "{unreadable} lines of {LOG} cannot be read, cut off or from a newer program; they stay where they are"
            ));
        }
        if !from_snapshot {
            // Entries that were imported may be older than those before them.
            entries.sort_by_key(|entry| entry.at);
        }
        store.progress.take_all(&entries);
        store.since_snapshot = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        store.read_to = length;
        (store, told)
    }

    /// One that keeps nothing beyond its own life, for demonstrations and tests.
    pub fn forgetful(calendar: Calendar) -> Self {
        Self {
            folder: PathBuf::new(),
            progress: Progress { calendar, ..Progress::default() },
            read_to: 0,
            waiting: Vec::new(),
            others: Vec::new(),
            since_snapshot: 0,
            newer: false,
            resets: 0,
            begun_anew: false,
            forgetful: true,
        }
    }

    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes an entry in, and writes it.
    ///
    /// # Errors
    /// When it could not be written; it counts all the same, and is written with the next one.
    pub fn append(&mut self, entry: Entry) -> Result<(), StoreError> {
        self.append_all(vec![entry])
    }

    /// Takes entries in, and writes them together.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub fn append_all(&mut self, new: Vec<Entry>) -> Result<(), StoreError> {
        let written = if self.forgetful { Ok(()) } else { self.write(&new) };
        self.progress.take_all(&new);
        match written {
            Ok(()) => {
                self.waiting.clear();
                self.since_snapshot =
                    self.since_snapshot.saturating_add(u32::try_from(new.len()).unwrap_or(u32::MAX));
                if self.since_snapshot >= SNAPSHOT_EVERY {
                    self.snapshot();
                }
                Ok(())
            }
            Err(error) => {
                self.waiting.extend(new);
                Err(StoreError::Waiting { path: self.path(LOG), waiting: self.waiting.len(), error })
            }
        }
    }

    /// Takes in what other programs have written meanwhile.
    ///
    /// # Errors
    /// When there is a log and it cannot be read; there may be more the next time.
    pub fn look(&mut self) -> io::Result<()> {
        let path = self.path(LOG);
        if self.forgetful || self.reread() || fs::metadata(&path).map_or(0, |log| log.len()) <= self.read_to {
            return Ok(());
        }
        let mut log = File::open(path)?;
        let _ = log.lock_shared();
        self.catch_up(&mut log)?;
        Ok(())
    }

    /// True, once, when the folder was begun anew by another program: what is known is what was answered since.
    pub fn begun_anew(&mut self) -> bool {
        std::mem::take(&mut self.begun_anew)
    }

    /// What other programs wrote and this one has taken in, since it was asked last.
    pub fn others(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.others)
    }

    /// Tries once more to write what waits, and makes a snapshot.
    ///
    /// # Errors
    /// When something still could not be written where it belongs; it goes to a file for temporary things then.
    pub fn close(mut self) -> Result<(), StoreError> {
        if !self.waiting.is_empty() {
            if let Err(error) = self.write(&[]) {
                let (path, waiting) = (self.path(LOG), self.waiting.len());
                return Err(match self.rescue() {
                    Ok(rescue) => StoreError::Rescued { path, rescue, error },
                    Err(_) => StoreError::Lost { path, waiting, error },
                });
            }
            self.waiting.clear();
        }
        if self.since_snapshot > 0 {
            self.snapshot();
        }
        Ok(())
    }

    /// Every entry of the log that can be read, oldest first.
    ///
    /// # Errors
    /// When there is a log and it cannot be read.
    pub fn entries(&self) -> io::Result<Vec<Entry>> {
        match read(&self.path(LOG)) {
            Ok(log) => {
                let mut entries = entries(&log).entries;
                entries.sort_by_key(|entry| entry.at);
                Ok(entries)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Adds the lines of another log that are not in this one; returns how many these were, and how many could not be read.
    ///
    /// # Errors
    /// When they could not be written, or this log not read.
    pub fn import(&mut self, text: &[u8]) -> io::Result<(usize, usize)> {
        let Lines { entries: theirs, unreadable, .. } = entries(text);
        let ours = self.entries()?;
        let new: Vec<Entry> = theirs.into_iter().filter(|entry| !ours.contains(entry)).collect();
        let count = new.len();
        if count > 0 {
            // A log that was cut off knows less than what it once added up to.
            let whole = ours.len() as u64 >= self.progress.entries;
            self.append_all(new).map_err(io::Error::other)?;
            if whole {
                // Theirs may lie between ours: everything is added up anew, in the order of time.
                self.progress = Progress { calendar: self.progress.calendar, ..Progress::default() };
                self.progress.take_all(&self.entries()?);
            }
            self.snapshot();
        }
        Ok((count, unreadable))
    }

    /// Begins anew; what there was goes to a folder of its own beside it, which is returned.
    ///
    /// # Errors
    /// When a file cannot be moved.
    pub fn reset(folder: &Path) -> io::Result<Option<PathBuf>> {
        // Who is writing just now shall be done.
        let log = opened(folder);
        let _ = log.as_ref().map(File::lock);
        let files: Vec<_> =
            [LOG, SNAPSHOT, BACKUP].into_iter().filter(|name| folder.join(name).exists()).collect();
        if files.is_empty() {
            return Ok(None);
        }
        let moved = tempfile::Builder::new().prefix("resetting-").tempdir_in(folder)?.keep();
        files.iter().try_for_each(|name| fs::rename(folder.join(name), moved.join(name)))?;
        // Other programs look for the folder under its last name: with it, everything has been moved.
        let aside = aside(folder, resets(folder) + 1);
        fs::rename(&moved, &aside)?;
        Ok(Some(aside))
    }

    /// True when the folder was begun anew after it was read.
    fn is_outdated(&self) -> bool {
        aside(&self.folder, self.resets + 1).exists()
    }

    /// Reads everything anew where another program has begun anew; true if it has.
    fn reread(&mut self) -> bool {
        if !self.is_outdated() {
            return false;
        }
        let (anew, _) = Self::open(&self.folder, self.progress.calendar);
        let waiting = std::mem::take(&mut self.waiting);
        *self = Self { begun_anew: true, ..anew };
        self.progress.take_all(&waiting);
        self.waiting = waiting;
        true
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes what waits into a file of its own.
    fn rescue(&self) -> io::Result<PathBuf> {
        let mut file = tempfile::Builder::new().prefix("stampede-answers-").suffix(".jsonl").tempfile()?;
        file.write_all(lines(&self.waiting)?.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file.keep()?.1)
    }

    /// Appends what waits and what is new, in one piece.
    fn write(&mut self, new: &[Entry]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let (mut log, locked) = loop {
            self.reread();
            let log = OpenOptions::new().read(true).append(true).create(true).open(self.path(LOG))?;
            // Where files cannot be locked, appending in one piece has to do.
            let locked = log.lock().is_ok();
            if !self.is_outdated() {
                break (log, locked);
            }
        };
        let mut text = lines(self.waiting.iter().chain(new))?;
        let torn = self.catch_up(&mut log)?;
        if torn {
            text.insert(0, '\n');
        }
        if let Err(error) = log.write_all(text.as_bytes()).and_then(|()| log.sync_data()) {
            // Half a line would be no answer; and where even this fails, the next one begins on a new line.
            if locked {
                let _ = log.set_len(self.read_to);
            }
            return Err(error);
        }
        self.read_to += text.len() as u64;
        Ok(())
    }

    /// Takes in what another program has written meanwhile. Returns whether the last line is cut off.
    fn catch_up(&mut self, log: &mut File) -> io::Result<bool> {
        let length = log.metadata()?.len();
        let from = self.read_to.min(length).saturating_sub(1);
        log.seek(SeekFrom::Start(from))?;
        let mut text = Vec::new();
        log.take(length - from).read_to_end(&mut text)?;
        let torn = text.last().is_some_and(|last| *last != b'\n');
        let known = usize::try_from(self.read_to.min(length) - from).unwrap_or(0);
        let Lines { entries, newer, .. } = entries(text.get(known..).unwrap_or_default());
        self.newer |= newer;
        self.progress.take_all(&entries);
        self.others.extend(entries);
        self.read_to = from + text.len() as u64;
        Ok(torn)
    }

    /// Replaces the snapshot. Where that fails there is the log, and nothing is lost.
    fn snapshot(&mut self) {
        self.since_snapshot = 0;
        let ours = !self.newer && !self.forgetful && self.waiting.is_empty();
        // Nobody shall begin anew meanwhile.
        let log = opened(&self.folder);
        let _ = log.as_ref().map(File::lock_shared);
        if ours && !self.is_outdated() {
            let _ = snapshot::replace(&self.folder, &self.progress, self.read_to);
        }
    }
}

/// Reads a file, and nothing that only looks like one: a device might never end.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut file = File::open(path)?;
    // Half of what another program is writing just now would be taken for all of it.
    let _ = file.lock_shared();
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    Ok(text)
}

/// Entries as they stand in a log.
fn lines<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> io::Result<String> {
    let mut text = String::new();
    for entry in entries {
        text.push_str(&serde_json::to_string(entry)?);
        text.push('\n');
    }
    Ok(text)
}

/// Where the files go the so-many-th time that everything is begun anew.
fn aside(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("before-reset-{number}"))
}

/// How often everything was begun anew.
fn resets(folder: &Path) -> u32 {
    let mut number = 0;
    while aside(folder, number + 1).exists() {
        number += 1;
    }
    number
}

/// What the lines of a log are.
#[derive(Default)]
struct Lines {
    entries: Vec<Entry>,
    /// So many are no entry.
    unreadable: usize,
    /// Some of these would be one for another program.
    newer: bool,
}

fn entries(text: &[u8]) -> Lines {
    let mut lines = Lines::default();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        if let Ok(entry) = serde_json::from_slice(line) {
            lines.entries.push(entry);
        } else {
            lines.unreadable += 1;
            lines.newer |= serde_json::from_slice::<IgnoredAny>(line).is_ok();
        }
    }
    lines
}

/// The log, to be locked, if there is one: a device might keep whoever opens it waiting.
fn opened(folder: &Path) -> Option<File> {
    let log = folder.join(LOG);
    fs::metadata(&log).is_ok_and(|log| log.is_file()).then(|| File::open(log).ok())?
}
