//! Scripts that are kept, by their SHA1 digest.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::source;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;

/// A script that compiles.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::server::embedded) struct Script {
    /// Forty hexadecimal digits, of the text as it came.
    pub(in crate::server::embedded) digest: String,
    /// What Lua is to run.
    pub(super) body: Vec<u8>,
    /// Its first line says that it changes nothing.
    pub(in crate::server::embedded) read_only: bool,
    /// Its first line says that it is not for clusters.
    pub(super) no_cluster: bool,
    /// Its first line says that its keys may be in several slots.
    pub(super) cross_slot: bool,
    /// It has no such line: Redis is then lenient with it.
    pub(super) old_style: bool,
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
