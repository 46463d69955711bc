//! Deleting a lock only if it is still one's own.

use bytes::Bytes;
use redis::{Value, cmd};

use crate::clock::Runtime;
use crate::guard::scripts::RELEASE;
use crate::guard::sync::atomic::{AtomicU8, Ordering};
use crate::guard::wire::{Connection, Link, Trouble};

/// How this server compares and deletes. Found out once.
#[derive(Debug)]
pub(in crate::guard) struct Release(AtomicU8);

const UNKNOWN: u8 = 0;
const BY_SCRIPT: u8 = 1;
/// Redis 8.4: `DELEX key IFEQ token`.
const BY_DELEX: u8 = 2;
/// Valkey 9: `DELIFEQ key token`.
const BY_DELIFEQ: u8 = 3;

impl Release {
    /// Uses the server's own command when it has one, if that is wanted, and the script otherwise.
    pub(in crate::guard) fn new(native: bool) -> Self {
        Self(AtomicU8::new(if native { UNKNOWN } else { BY_SCRIPT }))
    }

    /// Deletes `lock` if it holds `token`; false when it does not.
    pub(in crate::guard) async fn release<C: Connection, R: Runtime>(
        &self,
        link: &Link<C, R>,
        lock: &Bytes,
        token: &str,
    ) -> Result<bool, Trouble> {
        let reply = match self.way(link).await {
            BY_DELEX => link.ask_twice(cmd("DELEX").arg(&lock[..]).arg("IFEQ").arg(token)).await,
            BY_DELIFEQ => link.ask_twice(cmd("DELIFEQ").arg(&lock[..]).arg(token)).await,
            _ => RELEASE.run(link, lock, &[token.as_bytes()]).await,
        };
        match reply {
            Ok(reply) => Ok(reply == Value::Int(1)),
            // Another server took over that does not have the command, or the account may not use it.
            Err(Trouble::Refused(_)) if self.0.swap(BY_SCRIPT, Ordering::Relaxed) != BY_SCRIPT => {
                RELEASE.run(link, lock, &[token.as_bytes()]).await.map(|reply| reply == Value::Int(1))
            }
            Err(trouble) => Err(trouble),
        }
    }

    async fn way<C: Connection, R: Runtime>(&self, link: &Link<C, R>) -> u8 {
        let known = self.0.load(Ordering::Relaxed);
        if known != UNKNOWN {
            return known;
        }
        // A server that does not know a command answers nil in its place.
        let found = match link.ask(cmd("COMMAND").arg("INFO").arg("DELEX").arg("DELIFEQ")).await {
            Ok(Value::Array(commands)) => match commands.as_slice() {
                [Value::Array(delex), ..] if !delex.is_empty() => BY_DELEX,
                [_, Value::Array(delifeq)] if !delifeq.is_empty() => BY_DELIFEQ,
                _ => BY_SCRIPT,
            },
            Err(Trouble::Refused(_)) => BY_SCRIPT,
            // Not found out today.
            _ => return BY_SCRIPT,
        };
        self.0.store(found, Ordering::Relaxed);
        found
    }
}
