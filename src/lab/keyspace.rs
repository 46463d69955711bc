//! The lesson's keys: what the lab knows of them, and how the real server is kept in step with lab time.
//!
//! Redis counts down in wall time, a lesson in lab time. So the lab keeps every deadline itself, and with each
//! command it sends a batch of its own around it, all in the one round trip:
//!
//! ```text
//!   DEL k             for each key whose deadline has come in lab time
//!   GET k, PTTL k     what is really there: has somebody else been at it?
//!   PEXPIRE k rest    the life that k has left in lab time
//!   … the command …
//!   PTTL k, GET k     what the command made of it
//! ```
//!
//! Law: a deadline in the journal is a number some command named, never one that was measured. The measured one
//! only tells *which* number it was.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use super::command::Command;
use super::reply::Reply;
use super::time::{LabTime, Span};
use crate::clock;

/// A key that exists: what it holds and when it ends, if ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub value: Bytes,
    /// `None` is Redis's `TTL` of -1: nothing will ever remove it.
    pub deadline: Option<LabTime>,
}

/// What happened to one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub key: Bytes,
    pub before: Option<Entry>,
    pub after: Option<Entry>,
}

/// The life a key is given on the server when lab time has less for it than this. A stall of the machine between
/// two commands of one batch must not end a key that lab time keeps.
const SAFE_LIFE: u64 = 250;

/// While time stands still a key is held at its value plus this much, and refreshed well before it is used up.
const HOLD_EXTRA: u64 = 25;

/// A key about to end is held a little longer than that, still within what a reader outside may notice (100 ms).
const HOLD_LEAST: u64 = 75;

/// How far a measured countdown may be from the expected one before somebody else must have changed it.
const FOREIGN_DRIFT: u64 = 250;

/// The longest life that is worth a number of its own; beyond it a stall explains nothing.
const STALL: u64 = 450;

#[derive(Debug, Default)]
struct Tracked {
    entry: Option<Entry>,
    /// Its deadline has passed in lab time; the server has not been told yet.
    ended: bool,
    /// When the server was last given a countdown for it, and which.
    counting: Option<(Instant, u64)>,
}

/// All keys of a lesson.
#[derive(Debug)]
pub(super) struct Keyspace {
    keys: BTreeMap<Bytes, Tracked>,
}

/// The batch around a command, and how to read its replies.
pub(super) struct Batch {
    pub(super) commands: Vec<Command>,
    touched: Vec<Bytes>,
    /// How many replies come before those to the touched keys' probes.
    skip: usize,
    sent: BTreeMap<Bytes, u64>,
    command: Option<Command>,
    probes_after: bool,
}

/// What a batch told.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Changes that somebody outside the lab made before the batch arrived.
    pub(super) outside: Vec<Change>,
    pub(super) reply: Option<Reply>,
    pub(super) effects: Vec<Change>,
}

impl Keyspace {
    pub(super) fn new(names: impl IntoIterator<Item = Bytes>) -> Self {
        Self { keys: names.into_iter().map(|name| (name, Tracked::default())).collect() }
    }

    pub(super) fn entry(&self, key: &Bytes) -> Option<&Entry> {
        self.keys.get(key)?.entry.as_ref()
    }

    /// Ends `key` if `deadline` is still its own; the server hears of it with the next batch.
    pub(super) fn expire(&mut self, key: &Bytes, deadline: LabTime) -> bool {
        let Some(tracked) = self.keys.get_mut(key) else { return false };
        if tracked.entry.as_ref().and_then(|entry| entry.deadline) != Some(deadline) {
            return false;
        }
        *tracked = Tracked { entry: None, ended: true, counting: None };
        true
    }

    /// True when some key counts down on the server, or has yet to end there.
    pub(super) fn needs_holding(&self) -> bool {
        self.keys.values().any(|tracked| {
            tracked.ended || tracked.entry.as_ref().is_some_and(|entry| entry.deadline.is_some())
        })
    }

    /// The keys that the server must have dropped by itself, because we were stopped for longer than we had told it
    /// to wait (Ctrl-Z, a closed lid), and the commands that put them back.
    pub(super) fn put_back(&mut self, now: LabTime) -> Vec<(Bytes, Command)> {
        let mut lost = Vec::new();
        for (key, tracked) in &mut self.keys {
            let (Some(entry), Some((since, life))) = (&tracked.entry, tracked.counting) else { continue };
            if clock::since(since) < Duration::from_millis(life) {
                continue;
            }
            let rest = remaining(entry, now).unwrap_or(SAFE_LIFE).max(SAFE_LIFE);
            tracked.counting = Some((clock::now(), rest));
            lost.push((
                key.clone(),
                Command::new(vec![
                    "SET".into(),
                    key.clone(),
                    entry.value.clone(),
                    "PX".into(),
                    rest.to_string().into(),
                ]),
            ));
        }
        lost
    }

