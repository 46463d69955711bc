//! The files of a lesson, wherever they are.

use std::collections::BTreeMap;

/// The files of a lesson's folder.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// The folder's own name; the lesson's slug.
    pub name: String,
    /// Where it is, as errors say it.
    pub path: String,
    pub files: BTreeMap<String, String>,
}
