//! Files that the app reads and writes for the learner. A failure is a message on the screen.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Something to be done with a file.
#[derive(Clone, Debug)]
pub(super) enum FileTask {
    /// Read the learner's program; where there is none yet, write `given` there first.
    Open { path: PathBuf, given: String },
    /// Read it again if it is there.
    Look { path: PathBuf },
    /// Put `given` there again, and keep what was there beside it.
    Reset { path: PathBuf, given: String },
    /// Write a journal to a new file in the folder we were started in; its name begins with `stem`.
    SaveRun { stem: String, text: String },
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum FileReport {
    /// What is in the learner's program.
    Program(String),
    /// Something to tell.
    Told(String),
}

/// Does it. `None`: there is nothing to say.
pub(super) fn perform(task: &FileTask) -> Option<FileReport> {
    match task {
        FileTask::Look { path } => std::fs::read_to_string(path).ok().map(FileReport::Program),
        FileTask::Open { path, given } => Some(told(path, open(path, given))),
        FileTask::Reset { path, given } => Some(told(path, reset(path, given))),
        FileTask::SaveRun { stem, text } => Some(FileReport::Told(match save(stem, text) {
            Ok(path) => format!("saved as {path}; `stampede play --journal-in {path}` plays it again"),
            Err(error) => format!("could not save the run here: {error}"),
        })),
    }
}

fn told(path: &Path, outcome: io::Result<String>) -> FileReport {
    match outcome {
        Ok(text) => FileReport::Program(text),
        Err(error) => FileReport::Told(format!("could not use {}: {error}", path.display())),
    }
}

fn open(path: &Path, given: &str) -> io::Result<String> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(path, given)?;
            Ok(given.to_owned())
        }
        read => read,
    }
}

/// The old attempt is kept as `repair.1.lua`, `repair.2.lua` and so on.
fn reset(path: &Path, given: &str) -> io::Result<String> {
    let old = std::fs::read_to_string(path)?;
    if old != given {
        new_file(|number| path.with_extension(format!("{number}.lua")))?.1.write_all(old.as_bytes())?;
        std::fs::write(path, given)?;
    }
    Ok(given.to_owned())
}

fn save(stem: &str, text: &str) -> io::Result<String> {
    let (path, mut file) = new_file(|number| PathBuf::from(format!("{stem}-{number}.jsonl")))?;
    file.write_all(text.as_bytes())?;
    Ok(path.display().to_string())
}

/// The first of the numbered files that is not there yet.
fn new_file(name: impl Fn(u32) -> PathBuf) -> io::Result<(PathBuf, std::fs::File)> {
    let mut number = 1;
    loop {
        let path = name(number);
        match std::fs::File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            created => return Ok((path, created?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_kept_when_the_program_is_reset() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("repairs/04/repair.lua");
        assert_eq!(open(&path, "given").unwrap(), "given");
        for attempt in ["first", "second"] {
            std::fs::write(&path, attempt).unwrap();
            assert_eq!(open(&path, "given").unwrap(), attempt, "what the learner wrote is not overwritten");
            assert_eq!(reset(&path, "given").unwrap(), "given");
        }
        assert_eq!(std::fs::read_to_string(path.with_extension("1.lua")).unwrap(), "first");
        assert_eq!(std::fs::read_to_string(path.with_extension("2.lua")).unwrap(), "second");
        reset(&path, "given").unwrap();
        assert!(!path.with_extension("3.lua").exists(), "what was given is no attempt");
    }
}