    /// The batch that carries `command` at lab time `now`.
    pub(super) fn around(&self, command: &Command, now: LabTime) -> Batch {
        let exact = command.reads_the_clock();
        let touched = command.keys().iter().filter(|key| self.keys.contains_key(*key)).cloned().collect();
        self.batch(touched, now, Some(command), |rest| if exact { rest } else { tellable(rest, command) })
    }

    /// The batch that holds every countdown where lab time stands.
    pub(super) fn hold(&self, now: LabTime) -> Batch {
        let counting =
            |tracked: &Tracked| tracked.entry.as_ref().is_some_and(|entry| entry.deadline.is_some());
        let touched = self.keys.iter().filter(|(_, t)| counting(t)).map(|(key, _)| key.clone()).collect();
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
        Batch { commands, touched, skip, sent, command: command.cloned(), probes_after }
    }

    /// Reads the replies to `batch`, brings the keys up to date, and tells what it found.
    pub(super) fn digest(&mut self, batch: &Batch, replies: &[Reply], now: LabTime) -> Findings {
        let mut findings = Findings::default();
        for tracked in self.keys.values_mut() {
            tracked.ended = false;
        }
        let read_at = clock::now();
        let mut replies = replies.iter().skip(batch.skip);
        let mut next = || replies.next().cloned().unwrap_or(Reply::Nil);
        for key in &batch.touched {
            let (value, ttl) = (next(), next());
            findings.outside.extend(self.notice_outsider(key, &value, &ttl, now));
        }
        for (key, life) in &batch.sent {
            next();
            if let Some(tracked) = self.keys.get_mut(key) {
                tracked.counting = tracked.entry.is_some().then_some((read_at, *life));
            }
        }
        let Some(command) = &batch.command else { return findings };
        findings.reply = Some(self.exact(command, next(), now));
        if !batch.probes_after {
            return findings;
        }
        for key in &batch.touched {
            let (value, ttl) = (next(), next());
            let before = self.entry(key).cloned();
            let named = command.lives_named();
            let after = entry_of(&value).map(|value| Entry {
                value,
                deadline: life_of(&ttl).map(|measured| {
                    let kept = batch
                        .sent
                        .get(key)
                        .map(|life| (*life, before.as_ref().and_then(|entry| entry.deadline)));
                    snap(measured, kept, named, now)
                }),
            });
            let tracked = self.keys.entry(key.clone()).or_default();
            tracked.counting = after.as_ref().and_then(|_| life_of(&ttl)).map(|life| (read_at, life));
            tracked.entry.clone_from(&after);
            if before != after {
                findings.effects.push(Change { key: key.clone(), before, after });
            }
        }
        findings
    }

    /// Compares what is really there with what the lab left there.
    fn notice_outsider(&mut self, key: &Bytes, value: &Reply, ttl: &Reply, now: LabTime) -> Option<Change> {
        let tracked = self.keys.get_mut(key)?;
        let before = tracked.entry.clone();
        let found = entry_of(value);
        let countdown = life_of(ttl);
        let as_left = match (tracked.counting, countdown) {
            (Some((since, life)), Some(real)) => {
                let passed = u64::try_from(clock::since(since).as_millis()).unwrap_or(u64::MAX);
                life.saturating_sub(passed).abs_diff(real) <= FOREIGN_DRIFT
            }
            (None, None) => true,
            _ => false,
        };
        if found.as_ref() == before.as_ref().map(|entry| &entry.value) && (found.is_none() || as_left) {
            return None;
        }
        let after =
            found.map(|value| Entry { value, deadline: countdown.map(|ms| now + Span::from_millis(ms)) });
        tracked.entry.clone_from(&after);
        tracked.counting = countdown.map(|life| (clock::now(), life));
        Some(Change { key: key.clone(), before, after })
    }

    /// Countdowns that a worker reads back come from lab time: the server's may be a millisecond short.
    fn exact(&self, command: &Command, reply: Reply, now: LabTime) -> Reply {
        let name = command.name();
        let rest =
            command.keys().first().and_then(|key| self.entry(key)).and_then(|entry| remaining(entry, now));
        match (name.as_str(), rest, &reply) {
            ("PTTL", Some(ms), Reply::Integer(real)) if *real >= 0 => Reply::Integer(ms.cast_signed()),
            ("TTL", Some(ms), Reply::Integer(real)) if *real >= 0 => {
                Reply::Integer(((ms + 500) / 1000).cast_signed())
            }
            _ => reply,
        }
    }
}

