//! Where lessons are found: in the program itself, and in a teacher's folder.

use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use super::error::LessonError;
use super::load::{Folder, load};
use super::model::Lesson;

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/lessons");

/// All lessons there are, in order.
#[derive(Clone, Debug)]
pub struct Shelf {
    pub lessons: Vec<Lesson>,
}

/// Why a shelf cannot be filled, or has no such lesson.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    #[error("could not read {}: {why}", path.display())]
    Unreadable { path: PathBuf, why: std::io::Error },
    #[error("there is no lesson in {}; expected folders with a lesson.md", .0.display())]
    Empty(PathBuf),
    #[error(transparent)]
    Lesson(#[from] LessonError),
    #[error("there is no lesson `{wanted}`; there are {known}")]
    NoLesson { wanted: String, known: String },
}

impl Shelf {
    /// The lessons that ship, and those in `extra`. A lesson there with the name of one that ships takes its place.
    ///
    /// # Errors
    /// When a folder cannot be read or a lesson has a mistake.
    pub fn open(extra: Option<&Path>) -> Result<Self, ShelfError> {
        let mut lessons = Vec::new();
        for folder in BUILT_IN.dirs() {
            lessons.push(load(&built_in(folder))?);
        }
        if let Some(path) = extra {
            for folder in folders(path)? {
                let lesson = load(&folder)?;
                lessons.retain(|known: &Lesson| known.slug != lesson.slug);
                lessons.push(lesson);
            }
        }
        lessons.sort_by(|a, b| a.slug.cmp(&b.slug));
        Ok(Self { lessons })
    }

    /// Finds a lesson by its slug, its number, or its name without the number.
    ///
    /// # Errors
    /// When there is none; the error lists those there are.
    pub fn find(&self, wanted: &str) -> Result<usize, ShelfError> {
        let number: Option<u32> = wanted.parse().ok();
        let is_it = |lesson: &Lesson| {
            lesson.slug == wanted
                || number.is_some_and(|number| number == lesson.number())
                || lesson.slug.split_once('-').is_some_and(|(_, name)| name == wanted)
        };
        self.lessons.iter().position(is_it).ok_or_else(|| ShelfError::NoLesson {
            wanted: wanted.to_owned(),
            known: self.lessons.iter().map(|lesson| lesson.slug.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

fn built_in(dir: &Dir<'_>) -> Folder {
    let name = name_of(dir.path());
    let files = dir
        .files()
        .filter_map(|file| Some((name_of(file.path()), file.contents_utf8()?.to_owned())))
        .collect();
    Folder { path: format!("lessons/{name}"), name, files }
}

/// The folders with a `lesson.md` in `path`, or `path` itself when it is one.
///
/// # Errors
/// When something cannot be read, or nothing is there.
pub fn folders(path: &Path) -> Result<Vec<Folder>, ShelfError> {
    let path = if path.ends_with("lesson.md") { path.parent().unwrap_or(path) } else { path };
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let unreadable = |why| ShelfError::Unreadable { path: path.to_owned(), why };
    if path.join("lesson.md").is_file() {
        return Ok(vec![read_folder(path)?]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let inner = entry.map_err(unreadable)?.path();
        if inner.join("lesson.md").is_file() {
            found.push(read_folder(&inner)?);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    if found.is_empty() { Err(ShelfError::Empty(path.to_owned())) } else { Ok(found) }
}

fn read_folder(path: &Path) -> Result<Folder, ShelfError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |why| ShelfError::Unreadable { path, why }
    };
    let path = path.canonicalize().map_err(unreadable(path))?;
    let mut folder = Folder { name: name_of(&path), path: shown(&path), ..Folder::default() };
    for entry in std::fs::read_dir(&path).map_err(unreadable(&path))? {
        let file = entry.map_err(unreadable(&path))?.path();
        if file.is_file() && !name_of(&file).starts_with('.') {
            let text = std::fs::read_to_string(&file).map_err(unreadable(&file))?;
            // Places in a file are counted in its lines, whatever editor ended them.
            folder.files.insert(name_of(&file), text.replace("\r\n", "\n"));
        }
    }
    Ok(folder)
}

/// A path from where we stand, when that is shorter.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path).display().to_string()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
