//! The house rules that no compiler knows: who may import whom, what doors hold, where waiting happens.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms it may import.
const ROOMS: &[(&str, &[&str])] = &[
    ("clock", &[]),
    ("guard", &["clock"]),
    ("server", &["clock"]),
    ("lab", &["clock", "guard"]),
    ("lesson", &["lab"]),
    ("judge", &["lab", "lesson"]),
    ("drill", &["clock"]),
    ("tui", &["clock", "lab", "lesson", "judge", "drill"]),
    ("cli", &["clock", "server", "lab", "lesson", "judge", "drill", "tui"]),
];

fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).expect("src can be read") {
            let path = entry.expect("src can be listed").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("sources are text");
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 50, "the walk finds the sources");
    found
}

fn room(path: &Path) -> String {
    let inside = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).expect("below src");
    let first =
        inside.components().next().expect("a file has a name").as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// The rooms named by `crate::room` in code; documentation may name any.
fn imports(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("//") {
            continue;
        }
        assert!(!line.contains("use crate::{"), "one `use` for each room: {line}");
        for part in line.split("crate::").skip(1) {
            let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if ROOMS.iter().any(|(room, _)| *room == name) {
                found.push((number, name));
            }
        }
    }
    found
}

#[test]
fn imports_run_one_way() {
    for (path, text) in sources() {
        let home = room(&path);
        let Some((_, allowed)) = ROOMS.iter().find(|(room, _)| *room == home) else { continue };
        for (line, other) in imports(&text) {
            let fine = other == home || allowed.contains(&other.as_str());
            assert!(fine, "{}:{line}: `{home}` may not import `{other}`", path.display());
        }
    }
}

#[test]
fn inside_the_app_only_the_runtime_and_the_host_wait() {
    for (path, text) in sources().into_iter().filter(|(path, _)| room(path) == "tui") {
        let file = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        if !["runtime.rs", "host.rs", "headless.rs"].contains(&file.as_str()) {
            let waits = text.replace(".awaiting", "").contains(".await") || text.contains(".recv");
            assert!(!waits, "{} waits", path.display());
        }
        if path.components().any(|part| part.as_os_str() == "view") {
            for forbidden in ["&mut Model", "&mut Session", "Effect", "host::"] {
                assert!(
                    !text.contains(forbidden),
                    "{}: a view only reads, and it names {forbidden}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn doors_hold_documentation_and_names_only() {
    for (path, text) in sources().into_iter().filter(|(path, _)| path.ends_with("mod.rs")) {
        assert!(text.starts_with("//!"), "{} says what its room is for", path.display());
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let logic = code.filter(|line| line.contains("fn ")).count();
        assert_eq!(logic, 0, "{} is a door and holds logic", path.display());
    }
}

#[test]
fn every_file_says_what_it_is() {
    for (path, text) in sources() {
        assert!(text.starts_with("//!"), "{} begins with its module's documentation", path.display());
    }
}

#[test]
fn no_select_is_left_to_chance() {
    for (path, text) in sources() {
        for part in text.split("select! {").skip(1) {
            assert!(part.trim_start().starts_with("biased;"), "{}: an unbiased select", path.display());
        }
    }
}
