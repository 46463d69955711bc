//! Lua scripts, sent by their digest.

use redis::{Cmd, Value};

use super::link::{Connection, Link, Trouble};
use crate::clock::Runtime;

/// A script over one key.
#[derive(Clone, Copy, Debug)]
pub(in crate::guard) struct Script {
    text: &'static str,
}

impl Script {
    pub(in crate::guard) const fn new(text: &'static str) -> Self {
        Self { text }
    }

    fn digest(&self) -> String {
        sha1_smol::Sha1::from(self.text).digest().to_string()
    }

    /// Runs it, twice if need be (all of them leave after a second run what they left after the first): by digest, or, when the server does not know it (it is new, was restarted, took over from another, or
    /// somebody flushed its scripts), in full.
    pub(in crate::guard) async fn run<C, R>(
        &self,
        link: &Link<C, R>,
        key: &[u8],
        args: &[&[u8]],
    ) -> Result<Value, Trouble>
    where
        C: Connection,
        R: Runtime,
    {
        let command = |name: &str, script: &str| {
            let mut command = Cmd::with_capacity(4 + args.len(), 0);
            command.arg(name).arg(script).arg(1).arg(key);
            for arg in args {
                command.arg(*arg);
            }
            command
        };
        match link.ask_twice(&command("EVALSHA", &self.digest())).await {
            Err(trouble) if trouble.code() == Some("NOSCRIPT") => {
                link.ask_twice(&command("EVAL", self.text)).await
            }
            other => other,
        }
    }
}
