//! The fold: one event at a time, from nothing to the world.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::intent::Intent;
use super::lock::{LifeEnd, Lock};
use super::log::{LogRow, Remark};
use super::seen::{Phase, Seen, Sign, Wait};
use super::tally::{DatabaseTally, LockTally, Outcomes, Rules};
use crate::lab::bytes::Bytes;
use crate::lab::command::Command;
use crate::lab::event::{CallId, Event, Fact, Heard, Opening, Quality};
use crate::lab::keyspace::{Change, Entry};
use crate::lab::reply::Reply;
use crate::lab::time::LabTime;
use crate::lab::worker::{Role, WorkerId};

/// Everything that a prefix of a journal says.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// The time of the last event.
    pub now: LabTime,
    /// How many events it has seen.
    pub events: usize,
    /// How many steps a learner has taken to get here.
    pub step: u32,
    pub opening: Option<Arc<Opening>>,
    pub workers: Vec<Seen>,
    pub keys: BTreeMap<Bytes, Entry>,
    pub lock: Lock,
    pub lock_tally: LockTally,
    pub database: DatabaseTally,
    pub outcomes: Outcomes,
    pub rules: Rules,
    pub log: Vec<LogRow>,
    pub ended: bool,
    /// Somebody outside changed a key.
    pub touched_from_outside: bool,
    calls: BTreeMap<CallId, Call>,
    step_tick: Option<u32>,
}

/// A command under way.
#[derive(Clone, Debug)]
struct Call {
    worker: WorkerId,
    command: Command,
    intent: Intent,
    /// The event that executed it, and what it meant.
    executed: Option<(usize, Option<Remark>)>,
}

