//! Queries and answers in the fold.

use super::fold::World;
use super::log::Remark;
use super::seen::Phase;
use crate::lab::bytes::Bytes;
use crate::lab::event::Quality;
use crate::lab::time::{LabTime, Span};
use crate::lab::worker::WorkerId;

impl World {
    pub(super) fn query_started(&mut self, index: usize, id: WorkerId, takes: Span, now: LabTime) {
        let database = &mut self.database;
        database.hits += 1;
        database.in_flight += 1;
        database.peak = database.peak.max(database.in_flight);
        database.longest = database.longest.max(Some(takes));
        database.history.push((now.as_micros(), database.in_flight));
        let fills = self.fills.entry(self.product(id)).or_default();
        *fills += 1;
        let running = *fills;
        self.row(index, (running > 1).then_some(Remark::Overlap(running)));
    }

    pub(super) fn query_finished(&mut self, id: WorkerId, now: LabTime) {
        self.database.in_flight = self.database.in_flight.saturating_sub(1);
        self.database.history.push((now.as_micros(), self.database.in_flight));
        let fills = self.fills.entry(self.product(id)).or_default();
        *fills = fills.saturating_sub(1);
    }

    /// The product that a worker's queries are about.
    fn product(&self, id: WorkerId) -> Option<u16> {
        self.opening.as_ref()?.cast.get(id.index())?.product
    }

    pub(super) fn served(
        &mut self,
        index: usize,
        id: WorkerId,
        quality: Quality,
        value: &Bytes,
        now: LabTime,
    ) {
        let outdated = self.settle(id, quality, value, now);
        self.row(index, outdated.then_some(Remark::Outdated));
    }

    pub(super) fn finished(&mut self, index: usize, id: WorkerId, error: Option<&String>, now: LabTime) {
        let is_reader = self.is_reader(id);
        let worker = &mut self.workers[id.index()];
        worker.waits = None;
        worker.enter(Phase::Done, now);
        worker.error = error.cloned();
        if worker.served.is_none() {
            match error {
                Some(_) => drop(self.settle(id, Quality::Failed, &Bytes::default(), now)),
                None => self.outcomes.unanswered += usize::from(is_reader),
            }
        }
        self.leave_thread(id);
        self.lock.give_back(id);
        if error.is_some() {
            self.row(index, None);
        }
    }
}
