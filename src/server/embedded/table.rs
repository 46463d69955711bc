//! The table of commands.
//!
//! A family of commands has a file in `commands/` and ends in a list of [`Spec`]s; [`find`] looks through all of them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::commands;
use super::dialect::Dialect;
use super::spec::Spec;

/// All families.
const FAMILIES: [&[Spec]; 14] = [
    commands::strings::COMMANDS,
    commands::set::COMMANDS,
    commands::counters::COMMANDS,
    commands::keys::COMMANDS,
    commands::keyspace::COMMANDS,
    commands::expiry::COMMANDS,
    commands::hashes::COMMANDS,
    commands::scripting::COMMANDS,
    commands::transactions::COMMANDS,
    commands::connection::COMMANDS,
    commands::client::COMMANDS,
    commands::server::COMMANDS,
    commands::introspection::COMMANDS,
    commands::cluster::COMMANDS,
];

static BY_NAME: LazyLock<BTreeMap<&'static str, &'static Spec>> =
    LazyLock::new(|| FAMILIES.iter().copied().flatten().map(|spec| (spec.name, spec)).collect());

/// The longest name there is.
const LONGEST_NAME: usize = 32;

/// All commands of a presentation, by name.
pub(super) fn all(dialect: Dialect) -> impl Iterator<Item = &'static Spec> {
    BY_NAME.values().copied().filter(move |spec| spec.only.is_none_or(|only| only == dialect))
}

/// The command of this name, whatever the letters' case.
pub(super) fn find(dialect: Dialect, name: &[u8]) -> Option<&'static Spec> {
    let mut small = [0; LONGEST_NAME];
    let small = small.get_mut(..name.len())?;
    small.copy_from_slice(name);
    small.make_ascii_lowercase();
    let spec = *BY_NAME.get(std::str::from_utf8(small).ok()?)?;
    spec.only.is_none_or(|only| only == dialect).then_some(spec)
}

/// The subcommand of this name.
pub(super) fn find_subcommand(
    dialect: Dialect,
    container: &'static Spec,
    name: &[u8],
) -> Option<&'static Spec> {
    container.subcommands().iter().find(|spec| {
        let own = spec.name.split_once('|').map_or(spec.name, |(_, own)| own);
        own.as_bytes().eq_ignore_ascii_case(name) && spec.only.is_none_or(|only| only == dialect)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_short() {
        let count: usize = FAMILIES.iter().map(|family| family.len()).sum();
        assert_eq!(BY_NAME.len(), count, "no name is listed twice");
        assert!(BY_NAME.keys().all(|name| name.len() <= LONGEST_NAME && name.to_ascii_lowercase() == *name));
    }

    #[test]
    fn every_command_says_what_it_does() {
        let subcommands = BY_NAME.values().flat_map(|spec| spec.subcommands());
        for spec in BY_NAME.values().copied().chain(subcommands) {
            assert!(!spec.about.is_empty(), "{}", spec.name);
        }
    }
}