impl World {
    /// The world after these events.
    pub fn after<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut world = Self::default();
        for event in events {
            world.apply(event);
        }
        world
    }

    /// How many readers the cast has.
    pub fn readers(&self) -> usize {
        self.opening
            .as_ref()
            .map_or(0, |opening| opening.cast.iter().filter(|m| m.role == Role::Reader).count())
    }

    pub fn pool(&self) -> usize {
        self.opening.as_ref().map_or(0, |opening| opening.pool)
    }

    pub fn value(&self) -> Option<&Entry> {
        self.keys.get(&self.opening.as_ref()?.keys.value)
    }

    /// True when the lesson has a lock at all.
    pub fn has_lock(&self) -> bool {
        self.lock_key().is_some()
    }

    pub fn lock_key(&self) -> Option<&Bytes> {
        self.opening.as_ref()?.keys.lock.as_ref()
    }

    /// The lock key as it stands on the server.
    pub fn lock_entry(&self) -> Option<&Entry> {
        self.keys.get(self.lock_key()?)
    }

    /// How many workers are in this phase.
    pub fn count(&self, phase: Phase) -> usize {
        self.workers.iter().filter(|worker| worker.phase == phase).count()
    }

    /// Commands that were sent and not executed yet, with who sent them and the line they come from, oldest first.
    pub fn on_the_way(&self) -> impl Iterator<Item = (WorkerId, &Command)> {
        self.calls.values().filter(|call| call.executed.is_none()).map(|call| (call.worker, &call.command))
    }

    /// Takes one more event in. Returns true when a step of the learner ends with its tick.
    pub fn apply(&mut self, event: &Event) -> bool {
        let index = self.events;
        self.events += 1;
        self.now = event.at;
        if let (Some(id), Some(line)) = (event.worker, event.line)
            && let Some(worker) = self.workers.get_mut(id.index())
        {
            worker.line = Some(line);
        }
        let is_step = event.is_step() || self.is_unheard(event);
        if is_step && self.step_tick != Some(event.tick) {
            self.step_tick = Some(event.tick);
            self.step += 1;
        }
        self.take(index, event);
        is_step
    }

    /// True when a command runs for a worker that is no longer there to hear of it.
    fn is_unheard(&self, event: &Event) -> bool {
        matches!(event.fact, Fact::Executed { .. })
            && event
                .worker
                .is_some_and(|id| self.workers.get(id.index()).is_some_and(|w| w.phase == Phase::Crashed))
    }

    fn take(&mut self, index: usize, event: &Event) {
        let now = event.at;
        match &event.fact {
            Fact::Began(opening) => {
                self.workers = vec![Seen::default(); opening.cast.len()];
                self.opening = Some(Arc::new((**opening).clone()));
            }
            Fact::Expired { key } => self.expired(index, key, now),
            Fact::Outside(change) => self.outside(index, change, now),
            Fact::PutBack { .. } => {
                self.touched_from_outside = true;
                self.row(index, None);
            }
            Fact::Ended => {
                self.ended = true;
                self.row(index, None);
            }
            _ => {
                if let Some(id) = event.worker.filter(|id| id.index() < self.workers.len()) {
                    self.of_worker(index, id, event);
                }
            }
        }
    }

    fn of_worker(&mut self, index: usize, id: WorkerId, event: &Event) {
        let now = event.at;
        let worker = &mut self.workers[id.index()];
        match &event.fact {
            Fact::Arrived => {
                worker.arrived = Some(now);
                worker.enter(Phase::Reading, now);
            }
            Fact::Sent { call, command } => {
                worker.waits = Some(Wait::Reply(command.name()));
                worker.commands += 1;
                self.sent(id, *call, command);
            }
            Fact::Executed { call, reply, effects } => self.executed(index, id, *call, reply, effects, now),
            Fact::Answered { call, heard } => {
                worker.waits = None;
                self.answered(index, *call, *heard);
            }
            Fact::QueryQueued { .. } => {
                worker.waits = Some(Wait::Pool);
                worker.enter(Phase::Queued, now);
                self.database.queued += 1;
                self.database.queue_peak = self.database.queue_peak.max(self.database.queued);
            }
            Fact::QueryStarted { takes, .. } => {
                if worker.phase == Phase::Queued {
                    self.database.queued -= 1;
                }
                worker.waits = Some(Wait::Query(now + *takes));
                worker.enter(Phase::Querying, now);
                self.query_started(index, now);
            }
            Fact::QueryFinished { failed, .. } => {
                worker.waits = None;
                if worker.phase != Phase::Crashed {
                    worker.enter(Phase::Working, now);
                }
                self.database.in_flight = self.database.in_flight.saturating_sub(1);
                self.database.failed += usize::from(*failed);
                self.database.history.push((now.as_micros(), self.database.in_flight));
                self.row(index, None);
            }
            Fact::Slept { until } => worker.waits = Some(Wait::Sleep(*until)),
            Fact::Served { quality, .. } => self.served(index, id, *quality, now),
            Fact::Finished { error } => self.finished(index, id, error.as_ref(), now),
            Fact::Crashed => {
                worker.enter(Phase::Crashed, now);
                worker.waits = None;
                worker.mark(now, Sign::Crashed);
                if worker.served.is_none() && self.is_reader(id) {
                    self.outcomes.unanswered += 1;
                }
                self.unheard(id);
                self.row(index, None);
            }
            Fact::ConnectionDropped | Fact::ReplyLost { .. } => {
                worker.mark(now, Sign::Cut);
                self.unheard(id);
                self.row(index, None);
            }
            Fact::Paused { .. } => {
                worker.enter(Phase::Paused, now);
                self.row(index, None);
            }
            Fact::Resumed => {
                worker.resume(now);
                self.row(index, None);
            }
            Fact::Noted { .. } => self.row(index, None),
            Fact::TokenDrawn { .. }
            | Fact::Began(_)
            | Fact::Expired { .. }
            | Fact::Outside(_)
            | Fact::PutBack { .. }
            | Fact::Ended => {}
        }
    }

    fn row(&mut self, event: usize, remark: Option<Remark>) {
        match remark {
            Some(Remark::Overlap(_)) => self.rules.one_fill.insert(self.step),
            Some(Remark::RemovedLockOf(_)) => self.rules.own_lock_only.insert(self.step),
            _ => false,
        };
        self.log.push(LogRow { step: self.step, event, remark });
    }

    fn is_reader(&self, id: WorkerId) -> bool {
        self.opening
            .as_ref()
            .and_then(|o| o.cast.get(id.index()))
            .is_some_and(|member| member.role == Role::Reader)
    }

    // --- commands --------------------------------------------------------------------------------------------

    fn sent(&mut self, worker: WorkerId, call: CallId, command: &Command) {
        let Some(opening) = &self.opening else { return };
        let intent = Intent::of(command, &opening.keys);
        self.calls.insert(call, Call { worker, command: command.clone(), intent, executed: None });
    }

    fn executed(
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
        let remark = match intent {
            Intent::ReadValue => self.value_read(id, reply, now),
            Intent::WriteValue => {
                self.workers[id.index()].mark(now, Sign::Wrote);
                None
            }
            Intent::Acquire => Some(self.tried_to_acquire(id, lock_change.as_ref(), holder, now)),
            Intent::Release => Some(self.tried_to_release(id, lock_change.as_ref(), holder, now)),
            Intent::Extend => lock_change.is_some().then(|| {
                self.lock_tally.extended += 1;
                self.workers[id.index()].mark(now, Sign::Renewed);
                Remark::Armed
            }),
            Intent::DropValue | Intent::ReadLock | Intent::Other => None,
        };
        if self.workers[id.index()].phase == Phase::Crashed {
            self.calls.remove(&call);
            self.row(index, Some(remark.unwrap_or(Remark::NeverHeard)));
        } else if let Some(call) = self.calls.get_mut(&call) {
            call.executed = Some((index, remark));
        }
    }

    fn answered(&mut self, index: usize, call: CallId, heard: Heard) {
        let Some(call) = self.calls.remove(&call) else { return };
        match (heard, call.executed) {
            (Heard::Reply, Some((executed, remark))) => self.row(executed, remark),
            (Heard::Reply, None) => {}
            (_, Some(_)) => self.row(index, None),
            (_, None) => self.row(index, Some(Remark::NotExecuted)),
        }
    }

    /// Shows the commands of a worker that ran and whose answers will not be heard.
    fn unheard(&mut self, id: WorkerId) {
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

    fn set_key(&mut self, change: &Change) {
        match &change.after {
            Some(entry) => self.keys.insert(change.key.clone(), entry.clone()),
            None => self.keys.remove(&change.key),
        };
    }

    fn value_read(&mut self, id: WorkerId, reply: &Reply, now: LabTime) -> Option<Remark> {
        let worker = &mut self.workers[id.index()];
        match reply {
            Reply::Nil => {
                worker.mark(now, Sign::Miss);
                Some(Remark::Miss)
            }
            Reply::Bulk(_) => {
                worker.mark(now, Sign::Hit);
                Some(Remark::Hit)
            }
            _ => None,
        }
    }

    // --- the lock --------------------------------------------------------------------------------------------

    fn lock_changed(&mut self, id: WorkerId, change: &Change, now: LabTime) {
        match (&change.before, &change.after) {
            (None, Some(entry)) => self.lock_taken(Some(id), entry, now),
            (Some(before), Some(after)) if before.value == after.value => {
                self.lock.set_deadline(now, after.deadline);
            }
            (Some(_), Some(after)) => {
                self.lock.end(now, LifeEnd::Overwritten);
                self.lock_taken(Some(id), after, now);
            }
            (Some(_), None) => {
                let owner = self.lock.owner();
                let how = if owner == Some(id) { LifeEnd::Released } else { LifeEnd::Stolen(id) };
                self.lock.end(now, how);
            }
            (None, None) => {}
        }
    }

    fn lock_taken(&mut self, owner: Option<WorkerId>, entry: &Entry, now: LabTime) {
        if let Some(id) = owner {
            self.lock_tally.acquired += 1;
            if self.lock.leases_of_others(id, now) > 0 {
                self.lock_tally.admitted_early += 1;
            }
            let worker = &mut self.workers[id.index()];
            worker.mark(now, Sign::Acquired);
            worker.enter(Phase::Working, now);
        }
        self.lock.begin(owner, entry.value.clone(), now, entry.deadline);
    }

    fn tried_to_acquire(
        &mut self,
        id: WorkerId,
        change: Option<&Change>,
        holder: Option<WorkerId>,
        now: LabTime,
    ) -> Remark {
        match change.and_then(|change| change.after.as_ref()) {
            Some(entry) if entry.deadline.is_none() => Remark::AcquiredForEver,
            Some(_) => Remark::Acquired,
            None => {
                self.lock_tally.lost += 1;
                self.workers[id.index()].enter(Phase::Waiting, now);
                Remark::Lost(holder)
            }
        }
    }

    fn tried_to_release(
        &mut self,
        id: WorkerId,
        change: Option<&Change>,
        holder: Option<WorkerId>,
        now: LabTime,
    ) -> Remark {
        self.lock_tally.releases += 1;
        self.lock.give_back(id);
        let (sign, remark) = match (change, holder) {
            (None, holder) => {
                self.lock_tally.refused += 1;
                (Sign::ReleaseRefused, Remark::NothingRemoved(holder))
            }
            (Some(_), Some(owner)) if owner != id => {
                self.lock_tally.of_others += 1;
                (Sign::Stole, Remark::RemovedLockOf(owner))
            }
            (Some(_), _) => (Sign::Released, Remark::Released),
        };
        self.workers[id.index()].mark(now, sign);
        remark
    }

    fn expired(&mut self, index: usize, key: &Bytes, now: LabTime) {
        self.keys.remove(key);
        let mut remark = None;
        if self.lock_key() == Some(key) {
            let owner = self.lock.owner();
            self.lock.end(now, LifeEnd::Expired);
            self.lock_tally.expired += 1;
            remark = owner
                .filter(|owner| self.workers.get(owner.index()).is_some_and(Seen::is_active))
                .map(Remark::OwnerStillWorks);
        }
        self.row(index, remark);
    }

    fn outside(&mut self, index: usize, change: &Change, now: LabTime) {
        self.touched_from_outside = true;
        self.set_key(change);
        if self.lock_key() == Some(&change.key) {
            let same = |a: &Entry, b: &Entry| a.value == b.value;
            match (&change.before, &change.after) {
                (Some(before), Some(after)) if same(before, after) => {
                    self.lock.set_deadline(now, after.deadline);
                }
                (before, after) => {
                    if before.is_some() {
                        self.lock.end(now, LifeEnd::Outside);
                    }
                    if let Some(entry) = after {
                        self.lock_taken(None, entry, now);
                    }
                }
            }
        }
        self.row(index, None);
    }

    // --- database and answers --------------------------------------------------------------------------------

    fn query_started(&mut self, index: usize, now: LabTime) {
        let database = &mut self.database;
        database.hits += 1;
        database.in_flight += 1;
        database.peak = database.peak.max(database.in_flight);
        database.history.push((now.as_micros(), database.in_flight));
        let running = database.in_flight;
        self.row(index, (running > 1).then_some(Remark::Overlap(running)));
    }

    fn served(&mut self, index: usize, id: WorkerId, quality: Quality, now: LabTime) {
        let is_reader = self.is_reader(id);
        let worker = &mut self.workers[id.index()];
        if worker.served.is_none() {
            worker.served = Some((now, quality));
            if is_reader {
                self.outcomes.add(quality, now.since(worker.arrived.unwrap_or(now)));
            }
        }
        self.row(index, None);
    }

    fn finished(&mut self, index: usize, id: WorkerId, error: Option<&String>, now: LabTime) {
        let is_reader = self.is_reader(id);
        let worker = &mut self.workers[id.index()];
        worker.waits = None;
        worker.enter(Phase::Done, now);
        worker.error = error.cloned();
        if worker.served.is_none() && is_reader {
            match error {
                Some(_) => {
                    worker.served = Some((now, Quality::Failed));
                    self.outcomes.add(Quality::Failed, now.since(worker.arrived.unwrap_or(now)));
                }
                None => self.outcomes.unanswered += 1,
            }
        }
        self.lock.give_back(id);
        if error.is_some() {
            self.row(index, None);
        }
    }
}
