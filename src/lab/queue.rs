//! What is due, ordered by time and then by who asked first.

use std::collections::BTreeMap;

use super::bytes::Bytes;
use super::desk::AskId;
use super::event::{CallId, QueryId};
use super::time::LabTime;
use super::worker::WorkerId;

/// Something that will happen at a set time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Arrive(WorkerId),
    Wake(WorkerId, AskId),
    Execute(CallId),
    Answer(CallId),
    TimeOut(CallId),
    Disconnect(CallId),
    QueryEnds(QueryId),
    Expire(Bytes),
    Strike(usize),
    Resume(WorkerId),
    /// The worker's client has waited long enough.
    PatienceEnds(WorkerId),
    /// So has a worker that wants a permit.
    WishEnds(WorkerId, AskId),
    /// The run is over, whatever else is under way.
    End,
}

/// The queue of a run.
#[derive(Debug, Default)]
pub(super) struct Queue {
    due: BTreeMap<(LabTime, u64), Due>,
    asked: u64,
}

impl Queue {
    pub(super) fn add(&mut self, at: LabTime, due: Due) {
        self.due.insert((at, self.asked), due);
        self.asked += 1;
    }

    pub(super) fn next_at(&self) -> Option<LabTime> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }

    pub(super) fn pop(&mut self) -> Option<(LabTime, Due)> {
        self.due.pop_first().map(|((at, _), due)| (at, due))
    }

    /// Nobody waits for these any more.
    pub(super) fn forget(&mut self, asks: &[AskId]) {
        if !asks.is_empty() {
            self.due.retain(|_, due| !matches!(due, Due::Wake(_, ask) if asks.contains(ask)));
        }
    }

    pub(super) fn forget_patience(&mut self, worker: WorkerId) {
        self.due.retain(|_, due| *due != Due::PatienceEnds(worker));
    }

    pub(super) fn forget_wish(&mut self, wish: AskId) {
        self.due.retain(|_, due| !matches!(due, Due::WishEnds(_, ask) if *ask == wish));
    }

    /// True when nothing is left but keys running out.
    pub(super) fn only_expiries(&self) -> bool {
        self.due.values().all(|due| matches!(due, Due::Expire(_) | Due::End))
    }
}
