//! The scripts that run on the server. Each is about one key.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::wire::Script;

macro_rules! script {
    ($path:literal) => {
        include_str!(concat!("../../assets/scripts/", $path))
    };
}

/// The texts of all scripts that a guard may send: for loading them ahead, or for reading them.
pub const SCRIPTS: [&str; 6] = [
    script!("release.lua"),
    script!("extend.lua"),
    script!("guard/claim.lua"),
    script!("guard/prolong.lua"),
    script!("guard/replace.lua"),
    script!("guard/postpone.lua"),
];

/// Name and text of the script with this digest, for reading logs of a server.
pub fn script_of(digest: &str) -> Option<(&'static str, &'static str)> {
    static KNOWN: LazyLock<BTreeMap<String, (&'static str, &'static str)>> = LazyLock::new(|| {
        const NAMES: [&str; 6] = ["release", "extend", "claim", "prolong", "replace", "postpone"];
        let digest = |text: &str| sha1_smol::Sha1::from(text).digest().to_string();
        NAMES.into_iter().zip(SCRIPTS).map(|(name, text)| (digest(text), (name, text))).collect()
    });
    KNOWN.get(digest).copied()
}

/// Deletes a lock if it holds a token.
pub(super) const RELEASE: Script = Script::new(SCRIPTS[0]);
/// Sets the life of a lock anew if it holds a token.
pub(super) const EXTEND: Script = Script::new(SCRIPTS[1]);
/// Looks again, and claims an empty place.
pub(super) const CLAIM: Script = Script::new(SCRIPTS[2]);
/// Sets the life of a claim anew if it is still there.
pub(super) const PROLONG: Script = Script::new(SCRIPTS[3]);
/// Replaces an entry if it is still the one.
pub(super) const REPLACE: Script = Script::new(SCRIPTS[4]);
/// Writes into an entry when to try again.
pub(super) const POSTPONE: Script = Script::new(SCRIPTS[5]);
