//! Lessons that are being written: noticed when they are saved, and read again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::lesson::{Lesson, Shelf};

/// All lessons as they are now, or the first mistake with its place.
pub(super) type Reloaded = Result<Vec<Arc<Lesson>>, String>;

/// A folder of lessons under a learner's editor.
pub(super) struct Watch {
    folder: PathBuf,
    /// When each file was saved last, and how long it was.
    seen: BTreeMap<PathBuf, (Option<SystemTime>, u64)>,
}

impl Watch {
    pub(super) fn new(folder: PathBuf) -> Self {
        let seen = files(&folder);
        Self { folder, seen }
    }

    /// Reads the lessons again if something was saved since it was asked last.
    pub(super) fn look(&mut self) -> Option<Reloaded> {
        let now = files(&self.folder);
        if now == self.seen {
            return None;
        }
        self.seen = now;
        let shelf = Shelf::open(Some(&self.folder)).map_err(|error| error.to_string());
        Some(shelf.map(|shelf| shelf.lessons.into_iter().map(Arc::new).collect()))
    }
}

/// The files of a lesson, or of a folder of lessons. What cannot be looked at now is looked at the next time.
fn files(folder: &Path) -> BTreeMap<PathBuf, (Option<SystemTime>, u64)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(about) if about.is_dir() && depth == 0 => folders.push((entry.path(), 1)),
                Ok(about) if about.is_file() => {
                    found.insert(entry.path(), (about.modified().ok(), about.len()));
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_saved_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let lesson = folder.path().join("90-mine");
        std::fs::create_dir(&lesson).unwrap();
        let mut watch = Watch::new(folder.path().to_owned());
        assert!(watch.look().is_none());
        std::fs::write(lesson.join("lesson.md"), "nothing").unwrap();
        let mistake = watch.look().expect("a file was saved").expect_err("it is no lesson");
        assert!(mistake.contains("lesson.md:1:1"), "{mistake}");
        assert!(watch.look().is_none());
    }
}
