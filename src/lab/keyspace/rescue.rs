//! Keys whose countdown ran out on the server although lab time keeps them.
//!
//! It happens when we are stopped for longer than the server was told to wait: Ctrl-Z, a closed lid, a machine that
//! stands still. The law that tells this from somebody else's `DEL`: a countdown starts on the server after we noted the
//! time, so a key that is missing *before* its countdown can have ended by our clock was removed by somebody.

use std::time::{Duration, Instant};

use super::keys::Keyspace;
use super::life::{SAFE_LIFE, remaining};
use crate::clock;
use crate::lab::bytes::Bytes;
use crate::lab::command::Command;
use crate::lab::reply::Reply;
use crate::lab::time::LabTime;

/// A key this close to the end of its countdown, in milliseconds, is given a new one before anything else is sent. A
/// batch takes a tenth of a millisecond to arrive, and on a busy machine rarely more than some tens.
const NEAR: u64 = 100;

/// Keys that need a new countdown.
pub(in crate::lab) struct AtRisk {
    /// Before any of them got it.
    noted: Instant,
    keys: Vec<Bytes>,
    pub(in crate::lab) commands: Vec<Command>,
}

impl Keyspace {
    /// The keys whose countdown may end before the next batch arrives, and the commands that give them a new one.
    pub(in crate::lab) fn at_risk(&self) -> AtRisk {
        let near = |(key, _): &(&Bytes, _)| self.counts_no_longer_than(key, NEAR);
        let renew =
            |key: &Bytes| Command::new(vec!["PEXPIRE".into(), key.clone(), SAFE_LIFE.to_string().into()]);
        let (keys, commands) =
            self.keys.iter().filter(near).map(|(key, _)| (key.clone(), renew(key))).unzip();
        AtRisk { noted: clock::now(), keys, commands }
    }

    /// Which of the keys at risk had run out already, by the replies to their commands.
    pub(in crate::lab) fn run_out(&mut self, at_risk: AtRisk, replies: &[Reply]) -> Vec<Bytes> {
        let mut gone = Vec::new();
        for (key, reply) in at_risk.keys.into_iter().zip(replies) {
            if reply.as_integer() == Some(0) && self.may_have_run_out(&key) {
                gone.push(key);
            } else if reply.as_integer() == Some(1)
                && let Some(tracked) = self.keys.get_mut(&key)
            {
                tracked.counting = Some((at_risk.noted, SAFE_LIFE));
            }
        }
        gone
    }

    /// The commands that put keys back as lab time has them.
    pub(in crate::lab) fn put_back(&mut self, keys: &[Bytes], now: LabTime) -> Vec<Command> {
        let mut commands = Vec::new();
        for key in keys {
            let Some(tracked) = self.keys.get_mut(key) else { continue };
            let Some(entry) = &tracked.entry else { continue };
            let mut words = vec!["SET".into(), key.clone(), entry.value.clone(), "NX".into()];
            if entry.deadline.is_some() {
                let life = remaining(entry, now).unwrap_or(SAFE_LIFE).max(SAFE_LIFE);
                tracked.counting = Some((clock::now(), life));
                words.extend(["PX".into(), life.to_string().into()]);
            }
            commands.push(Command::new(words));
        }
        commands
    }

    /// True when this key's countdown can have ended on the server.
    pub(super) fn may_have_run_out(&self, key: &Bytes) -> bool {
        self.counts_no_longer_than(key, 0)
    }

    /// True when at most so many milliseconds of this key's countdown can be left.
    fn counts_no_longer_than(&self, key: &Bytes, millis: u64) -> bool {
        let counting = self.keys.get(key).and_then(|tracked| tracked.counting);
        counting.is_some_and(|(since, life)| {
            clock::since(since) >= Duration::from_millis(life.saturating_sub(millis))
        })
    }
}