/// A life for a key that the command cannot see, chosen so that afterwards it can be told from every life that the
/// command may give: a `SET NX PX 5000` that fails while 5000 ms are left must not look like one that succeeded.
fn tellable(rest: u64, command: &Command) -> u64 {
    let named: Vec<u64> = command.lives_named().collect();
    let mut life = rest.max(SAFE_LIFE);
    while named.iter().any(|named| named.abs_diff(life) <= 2 * STALL) {
        life += 4 * STALL;
    }
    life
}

fn with_key(name: &str, key: &Bytes) -> Command {
    Command::new(vec![name.into(), key.clone()])
}

/// The milliseconds an entry has left, rounded up; `None` when it never ends.
fn remaining(entry: &Entry, now: LabTime) -> Option<u64> {
    entry.deadline.map(|deadline| deadline.since(now).as_millis_up().max(1))
}

fn entry_of(get: &Reply) -> Option<Bytes> {
    match get {
        Reply::Nil => None,
        Reply::Bulk(bytes) => Some(bytes.clone()),
        other => Some(other.to_string().into()),
    }
}

fn life_of(pttl: &Reply) -> Option<u64> {
    u64::try_from(pttl.as_integer()?).ok()
}

/// The deadline that a measured countdown stands for: the one the key had (`kept`), or the nearest life that the
/// command named. A measured countdown may be short by what the machine stalled, never long.
fn snap(
    measured: u64,
    kept: Option<(u64, Option<LabTime>)>,
    named: impl Iterator<Item = u64>,
    now: LabTime,
) -> LabTime {
    let lag = |life: u64| (measured <= life + 1).then(|| life.abs_diff(measured)).filter(|lag| *lag <= STALL);
    let best_named = named.filter_map(|life| Some((lag(life)?, now + Span::from_millis(life)))).min();
    let best_kept = kept.and_then(|(life, deadline)| Some((lag(life)?, deadline?)));
    match (best_kept, best_named) {
        (Some((kept_lag, kept)), Some((lag, _))) if kept_lag < lag => kept,
        (_, Some((_, named))) => named,
        (Some((_, kept)), None) => kept,
        (None, None) => now + Span::from_millis(measured),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: LabTime = LabTime::from_micros(7_000_500);

    fn after(millis: u64) -> LabTime {
        NOW + Span::from_millis(millis)
    }

    #[test]
    fn a_measured_countdown_snaps_to_the_number_in_the_command() {
        let lives = || Command::of(["SET", "k", "v", "PX", "5000"]);
        assert_eq!(snap(4999, None, lives().lives_named(), NOW), after(5000));
        assert_eq!(snap(5000, None, lives().lives_named(), NOW), after(5000));
        assert_eq!(snap(4800, None, lives().lives_named(), NOW), after(5000), "the machine stalled");
    }

    #[test]
    fn seconds_are_tried_as_well_as_milliseconds() {
        assert_eq!(
            snap(299_999, None, Command::of(["SET", "k", "v", "EX", "300"]).lives_named(), NOW),
            after(300_000)
        );
    }

    #[test]
    fn a_life_that_no_command_changed_is_kept_exactly() {
        let kept = Some((1551, Some(after(1550))));
        assert_eq!(snap(1550, kept, Command::of(["APPEND", "k", "x"]).lives_named(), NOW), after(1550));
    }

    #[test]
    fn a_life_that_was_kept_can_be_told_from_one_that_was_given() {
        let command = Command::of(["SET", "k", "v", "NX", "PX", "5000"]);
        let life = tellable(5000, &command);
        let kept = Some((life, Some(after(4999))));
        assert_eq!(snap(life, kept, command.lives_named(), NOW), after(4999));
        assert_eq!(snap(life - STALL, kept, command.lives_named(), NOW), after(4999), "even after a stall");
        assert_eq!(snap(5000, kept, command.lives_named(), NOW), after(5000));
    }

    #[test]
    fn a_deadline_that_has_moved_on_does_not_end_the_key() {
        let key = Bytes::from("k");
        let mut keys = Keyspace::new([key.clone()]);
        keys.keys.get_mut(&key).unwrap().entry = Some(Entry { value: "v".into(), deadline: Some(after(10)) });
        assert!(!keys.expire(&key, after(5)));
        assert!(keys.expire(&key, after(10)));
        assert!(keys.needs_holding(), "the server has still to hear of it");
    }
}
