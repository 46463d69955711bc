//! Entries on the server: one command each.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use redis::{Value, cmd};

use super::header::{self, Entry, Stamp};
use crate::clock::Runtime;
use crate::guard::metrics::Metrics;
use crate::guard::scripts::{CLAIM, POSTPONE, PROLONG, REPLACE};
use crate::guard::wire::{Connection, Link, Trouble};

/// The entries of a guard.
pub(in crate::guard) struct Store<C, R> {
    link: Arc<Link<C, R>>,
    metrics: Arc<Metrics>,
}

/// What came of looking again.
pub(in crate::guard) enum Claimed {
    /// There was nothing; the claim stands.
    Mine,
    /// There is an entry, fresh or not.
    Found(Entry),
}

impl<C: Connection, R: Runtime> Store<C, R> {
    pub(in crate::guard) fn new(link: Arc<Link<C, R>>, metrics: Arc<Metrics>) -> Self {
        Self { link, metrics }
    }

    /// What stands under `key`. Something that cannot be read is nothing, and counted.
    pub(in crate::guard) async fn read(&self, key: &Bytes) -> Result<Option<Entry>, Trouble> {
        match self.link.ask_twice(cmd("GET").arg(&key[..])).await {
            Ok(Value::BulkString(bytes)) => Ok(self.decode(bytes)),
            Ok(_) => Ok(None),
            // A list, a hash: somebody else's idea of this key.
            Err(trouble) if trouble.code() == Some("WRONGTYPE") => {
                self.metrics.unreadable.add(1);
                Ok(None)
            }
            Err(trouble) => Err(trouble),
        }
    }

    fn decode(&self, bytes: Vec<u8>) -> Option<Entry> {
        let entry = Entry::decode(&Bytes::from(bytes));
        if entry.is_none() {
            self.metrics.unreadable.add(1);
        }
        entry
    }

    /// Puts `claim` under `key` for `life`, unless there is an entry that can be read.
    pub(in crate::guard) async fn claim(
        &self,
        key: &Bytes,
        claim: &Entry,
        life: Duration,
    ) -> Result<Claimed, Trouble> {
        let (bytes, life) = (claim.encode(), millis(life));
        let args: [&[u8]; 4] = [&header::claim_prefix(), header::magic(), &bytes, life.as_bytes()];
        if let Value::BulkString(found) = CLAIM.run(&self.link, key, &args).await? {
            if let Some(entry) = self.decode(found) {
                return Ok(Claimed::Found(entry));
            }
            // It begins like one of ours and is cut off.
            self.overwrite(key, &bytes, &life).await?;
        }
        Ok(Claimed::Mine)
    }

    /// Replaces the entry with this stamp by another, kept for its hard life; by nothing, when there is none. False
    /// when something else is there by now.
    pub(in crate::guard) async fn replace(
        &self,
        key: &Bytes,
        stamp: &Stamp,
        entry: Option<&Entry>,
    ) -> Result<bool, Trouble> {
        let bytes = entry.map(Entry::encode).unwrap_or_default();
        let life = millis(entry.map_or(Duration::ZERO, |entry| entry.hard));
        REPLACE
            .run(&self.link, key, &[stamp.as_bytes(), &bytes, life.as_bytes()])
            .await
            .map(|reply| is_one(&reply))
    }

    /// Stores an entry whatever is there.
    pub(in crate::guard) async fn put(&self, key: &Bytes, entry: &Entry) -> Result<(), Trouble> {
        self.overwrite(key, &entry.encode(), &millis(entry.hard)).await
    }

    async fn overwrite(&self, key: &Bytes, bytes: &[u8], life: &str) -> Result<(), Trouble> {
        self.link.ask_twice(cmd("SET").arg(&key[..]).arg(bytes).arg("PX").arg(life)).await.map(drop)
    }

    /// Writes into the entry with this stamp when a refresh may be tried again.
    pub(in crate::guard) async fn postpone(
        &self,
        key: &Bytes,
        stamp: &Stamp,
        retry_at: Duration,
    ) -> Result<bool, Trouble> {
        let place = header::RETRY_AT.to_string();
        let args: [&[u8]; 3] = [stamp.as_bytes(), place.as_bytes(), &header::retry_field(retry_at)];
        POSTPONE.run(&self.link, key, &args).await.map(|reply| is_one(&reply))
    }

    /// Removes whatever is there.
    pub(in crate::guard) async fn remove(&self, key: &Bytes) -> Result<(), Trouble> {
        self.link.ask_twice(cmd("UNLINK").arg(&key[..])).await.map(drop)
    }
}

/// Extends the life of a claim over a link of the caller's choice. False when it is no longer there.
pub(in crate::guard) async fn prolong<C: Connection, R: Runtime>(
    link: &Link<C, R>,
    key: &Bytes,
    claim: &Stamp,
    life: Duration,
) -> Result<bool, Trouble> {
    PROLONG.run(link, key, &[claim.as_bytes(), millis(life).as_bytes()]).await.map(|reply| is_one(&reply))
}

fn is_one(reply: &Value) -> bool {
    *reply == Value::Int(1)
}

fn millis(life: Duration) -> String {
    life.as_millis().to_string()
}
