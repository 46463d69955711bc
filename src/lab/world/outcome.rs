//! Queries and answers in the fold.

use super::fold::World;
use super::log::Remark;
use super::seen::Phase;
use crate::lab::bytes::Bytes;
use crate::lab::event::Quality;
use crate::lab::time::LabTime;
use crate::lab::worker::WorkerId;

impl World {
    pub(super) fn query_started(&mut self, index: usize, now: LabTime) {
        let database = &mut self.database;
        database.hits += 1;
        database.in_flight += 1;
        database.peak = database.peak.max(database.in_flight);
        database.history.push((now.as_micros(), database.in_flight));
        let running = database.in_flight;
        self.row(index, (running > 1).then_some(Remark::Overlap(running)));
    }

    pub(super) fn served(
        &mut self,
        index: usize,
        id: WorkerId,
        quality: Quality,
        value: &Bytes,
        now: LabTime,
    ) {
        let is_reader = self.is_reader(id);
        let is_value = matches!(quality, Quality::Fresh | Quality::Stale);
        let outdated = is_value && self.is_from_before(value);
        let worker = &mut self.workers[id.index()];
        if worker.served.is_none() {
            worker.served = Some((now, quality));
            if is_reader {
                self.outcomes.add(quality, now.since(worker.arrived.unwrap_or(now)));
                self.outcomes.outdated += usize::from(outdated);
            }
        }
        self.row(index, outdated.then_some(Remark::Outdated));
    }

    pub(super) fn finished(&mut self, index: usize, id: WorkerId, error: Option<&String>, now: LabTime) {
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
