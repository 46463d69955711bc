//! The lock in the fold: who takes it, who removes it, and how a life of it ends.

use super::fold::World;
use super::lock::LifeEnd;
use super::log::Remark;
use super::seen::{Phase, Seen, Sign};
use crate::lab::bytes::Bytes;
use crate::lab::keyspace::{Change, Entry};
use crate::lab::reply::Reply;
use crate::lab::time::LabTime;
use crate::lab::worker::WorkerId;

impl World {
    pub(super) fn lock_changed(&mut self, id: WorkerId, change: &Change, now: LabTime) {
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

    pub(super) fn lock_taken(&mut self, owner: Option<WorkerId>, entry: &Entry, now: LabTime) {
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

    pub(super) fn tried_to_acquire(
        &mut self,
        id: WorkerId,
        reply: &Reply,
        change: Option<&Change>,
        holder: Option<WorkerId>,
        now: LabTime,
    ) -> Remark {
        match change.and_then(|change| change.after.as_ref()) {
            Some(entry) if entry.deadline.is_none() => Remark::AcquiredForEver,
            Some(_) => Remark::Acquired,
            // The same value once more: the server took it.
            None if reply.is_ok() => Remark::Acquired,
            None => {
                self.lock_tally.lost += 1;
                self.workers[id.index()].enter(Phase::Waiting, now);
                Remark::Lost(holder)
            }
        }
    }

    pub(super) fn tried_to_release(
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
            (Some(_), Some(owner)) if owner == id => (Sign::Released, Remark::Released),
            (Some(_), owner) => {
                self.lock_tally.of_others += 1;
                (Sign::Stole, Remark::RemovedLockOf(owner))
            }
        };
        self.workers[id.index()].mark(now, sign);
        remark
    }

    pub(super) fn expired(&mut self, index: usize, key: &Bytes, now: LabTime) {
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

    pub(super) fn outside(&mut self, index: usize, change: &Change, now: LabTime) {
        self.touched_from_outside = true;
        self.changed_by_hand(change, now);
        self.row(index, None);
    }

    /// Somebody who is no worker changed a key: the learner, or a client outside.
    pub(super) fn changed_by_hand(&mut self, change: &Change, now: LabTime) {
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
    }
}
