//! All keys of a lesson: what the lab knows of them, and what a batch's replies add to that.

use std::collections::BTreeMap;
use std::time::Instant;

use super::batch::Batch;
use super::entry::{Change, Entry};
use super::life::{remaining, snap};
use crate::clock;
use crate::lab::bytes::Bytes;
use crate::lab::command::Command;
use crate::lab::reply::Reply;
use crate::lab::time::{LabTime, Span};

/// How far a measured countdown may be from the expected one before somebody else must have changed it.
const FOREIGN_DRIFT: u64 = 250;

#[derive(Debug, Default)]
pub(super) struct Tracked {
    pub(super) entry: Option<Entry>,
    /// Its deadline has passed in lab time; the server has not been told yet.
    pub(super) ended: bool,
    /// The countdown that the server was last given for it, in milliseconds, and a moment before it got it.
    pub(super) counting: Option<(Instant, u64)>,
}

/// All keys of a lesson.
#[derive(Debug)]
pub(in crate::lab) struct Keyspace {
    pub(super) keys: BTreeMap<Bytes, Tracked>,
}

/// What a batch told.
#[derive(Debug, Default)]
pub(in crate::lab) struct Findings {
    /// Changes that somebody outside the lab made before the batch arrived.
    pub(in crate::lab) outside: Vec<Change>,
    /// Keys whose countdown on the server ran out although lab time keeps them.
    pub(in crate::lab) run_out: Vec<Bytes>,
    pub(in crate::lab) reply: Option<Reply>,
    pub(in crate::lab) effects: Vec<Change>,
}

impl Keyspace {
    pub(in crate::lab) fn new(names: impl IntoIterator<Item = Bytes>) -> Self {
        Self { keys: names.into_iter().map(|name| (name, Tracked::default())).collect() }
    }

    pub(in crate::lab) fn entry(&self, key: &Bytes) -> Option<&Entry> {
        self.keys.get(key)?.entry.as_ref()
    }

    /// Ends `key` if `deadline` is still its own; the server hears of it with the next batch.
    pub(in crate::lab) fn expire(&mut self, key: &Bytes, deadline: LabTime) -> bool {
        let Some(tracked) = self.keys.get_mut(key) else { return false };
        if tracked.entry.as_ref().and_then(|entry| entry.deadline) != Some(deadline) {
            return false;
        }
        *tracked = Tracked { entry: None, ended: true, counting: None };
        true
    }

    /// Takes a key away that a failover has lost; the server hears of it with the next batch.
    pub(in crate::lab) fn lose(&mut self, key: &Bytes) -> Option<Change> {
        let tracked = self.keys.get_mut(key)?;
        let before = tracked.entry.take()?;
        *tracked = Tracked { entry: None, ended: true, counting: None };
        Some(Change { key: key.clone(), before: Some(before), after: None })
    }

    /// True when there is a key that could run out or be changed from outside, or one that has yet to end on the server.
    pub(in crate::lab) fn needs_holding(&self) -> bool {
        self.keys.values().any(|tracked| tracked.ended || tracked.entry.is_some())
    }

    /// The keys that the lab has on the server, with commands that read what is there.
    pub(in crate::lab) fn own(&self) -> (Vec<Bytes>, Vec<Command>) {
        let ours = self.keys.iter().filter(|(_, tracked)| tracked.entry.is_some() || tracked.ended);
        ours.map(|(key, _)| (key.clone(), Command::new(vec!["GET".into(), key.clone()]))).unzip()
    }

    /// Commands that remove those of `keys` which still hold what the lab left in them.
    pub(in crate::lab) fn removals(&self, keys: &[Bytes], found: &[Reply]) -> Vec<Command> {
        let as_left = |(key, reply): &(&Bytes, &Reply)| match self.entry(key) {
            Some(entry) => entry_of(reply).as_ref() == Some(&entry.value),
            // Over in lab time; the server was still to be told.
            None => true,
        };
        let remove = |(key, _): (&Bytes, &Reply)| Command::new(vec!["DEL".into(), key.clone()]);
        keys.iter().zip(found).filter(as_left).map(remove).collect()
    }

    /// Reads the replies to `batch`, brings the keys up to date, and tells what it found.
    pub(in crate::lab) fn digest(&mut self, batch: &Batch, replies: &[Reply], now: LabTime) -> Findings {
        let mut findings = Findings::default();
        for tracked in self.keys.values_mut() {
            tracked.ended = false;
        }
        let mut replies = replies.iter().skip(batch.skip);
        let mut next = || replies.next().cloned().unwrap_or(Reply::Nil);
        for key in &batch.touched {
            let (value, ttl) = (next(), next());
            if value == Reply::Nil && self.may_have_run_out(key) {
                findings.run_out.push(key.clone());
            } else {
                findings.outside.extend(self.notice_outsider(key, &value, &ttl, now));
            }
        }
        for (key, life) in &batch.sent {
            next();
            if let Some(tracked) = self.keys.get_mut(key) {
                tracked.counting = tracked.entry.is_some().then_some((batch.made, *life));
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
            tracked.counting = after.as_ref().and_then(|_| life_of(&ttl)).map(|life| (batch.made, life));
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
            ("TIME", ..) => time_of_day(now),
            _ => reply,
        }
    }
}

/// What `TIME` answers: the lab's day began a while after the epoch of the real ones, so that its times look like times.
fn time_of_day(now: LabTime) -> Reply {
    const MORNING: u64 = 1_000_000_000;
    let micros = now.as_micros();
    let fields = [MORNING + micros / 1_000_000, micros % 1_000_000];
    Reply::Array(fields.map(|field| Reply::Bulk(field.to_string().into())).to_vec())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_that_has_moved_on_does_not_end_the_key() {
        let key = Bytes::from("k");
        let mut keys = Keyspace::new([key.clone()]);
        keys.keys.get_mut(&key).unwrap().entry =
            Some(Entry { value: "v".into(), deadline: Some(LabTime::from_micros(10)) });
        assert!(!keys.expire(&key, LabTime::from_micros(5)));
        assert!(keys.expire(&key, LabTime::from_micros(10)));
        assert!(keys.needs_holding(), "the server has still to hear of it");
    }
}
