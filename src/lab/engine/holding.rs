//! Keeping the real server where lab time stands, and noticing who else was there.

use super::error::LabError;
use super::run::Lab;
use crate::lab::bytes::Bytes;
use crate::lab::event::Fact;
use crate::lab::keyspace::{Batch, Change, Entry, Findings};
use crate::lab::queue::Due;

impl Lab {
    /// Holds the real countdowns where lab time stands. To be called about every 50 ms while time does not run at
    /// full speed; anything that somebody else changed meanwhile becomes an event.
    ///
    /// # Errors
    /// When the server is lost.
    pub fn hold(&mut self) -> Result<(), LabError> {
        if !self.keys.needs_holding() {
            return Ok(());
        }
        self.rescue()?;
        let batch = self.keys.hold(self.now);
        self.carry(&batch).map(drop)
    }

    /// Sends a batch and takes in what it tells: what others did before it arrived, and what its command changed.
    pub(super) fn carry(&mut self, batch: &Batch) -> Result<Findings, LabError> {
        let replies = self.exchange(&batch.commands)?;
        let mut findings = self.keys.digest(batch, &replies, self.now);
        self.put_back(&findings.run_out)?;
        self.notice(std::mem::take(&mut findings.outside));
        for change in &findings.effects {
            self.watch_deadline(change);
        }
        Ok(findings)
    }

    /// Gives new countdowns to keys whose old one is nearly over, and puts those back that were too late for it.
    pub(super) fn rescue(&mut self) -> Result<(), LabError> {
        let at_risk = self.keys.at_risk();
        if at_risk.commands.is_empty() {
            return Ok(());
        }
        let replies = self.exchange(&at_risk.commands)?;
        let run_out = self.keys.run_out(at_risk, &replies);
        self.put_back(&run_out)
    }

    pub(super) fn put_back(&mut self, keys: &[Bytes]) -> Result<(), LabError> {
        if keys.is_empty() {
            return Ok(());
        }
        let commands = self.keys.put_back(keys, self.now);
        self.exchange(&commands)?;
        self.tick += 1;
        for key in keys {
            self.record(None, None, Fact::PutBack { key: key.clone() });
        }
        Ok(())
    }

    pub(super) fn notice(&mut self, outside: Vec<Change>) {
        for change in outside {
            self.watch_deadline(&change);
            self.tick += 1;
            self.record(None, None, Fact::Outside(change));
        }
    }

    pub(super) fn watch_deadline(&mut self, change: &Change) {
        let deadline = |entry: &Option<Entry>| entry.as_ref().and_then(|entry| entry.deadline);
        let after = deadline(&change.after);
        if let Some(at) = after.filter(|_| after != deadline(&change.before)) {
            self.queue.add(at, Due::Expire(change.key.clone()));
        }
    }
}
