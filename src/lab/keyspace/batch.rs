//! The batch around a command: what the lab sends beside it.

use std::collections::BTreeMap;
use std::time::Instant;

use super::keys::Keyspace;
use super::life::{remaining, tellable};
use crate::clock;
use crate::lab::bytes::Bytes;
use crate::lab::command::Command;
use crate::lab::time::LabTime;

/// While time stands still a key is held at its value plus this much, and refreshed well before it is used up.
const HOLD_EXTRA: u64 = 25;

/// A key about to end is held a little longer than that, still within what a reader outside may notice (100 ms).
const HOLD_LEAST: u64 = 75;

/// The batch around a command, and how to read its replies.
pub(in crate::lab) struct Batch {
    /// The wall's time when it was made, before anything of it reached the server.
    pub(super) made: Instant,
    pub(in crate::lab) commands: Vec<Command>,
    pub(super) touched: Vec<Bytes>,
    /// How many replies come before those to the touched keys' probes.
    pub(super) skip: usize,
    pub(super) sent: BTreeMap<Bytes, u64>,
    pub(super) command: Option<Command>,
    pub(super) probes_after: bool,
}

impl Keyspace {
    /// The batch that carries `command` at lab time `now`.
    pub(in crate::lab) fn around(&self, command: &Command, now: LabTime) -> Batch {
        let exact = command.reads_the_clock();
        let touched = command.keys().iter().filter(|key| self.keys.contains_key(*key)).cloned().collect();
        self.batch(touched, now, Some(command), |rest| if exact { rest } else { tellable(rest, command) })
    }

    /// The batch that carries a learner's `command` at lab time `now`: it may be any, so where it is not known which keys it
    /// touches, all are looked at.
    pub(in crate::lab) fn beside(&self, command: &Command, now: LabTime) -> Batch {
        let touched =
            if command.is_known() { command.keys().to_vec() } else { self.keys.keys().cloned().collect() };
        let touched = touched.into_iter().filter(|key| self.keys.contains_key(key)).collect();
        self.batch(touched, now, Some(command), |rest| rest)
    }

    /// The batch that holds every countdown where lab time stands, and looks at the keys without one.
    pub(in crate::lab) fn hold(&self, now: LabTime) -> Batch {
        let there = self.keys.iter().filter(|(_, tracked)| tracked.entry.is_some());
        let touched = there.map(|(key, _)| key.clone()).collect();
        self.batch(touched, now, None, |rest| (rest + HOLD_EXTRA).max(HOLD_LEAST))
    }

    fn batch(
        &self,
        mut touched: Vec<Bytes>,
        now: LabTime,
        command: Option<&Command>,
        life: impl Fn(u64) -> u64,
    ) -> Batch {
        touched.sort();
        touched.dedup();
        let mut commands = Vec::new();
        for (key, _) in self.keys.iter().filter(|(_, tracked)| tracked.ended) {
            commands.push(with_key("DEL", key));
        }
        let skip = commands.len();
        for key in &touched {
            commands.push(with_key("GET", key));
            commands.push(with_key("PTTL", key));
        }
        let mut sent = BTreeMap::new();
        for key in &touched {
            if let Some(rest) = self.entry(key).and_then(|entry| remaining(entry, now)) {
                let life = life(rest);
                commands.push(Command::new(vec!["PEXPIRE".into(), key.clone(), life.to_string().into()]));
                sent.insert(key.clone(), life);
            }
        }
        let probes_after = command.is_some_and(|command| !command.only_reads());
        if let Some(command) = command {
            commands.push(command.clone());
            if probes_after {
                for key in &touched {
                    commands.push(with_key("GET", key));
                    commands.push(with_key("PTTL", key));
                }
            }
        }
        Batch { made: clock::now(), commands, touched, skip, sent, command: command.cloned(), probes_after }
    }
}

fn with_key(name: &str, key: &Bytes) -> Command {
    Command::new(vec![name.into(), key.clone()])
}
