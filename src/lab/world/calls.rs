//! Commands in the fold: what each one meant when it ran.

use super::fold::World;
use super::intent::Intent;
use super::log::Remark;
use super::seen::{Phase, Sign};
use crate::lab::command::Command;
use crate::lab::event::{CallId, Heard};
use crate::lab::guarded;
use crate::lab::keyspace::Change;
use crate::lab::reply::Reply;
use crate::lab::time::LabTime;
use crate::lab::worker::WorkerId;

/// A command under way.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) worker: WorkerId,
    pub(super) command: Command,
    pub(super) intent: Intent,
    /// The event that executed it, and what it meant.
    pub(super) executed: Option<(usize, Option<Remark>)>,
    /// Its worker has stopped waiting before it ran.
    pub(super) given_up: bool,
}

impl World {
    pub(super) fn sent(&mut self, worker: WorkerId, call: CallId, command: &Command) {
        let Some(opening) = &self.opening else { return };
        let intent = Intent::of(command, &opening.keys);
        self.calls
            .insert(call, Call { worker, command: command.clone(), intent, executed: None, given_up: false });
    }

    pub(super) fn executed(
        &mut self,
        index: usize,
        id: WorkerId,
        call: CallId,
        reply: &Reply,
        effects: &[Change],
        now: LabTime,
    ) {
        let Some(intent) = self.calls.get(&call).map(|call| call.intent) else { return };
        let holder = self.lock.owner();
        for change in effects {
            self.set_key(change);
        }
        let lock_change =
            self.lock_key().and_then(|lock| effects.iter().find(|change| change.key == *lock)).cloned();
        if let Some(change) = &lock_change {
            self.lock_changed(id, change, now);
        }
        let refused = matches!(reply, Reply::Error { .. });
        let remark = match intent {
            // An error did nothing and says nothing about who holds what.
            Intent::Acquire | Intent::Release if refused => None,
            Intent::ReadValue => self.value_read(id, reply, now),
            Intent::WriteValue => {
                self.workers[id.index()].mark(now, Sign::Wrote);
                None
            }
            Intent::Acquire => Some(self.tried_to_acquire(id, reply, lock_change.as_ref(), holder, now)),
            Intent::Release => Some(self.tried_to_release(id, lock_change.as_ref(), holder, now)),
            Intent::Extend => lock_change.is_some().then(|| {
                self.lock_tally.extended += 1;
                self.workers[id.index()].mark(now, Sign::Renewed);
                Remark::Armed
            }),
            Intent::DropValue | Intent::ReadLock | Intent::Other => None,
        };
        let given_up = self.calls.get(&call).is_some_and(|call| call.given_up);
        if given_up || self.workers[id.index()].phase == Phase::Crashed {
            self.calls.remove(&call);
            self.row(index, Some(remark.unwrap_or(Remark::NeverHeard)));
        } else if let Some(call) = self.calls.get_mut(&call) {
            call.executed = Some((index, remark));
        }
    }

    pub(super) fn answered(&mut self, index: usize, id: CallId, heard: Heard) {
        let Some(call) = self.calls.get_mut(&id) else { return };
        let executed = call.executed;
        if heard == Heard::TimedOut && executed.is_none() {
            // Still on its way: it will run, and nobody will hear of it.
            call.given_up = true;
        } else {
            self.calls.remove(&id);
        }
        match (heard, executed) {
            (Heard::Reply, Some((executed, remark))) => self.row(executed, remark),
            (Heard::Reply, None) => {}
            (Heard::Disconnected, None) => self.row(index, Some(Remark::NotExecuted)),
            (_, _) => self.row(index, None),
        }
    }

    /// Shows the commands of a worker that ran and whose answers will not be heard.
    pub(super) fn unheard(&mut self, id: WorkerId) {
        let crashed = self.workers[id.index()].phase == Phase::Crashed;
        let ran: Vec<_> = self
            .calls
            .iter()
            .filter(|(_, call)| call.worker == id)
            .filter_map(|(number, call)| Some((*number, call.executed?)))
            .collect();
        for (number, (executed, remark)) in ran {
            self.row(executed, Some(remark.unwrap_or(Remark::NeverHeard)));
            if crashed {
                self.calls.remove(&number);
            }
        }
    }

    pub(super) fn set_key(&mut self, change: &Change) {
        match &change.after {
            Some(entry) => self.keys.insert(change.key.clone(), entry.clone()),
            None => self.keys.remove(&change.key),
        };
    }

    pub(super) fn value_read(&mut self, id: WorkerId, reply: &Reply, now: LabTime) -> Option<Remark> {
        let worker = &mut self.workers[id.index()];
        match reply {
            Reply::Nil => {
                worker.mark(now, Sign::Miss);
                Some(Remark::Miss)
            }
            Reply::Bulk(entry) if guarded::content(entry).is_none() => {
                worker.mark(now, Sign::Miss);
                Some(Remark::Claimed)
            }
            Reply::Bulk(_) => {
                worker.mark(now, Sign::Hit);
                Some(Remark::Hit)
            }
            _ => None,
        }
    }
}
