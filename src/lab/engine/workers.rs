//! Workers: polled here, and nowhere else.

use std::collections::BTreeMap;
use std::task::{Context, Poll, Waker};

use super::run::Lab;
use crate::lab::database::{Pending, Query};
use crate::lab::desk::{Answer, Ask, AskId, Deed};
use crate::lab::event::Fact;
use crate::lab::harm::Harm;
use crate::lab::moment::{Moment, QUERY};
use crate::lab::native::Port;
use crate::lab::process::{Process, Running};
use crate::lab::queue::Due;
use crate::lab::time::LabTime;
use crate::lab::worker::WorkerId;

/// A worker's side of the engine.
#[derive(Default)]
pub(super) struct Worker {
    pub(super) future: Option<Running>,
    pub(super) waker: Option<Waker>,
    pub(super) line: Option<u32>,
    /// How many commands of each name it has sent, and how many queries, for faults that count.
    pub(super) sent: BTreeMap<String, u32>,
    /// What its next command will meet.
    pub(super) fate: Option<Fate>,
    /// It stands still until then; what it would have heard waits here.
    pub(super) paused_until: Option<LabTime>,
    pub(super) unheard: Vec<(AskId, Answer)>,
    pub(super) crashed: bool,
    pub(super) done: bool,
}

/// What has gone wrong on a connection while nothing was under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It broke.
    Broken,
    /// The next reply will get lost.
    Deaf,
}

impl Lab {
    pub(super) fn arrive(&mut self, id: WorkerId) {
        let worker = &self.workers[id.index()];
        if worker.crashed {
            return;
        }
        if let Some(until) = worker.paused_until {
            self.queue.add(until, Due::Arrive(id));
            return;
        }
        self.record(Some(id), None, Fact::Arrived);
        self.watch_patience(id);
        if self.take_thread(id) {
            self.begin_program(id);
        }
    }

    pub(super) fn begin_program(&mut self, id: WorkerId) {
        let Some(member) = self.setup.cast.get(id.index()) else { return };
        let native = self.setup.programs.get(member.program).and_then(|program| program.native.as_ref());
        let started: Result<Running, _> = match native {
            Some(native) => Ok(native.start(Port::new(
                &self.desk,
                id,
                (member.process, self.lives(member.process)),
                &self.repertoire,
            ))),
            None => self.scripts.start(member),
        };
        match started {
            Ok(program) => {
                let worker = &mut self.workers[id.index()];
                worker.future = Some(Box::pin(Process::start(program, &self.desk, &self.nursery)));
                let waker = worker.waker.insert(self.woken.waker(id));
                waker.wake_by_ref();
            }
            Err(error) => self.record(Some(id), None, Fact::Finished { error: Some(error.to_string()) }),
        }
    }

    /// Gives a worker what it waited for, unless it is dead or stands still.
    pub(super) fn deliver(&mut self, id: WorkerId, ask: AskId, answer: Answer) {
        let worker = &mut self.workers[id.index()];
        if worker.paused_until.is_some() {
            worker.unheard.push((ask, answer));
        } else {
            self.desk.answer(ask, answer);
        }
    }

    /// Lets everybody go on for whom something has come, and those for whom something comes of that.
    pub(super) fn settle(&mut self) {
        while let Some(id) = self.woken.next() {
            // Who stands still is woken when it goes on.
            if self.workers[id.index()].paused_until.is_none() {
                self.poll(id);
            }
        }
    }

    pub(super) fn poll(&mut self, id: WorkerId) {
        let Some(mut future) = self.workers[id.index()].future.take() else { return };
        self.desk.begin(id, self.now);
        self.scripts.refill();
        let waker = self.workers[id.index()].waker.clone().unwrap_or_else(|| self.woken.waker(id));
        let mut context = Context::from_waker(&waker);
        let done = loop {
            if let Poll::Ready(error) = future.as_mut().poll(&mut context) {
                break Some(error);
            }
            if !self.woken.strike_off(id) {
                break None;
            }
        };
        self.workers[id.index()].done = done.is_some();
        self.queue.forget(&self.desk.take_withdrawn());
        if done.is_none() {
            self.workers[id.index()].future = Some(future);
        }
        let acts = self.desk.take_acts();
        for act in acts {
            if self.workers[id.index()].crashed {
                return;
            }
            if act.line.is_some() {
                self.workers[id.index()].line = act.line;
            }
            let line = self.workers[id.index()].line;
            self.perform(id, line, act.deed);
        }
        if let Some(error) = done {
            let line = self.workers[id.index()].line;
            self.record(Some(id), line, Fact::Finished { error });
            self.leave_process(id);
        }
    }

    pub(super) fn perform(&mut self, id: WorkerId, line: Option<u32>, deed: Deed) {
        match deed {
            Deed::Asked(ask, Ask::Sleep(span)) => {
                let until = self.now + span;
                self.record(Some(id), line, Fact::Slept { until });
                self.queue.add(until, Due::Wake(id, ask));
            }
            Deed::Asked(ask, Ask::Alarm(span)) => self.queue.add(self.now + span, Due::Wake(id, ask)),
            Deed::Asked(ask, Ask::Command(command)) => self.send(id, line, ask, command),
            Deed::Asked(ask, Ask::Query(query)) => self.ask_database(id, line, ask, query),
            Deed::Asked(ask, Ask::Flight(name)) => self.join_flight(id, line, ask, name),
            Deed::Asked(ask, Ask::Permit(wish)) => self.wish_permit(id, line, ask, wish),
            Deed::Landed(name, landed) => self.land(id, &name, &landed),
            Deed::Measured(process, counts) => self.measure(id, process, counts),
            Deed::PermitReturned => self.return_permit(id),
            Deed::Drew(token) => self.record(Some(id), line, Fact::TokenDrawn { token }),
            Deed::Noted(text) => self.record(Some(id), line, Fact::Noted { text }),
            Deed::Served(quality, value) => self.record(Some(id), line, Fact::Served { quality, value }),
        }
    }

    fn ask_database(&mut self, id: WorkerId, line: Option<u32>, ask: AskId, query: Query) {
        let count = self.workers[id.index()].sent.entry(QUERY.to_owned()).or_default();
        *count += 1;
        let nth = *count;
        let harm = self.fault_at(id, |when| matches!(when, Moment::Before(which) if which.is_query(nth)));
        if let Some(Harm::Crash(_)) = harm {
            return self.crash(id);
        }
        let sql = query.sql.clone();
        let number = self.database.enqueue(Pending { worker: id, ask, line, nth, query, outcome: None });
        self.start_queries();
        if self.database.is_queued(number) {
            self.record(Some(id), line, Fact::QueryQueued { query: number, sql });
        }
    }
}
