//! Scripts that are kept, by their SHA1 digest.

use std::collections::BTreeMap;
use std::sync::Arc;

use bitflags::bitflags;

use super::source;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;

bitflags! {
    /// What a script says of itself in its first line.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::server::embedded) struct Says: u8 {
        /// It changes nothing.
        const NO_WRITES = 1;
        /// It is not for clusters.
        const NO_CLUSTER = 1 << 1;
        /// Its keys may be in several slots. Redis takes this of every script without such a line.
        const CROSS_SLOT = 1 << 2;
    }
}

/// A script that compiles.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::server::embedded) struct Script {
    /// Forty hexadecimal digits, of the text as it came.
    pub(in crate::server::embedded) digest: String,
    /// What Lua is to run.
    pub(super) body: Vec<u8>,
    pub(in crate::server::embedded) says: Says,
}

#[derive(Debug, Default)]
pub(in crate::server::embedded) struct Library(BTreeMap<String, Arc<Script>>);

impl Library {
    /// Keeps a script, after a look at whether it compiles.
    pub(in crate::server::embedded) fn keep(
        &mut self,
        text: &[u8],
        dialect: Dialect,
    ) -> Result<Arc<Script>, CommandError> {
        let digest = sha1_smol::Sha1::from(text).digest().to_string();
        if let Some(known) = self.0.get(&digest) {
            return Ok(Arc::clone(known));
        }
        let script = Arc::new(source::read(text, digest, dialect)?);
        self.0.insert(script.digest.clone(), Arc::clone(&script));
        Ok(script)
    }

    pub(in crate::server::embedded) fn find(&self, digest: &[u8]) -> Option<Arc<Script>> {
        let digest = std::str::from_utf8(digest).ok()?.to_ascii_lowercase();
        self.0.get(&digest).map(Arc::clone)
    }

    pub(in crate::server::embedded) fn clear(&mut self) {
        self.0.clear();
    }
}
