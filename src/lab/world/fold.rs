//! The fold: one event at a time, from nothing to the world.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::calls::Call;
use super::lock::Lock;
use super::log::{LogRow, Remark};
use super::seen::{Phase, Seen, Sign, Wait};
use super::tally::{DatabaseTally, LockTally, Outcomes, ProbeTally, Rules, ThreadTally, Traffic};
use crate::lab::bytes::Bytes;
use crate::lab::command::Command;
use crate::lab::event::{CallId, Event, Fact, Opening, QueryId};
use crate::lab::guarded;
use crate::lab::keyspace::Entry;
use crate::lab::setup::Setup;
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
    pub threads: ThreadTally,
    pub probes: ProbeTally,
    /// What has gone wrong for workers: crashes, lost replies and connections, pauses, failovers.
    pub faults: usize,
    pub crashes: usize,
    /// Requests that waited for a load which another one of their process did.
    pub coalesced: usize,
    pub traffic: Traffic,
    /// What libraries have counted, by process and counter.
    pub measured: BTreeMap<String, BTreeMap<String, u64>>,
    /// The number of the database that the lesson watches.
    pub watched: Option<i64>,
    pub rules: Rules,
    pub log: Vec<LogRow>,
    pub ended: bool,
    /// Somebody outside changed a key.
    pub touched_from_outside: bool,
    pub(super) calls: BTreeMap<CallId, Call>,
    /// What the cached value ought to be, in lessons that say how to ask for it.
    pub truth: Option<Bytes>,
    /// What it ought to have been before the commits so far.
    past: Vec<Bytes>,
    /// How many queries run for each product of the catalogue, and for the lesson's value (`None`).
    pub(super) fills: BTreeMap<Option<u16>, usize>,
    /// Queries that wait for a connection.
    queued: BTreeSet<QueryId>,
    /// Commits under way.
    committing: BTreeSet<QueryId>,
    pub(super) step_tick: Option<u32>,
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

    /// The world that a run begins with, as far as it is known without running anything.
    pub fn before(setup: &Setup) -> Self {
        Self { opening: Some(Arc::new(setup.opening())), ..Self::default() }
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

    /// A counter of all processes together.
    pub fn counted(&self, name: &str) -> u64 {
        self.measured.values().filter_map(|counts| counts.get(name)).sum()
    }

    pub fn value(&self) -> Option<&Entry> {
        self.keys.get(&self.opening.as_ref()?.keys.value)
    }

    /// True when the cache holds something from before the last commit.
    pub fn is_outdated(&self) -> bool {
        let content = self.value().and_then(|entry| guarded::content(&entry.value));
        content.is_some_and(|content| self.is_from_before(&content))
    }

    /// True for what was right before the last commit and no longer is.
    pub(super) fn is_from_before(&self, value: &Bytes) -> bool {
        self.truth.as_ref() != Some(value) && self.past.contains(value)
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
    pub(super) fn is_unheard(&self, event: &Event) -> bool {
        let Fact::Executed { call, .. } = &event.fact else { return false };
        let crashed =
            |id: WorkerId| self.workers.get(id.index()).is_some_and(|seen| seen.phase == Phase::Crashed);
        event.worker.is_some_and(crashed) || self.calls.get(call).is_some_and(|call| call.given_up)
    }

    pub(super) fn take(&mut self, index: usize, event: &Event) {
        let now = event.at;
        match &event.fact {
            Fact::Began(opening) => {
                self.workers = vec![Seen::default(); opening.cast.len()];
                self.truth.clone_from(&opening.truth);
                self.watched = opening.watched;
                self.opening = Some(Arc::new((**opening).clone()));
            }
            Fact::Expired { key } => self.expired(index, key, now),
            Fact::Outside(change) => self.outside(index, change, now),
            Fact::Acted { .. } => self.row(index, None),
            Fact::Typed { effects, .. } => {
                for change in effects {
                    self.changed_by_hand(change, now);
                }
            }
            Fact::FailedOver { lost } => {
                self.faults += 1;
                self.failed_over(index, lost, now);
            }
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

    pub(super) fn of_worker(&mut self, index: usize, id: WorkerId, event: &Event) {
        let now = event.at;
        let worker = &mut self.workers[id.index()];
        match &event.fact {
            Fact::Arrived => self.arrived(id, now),
            Fact::Waits { on, leader } => self.waits(index, id, *on, *leader, now),
            Fact::Proceeds { on, got } => self.proceeds(index, id, *on, *got, now),
            Fact::ClientLeft => self.client_left(index, id, now),
            Fact::Sent { call, command } => {
                worker.wait_for(Wait::Reply(command.name()));
                worker.commands += 1;
                self.traffic.add(now);
                self.sent(id, *call, command);
            }
            Fact::Executed { call, reply, effects } => self.executed(index, id, *call, reply, effects, now),
            Fact::Answered { call, heard } => {
                worker.stop_waiting();
                self.answered(index, *call, *heard);
            }
            Fact::QueryQueued { query, .. } => {
                worker.waits = Some(Wait::Pool);
                worker.enter(Phase::Queued, now);
                self.queued.insert(*query);
                self.database.queued = self.queued.len();
                self.database.queue_peak = self.database.queue_peak.max(self.database.queued);
            }
            Fact::QueryStarted { query, takes, commits, .. } => {
                self.queued.remove(query);
                self.database.queued = self.queued.len();
                worker.waits = Some(Wait::Query(now + *takes));
                worker.enter(Phase::Querying, now);
                if *commits {
                    self.committing.insert(*query);
                    self.row(index, None);
                } else {
                    self.query_started(index, id, *takes, now);
                }
            }
            Fact::QueryFinished { query, failed, truth, watched } => {
                worker.waits = None;
                if worker.phase != Phase::Crashed {
                    worker.enter(Phase::Working, now);
                }
                self.database.failed += usize::from(*failed);
                if self.committing.remove(query) {
                    self.database.commits += usize::from(!failed);
                    self.watched = watched.or(self.watched);
                    if let Some(truth) = truth {
                        self.past.extend(self.truth.replace(truth.clone()));
                    }
                } else {
                    self.query_finished(id, now);
                }
                self.row(index, None);
            }
            Fact::Slept { until } => worker.wait_for(Wait::Sleep(*until)),
            Fact::Served { quality, value } => self.served(index, id, *quality, value, now),
            Fact::Finished { error } => self.finished(index, id, error.as_ref(), now),
            Fact::Crashed => self.crashed(index, id, now),
            Fact::ConnectionDropped | Fact::ReplyLost { .. } => {
                self.faults += 1;
                worker.mark(now, Sign::Cut);
                self.unheard(id);
                self.row(index, None);
            }
            Fact::Paused { .. } => {
                self.faults += 1;
                worker.enter(Phase::Paused, now);
                self.row(index, None);
            }
            Fact::Resumed => {
                worker.resume(now);
                self.row(index, None);
            }
            Fact::AnswerLost { .. } => {
                self.faults += 1;
                self.row(index, None);
            }
            Fact::Noted { .. } => self.row(index, None),
            Fact::Measured { process, counts } => {
                self.measured.entry(process.clone()).or_default().extend(counts.clone());
            }
            Fact::TokenDrawn { .. }
            | Fact::Began(_)
            | Fact::Expired { .. }
            | Fact::Outside(_)
            | Fact::Acted { .. }
            | Fact::Typed { .. }
            | Fact::FailedOver { .. }
            | Fact::PutBack { .. }
            | Fact::Ended => {}
        }
    }

    fn crashed(&mut self, index: usize, id: WorkerId, now: LabTime) {
        self.faults += 1;
        self.crashes += 1;
        let worker = &mut self.workers[id.index()];
        worker.enter(Phase::Crashed, now);
        worker.waits = None;
        worker.mark(now, Sign::Crashed);
        let answered = worker.served.is_some();
        self.leave_thread(id);
        if !answered && self.is_reader(id) {
            self.outcomes.unanswered += 1;
        }
        self.unheard(id);
        self.row(index, None);
    }

    pub(super) fn row(&mut self, event: usize, remark: Option<Remark>) {
        match remark {
            Some(Remark::Overlap(_)) => self.rules.one_fill.insert(self.step),
            Some(Remark::RemovedLockOf(_)) => self.rules.own_lock_only.insert(self.step),
            _ => false,
        };
        self.log.push(LogRow { step: self.step, at: self.now, event, remark });
    }

    pub(super) fn is_reader(&self, id: WorkerId) -> bool {
        self.role(id) == Some(Role::Reader)
    }
}
