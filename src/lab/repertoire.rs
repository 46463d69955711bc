//! What the workers of a run may send: which keys, and which scripts.

use super::bytes::Bytes;
use super::command::{Command, Refusal};
use super::setup::{Global, Setup};

/// The keys and scripts of a run.
#[derive(Clone, Debug)]
pub(super) struct Repertoire {
    keys: Vec<Bytes>,
    /// As `EVAL` names them, and as `EVALSHA` does.
    scripts: Vec<Bytes>,
}

impl Repertoire {
    /// The texts among the globals are scripts, and programs in Rust bring their own.
    pub(super) fn of(setup: &Setup) -> Self {
        let texts: Vec<Bytes> = Self::texts(setup).map(Bytes::from).collect();
        // A digest does not tell whether its script looks at a countdown.
        let blind = texts.iter().filter(|text| !text.to_string().to_ascii_lowercase().contains("ttl"));
        let digests = blind.map(|text| sha1_smol::Sha1::from(text.as_slice()).digest().to_string().into());
        let digests: Vec<Bytes> = digests.collect();
        Self { keys: setup.keys.all(), scripts: texts.into_iter().chain(digests).collect() }
    }

    fn texts(setup: &Setup) -> impl Iterator<Item = &str> {
        let named = setup.globals.values().filter_map(|global| match global {
            Global::Text(text) => Some(text.as_str()),
            Global::Number(_) => None,
        });
        named.chain(setup.scripts.iter().copied())
    }

    /// Commands that make the server know the scripts that are sent by digest, so that the first run is like the second.
    pub(super) fn preload(setup: &Setup) -> Vec<Command> {
        setup.scripts.iter().map(|text| Command::of(["SCRIPT", "LOAD", text])).collect()
    }

    /// Checks that a worker may send it.
    ///
    /// # Errors
    /// A [`Refusal`] that says which word is wrong and what was expected.
    pub(super) fn check(&self, command: &Command) -> Result<(), Refusal> {
        command.check(&self.keys, &self.scripts)
    }
}
