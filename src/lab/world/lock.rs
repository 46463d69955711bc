//! The lock's history: who held it, how each hold ended, and which leases are still owed.

use crate::lab::bytes::Bytes;
use crate::lab::time::{LabTime, Span};
use crate::lab::worker::WorkerId;

/// How one life of the lock key ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifeEnd {
    /// Its lease ran out.
    Expired,
    /// Its owner removed it.
    Released,
    /// Somebody who did not own it removed it.
    Stolen(WorkerId),
    /// Overwritten by another acquisition.
    Overwritten,
    /// Somebody outside the lab removed it.
    Outside,
    /// A server took over that had not heard of it.
    Lost,
}

/// One life of the lock key, from the moment it appears until it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Life {
    /// `None` when somebody outside the lab took it.
    pub owner: Option<WorkerId>,
    pub token: Bytes,
    pub from: LabTime,
    pub end: Option<(LabTime, LifeEnd)>,
    /// Each deadline it had, and since when; `None` is no deadline at all.
    pub deadlines: Vec<(LabTime, Option<LabTime>)>,
}

impl Life {
    /// The deadline in force at `at`: `Some(None)` when it had none, `None` outside of this life.
    pub fn deadline_at(&self, at: LabTime) -> Option<Option<LabTime>> {
        if self.end.is_some_and(|(end, _)| at >= end) {
            return None;
        }
        self.deadlines.iter().rev().find(|(since, _)| *since <= at).map(|(_, deadline)| *deadline)
    }

    pub fn deadline(&self) -> Option<LabTime> {
        self.deadlines.last().and_then(|(_, deadline)| *deadline)
    }

    /// The longest life it was ever given, for drawing how much of it is left.
    pub fn full(&self) -> Option<Span> {
        self.deadlines.last().and_then(|(since, deadline)| Some((*deadline)?.since(*since)))
    }
}

/// A promise to an owner: nobody else until then. It outlives a lock that somebody removed.
#[derive(Clone, Copy, Debug)]
struct Lease {
    owner: WorkerId,
    /// `None`: for ever.
    until: Option<LabTime>,
}

/// The lock key through time.
#[derive(Clone, Debug, Default)]
pub struct Lock {
    pub lives: Vec<Life>,
    leases: Vec<Lease>,
}

impl Lock {
    /// The life under way, if the key exists.
    pub fn current(&self) -> Option<&Life> {
        self.lives.last().filter(|life| life.end.is_none())
    }

    pub fn owner(&self) -> Option<WorkerId> {
        self.current().and_then(|life| life.owner)
    }

    /// True when it exists and nothing will ever end it.
    pub fn is_immortal(&self) -> bool {
        self.current().is_some_and(|life| life.deadline().is_none())
    }

    /// The holder before the current one, or the last holder when nobody holds it now.
    pub fn previous(&self) -> Option<&Life> {
        self.lives.iter().rev().find(|life| life.end.is_some())
    }

    /// How many leases of others are still valid at `now`.
    pub(super) fn leases_of_others(&self, than: WorkerId, now: LabTime) -> usize {
        self.leases
            .iter()
            .filter(|lease| lease.owner != than && lease.until.is_none_or(|until| until > now))
            .count()
    }

    pub(super) fn begin(
        &mut self,
        owner: Option<WorkerId>,
        token: Bytes,
        now: LabTime,
        deadline: Option<LabTime>,
    ) {
        self.lives.push(Life { owner, token, from: now, end: None, deadlines: vec![(now, deadline)] });
        if let Some(owner) = owner {
            self.leases.push(Lease { owner, until: deadline });
        }
    }

    pub(super) fn end(&mut self, now: LabTime, how: LifeEnd) {
        if let Some(life) = self.lives.last_mut().filter(|life| life.end.is_none()) {
            life.end = Some((now, how));
        }
        if how == LifeEnd::Outside {
            self.leases.clear();
        }
    }

    pub(super) fn set_deadline(&mut self, now: LabTime, deadline: Option<LabTime>) {
        let Some(life) = self.lives.last_mut().filter(|life| life.end.is_none()) else { return };
        life.deadlines.push((now, deadline));
        if let Some(lease) = self.leases.iter_mut().rev().find(|lease| Some(lease.owner) == life.owner) {
            lease.until = deadline;
        }
    }

    /// The owner gives its lease back: it released, or came to its end.
    pub(super) fn give_back(&mut self, owner: WorkerId) {
        self.leases.retain(|lease| lease.owner != owner);
    }
}
