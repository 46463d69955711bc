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

impl Due {
    /// True for what a worker does or hears. Only among these does the order belong to chance.
    fn is_somebodys(&self) -> bool {
        match self {
            Self::Arrive(_)
            | Self::Wake(..)
            | Self::Execute(_)
            | Self::Answer(_)
            | Self::TimeOut(_)
            | Self::Disconnect(_)
            | Self::QueryEnds(_) => true,
            Self::Expire(_)
            | Self::Strike(_)
            | Self::Resume(_)
            | Self::PatienceEnds(_)
            | Self::WishEnds(..)
            | Self::End => false,
        }
    }
}

/// The queue of a run.
#[derive(Debug, Default)]
pub(super) struct Queue {
    due: BTreeMap<(LabTime, u64), Due>,
    asked: u64,
    /// How many things were due at once, each time that it was more than one.
    ties: Vec<usize>,
    /// Ties, by number, in which not the one that asked first comes first.
    turns: BTreeMap<usize, usize>,
}

impl Queue {
    pub(super) fn add(&mut self, at: LabTime, due: Due) {
        self.due.insert((at, self.asked), due);
        self.asked += 1;
    }

    pub(super) fn next_at(&self) -> Option<LabTime> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }

    /// Takes the next thing out. Where several are due at once, the one that asked first comes first unless a turn says
    /// otherwise.
    pub(super) fn pop(&mut self) -> Option<(LabTime, Due)> {
        let (first, due) = self.due.first_key_value()?;
        let (first, at) = (*first, first.0);
        if !due.is_somebodys() {
            return self.due.pop_first().map(|((at, _), due)| (at, due));
        }
        let simultaneous = self.due.range(first..=(at, u64::MAX)).filter(|(_, due)| due.is_somebodys());
        let rivals: Vec<(LabTime, u64)> = simultaneous.map(|(place, _)| *place).collect();
        let mut chosen = first;
        if rivals.len() > 1 {
            let turn = self.turns.get(&self.ties.len()).copied().unwrap_or(0);
            chosen = rivals.get(turn).copied().unwrap_or(first);
            self.ties.push(rivals.len());
        }
        self.due.remove(&chosen).map(|due| (at, due))
    }

    /// From here on the tie of this number goes to the one in this place.
    pub(super) fn turn(&mut self, tie: usize, first: usize) {
        self.turns.insert(tie, first);
    }

    /// How many things were due at once, each time that it was more than one.
    pub(super) fn ties(&self) -> &[usize] {
        &self.ties
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
