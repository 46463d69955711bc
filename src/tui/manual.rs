//! What is known of Redis commands, for the prompt and for rows of the log.

use std::sync::LazyLock;

use serde::Deserialize;

/// One command.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub name: String,
    pub syntax: String,
    /// As the field writes it: `O(1)`.
    pub cost: String,
    /// The first server that has it.
    pub since: String,
    pub does: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    commands: Vec<Entry>,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("../../assets/commands.toml"))
        .expect("the commands that ship were read by a test");
    file.commands
});

/// All of them, in alphabetical order.
pub(super) fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// The one of this name, in any case.
pub(super) fn entry(name: &str) -> Option<&'static Entry> {
    entries().iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_its_place_and_is_written_as_it_is_called() {
        for pair in entries().windows(2) {
            assert!(pair[0].name < pair[1].name, "{} comes after {}", pair[0].name, pair[1].name);
        }
        for entry in entries() {
            assert!(entry.syntax.starts_with(&entry.name), "{}", entry.name);
            assert!(entry.does.chars().count() <= 100, "{}: too long", entry.name);
        }
    }
}
