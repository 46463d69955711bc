//! What the requests of a process share, in the fold: threads, loads, permits; and the clients that wait outside.

use super::fold::World;
use super::log::Remark;
use super::seen::{Phase, Wait};
use crate::lab::bytes::Bytes;
use crate::lab::event::{Quality, Turn};
use crate::lab::keyspace::Change;
use crate::lab::time::LabTime;
use crate::lab::worker::{Role, WorkerId};

impl World {
    pub(super) fn role(&self, id: WorkerId) -> Option<Role> {
        Some(self.opening.as_ref()?.cast.get(id.index())?.role)
    }

    pub(super) fn arrived(&mut self, id: WorkerId, now: LabTime) {
        let role = self.role(id);
        let worker = &mut self.workers[id.index()];
        worker.arrived = Some(now);
        worker.enter(Phase::Reading, now);
        self.probes.sent += usize::from(role == Some(Role::Probe));
        if role.is_some_and(Role::is_request) {
            self.take_thread(id);
        }
    }

    fn take_thread(&mut self, id: WorkerId) {
        self.workers[id.index()].has_thread = true;
        self.threads.held += 1;
        self.threads.peak = self.threads.peak.max(self.threads.held);
    }

    /// It has ended: its thread is free.
    pub(super) fn leave_thread(&mut self, id: WorkerId) {
        if std::mem::take(&mut self.workers[id.index()].has_thread) {
            self.threads.held = self.threads.held.saturating_sub(1);
        }
    }

    pub(super) fn waits(
        &mut self,
        index: usize,
        id: WorkerId,
        on: Turn,
        leader: Option<WorkerId>,
        now: LabTime,
    ) {
        self.workers[id.index()].waits = Some(Wait::Turn(on));
        match on {
            Turn::Thread => {
                self.leave_thread(id);
                // It never had it: the peak is of those that did.
                self.threads.peak = self.threads.peak.min(self.thread_count().unwrap_or(usize::MAX));
                self.workers[id.index()].enter(Phase::Queued, now);
                self.threads.queued += 1;
                self.threads.queue_peak = self.threads.queue_peak.max(self.threads.queued);
            }
            Turn::Flight => {
                self.coalesced += 1;
                self.workers[id.index()].enter(Phase::Waiting, now);
                self.row(index, Some(Remark::Joined(leader)));
            }
            Turn::Permit => {
                self.workers[id.index()].enter(Phase::Queued, now);
                self.row(index, Some(Remark::NoPermit));
            }
        }
    }

    /// The request threads of all processes; `None` for as many as requests come.
    pub fn thread_count(&self) -> Option<usize> {
        let app = self.opening.as_ref()?.app;
        Some(usize::from(app.threads?) * usize::from(app.processes))
    }

    pub(super) fn proceeds(&mut self, index: usize, id: WorkerId, on: Turn, got: bool, now: LabTime) {
        self.workers[id.index()].waits = None;
        let next = if on == Turn::Thread { Phase::Reading } else { Phase::Working };
        self.workers[id.index()].enter(next, now);
        match on {
            Turn::Thread => {
                self.threads.queued = self.threads.queued.saturating_sub(1);
                self.take_thread(id);
            }
            Turn::Permit if !got => self.row(index, None),
            Turn::Flight | Turn::Permit => {}
        }
    }

    pub(super) fn client_left(&mut self, index: usize, id: WorkerId, now: LabTime) {
        if self.workers[id.index()].waits == Some(Wait::Turn(Turn::Thread)) {
            self.threads.queued = self.threads.queued.saturating_sub(1);
        }
        if self.workers[id.index()].served.is_none() {
            self.settle(id, Quality::Failed, &Bytes::default(), now);
            self.row(index, None);
        }
    }

    /// The first answer that a request gets; later ones reach nobody.
    pub(super) fn settle(&mut self, id: WorkerId, quality: Quality, value: &Bytes, now: LabTime) -> bool {
        let is_value = matches!(quality, Quality::Fresh | Quality::Stale);
        let outdated = is_value && self.is_from_before(value);
        let role = self.role(id);
        let worker = &mut self.workers[id.index()];
        if worker.served.is_none() {
            worker.served = Some((now, quality));
            let waited = now.since(worker.arrived.unwrap_or(now));
            match role {
                Some(Role::Reader) => {
                    self.outcomes.add(quality, waited);
                    self.outcomes.outdated += usize::from(outdated);
                }
                Some(Role::Probe) => self.probes.failed += usize::from(quality == Quality::Failed),
                Some(Role::Observer) | None => {}
            }
        }
        outdated
    }

    pub(super) fn failed_over(&mut self, index: usize, lost: &[Change], now: LabTime) {
        for change in lost {
            self.set_key(change);
            if self.lock_key() == Some(&change.key) {
                self.lock.end(now, super::lock::LifeEnd::Lost);
            }
        }
        self.row(index, None);
    }
}
