//! Workers: polled here, and nowhere else.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::run::Lab;
use crate::lab::database::Pending;
use crate::lab::desk::{Answer, Ask, AskId, Deed};
use crate::lab::event::Fact;
use crate::lab::lua::ScriptFuture;
use crate::lab::native::{Port, Process};
use crate::lab::queue::Due;
use crate::lab::time::LabTime;
use crate::lab::worker::WorkerId;

/// A worker's side of the engine.
#[derive(Default)]
pub(super) struct Worker {
    pub(super) future: Option<ScriptFuture>,
    pub(super) line: Option<u32>,
    /// How many commands of each name it has sent, for faults that count.
    pub(super) sent: BTreeMap<String, u32>,
    /// Its connection broke while nothing was under way; the next command will notice.
    pub(super) broken: bool,
    /// It stands still until then; what it would have heard waits here.
    pub(super) paused_until: Option<LabTime>,
    pub(super) unheard: Vec<(AskId, Answer)>,
    pub(super) crashed: bool,
    pub(super) done: bool,
}

/// Set when something that a worker waits for is there; several futures inside one worker share it.
#[derive(Default)]
pub(super) struct Woken(pub(super) AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
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
        let Some(member) = self.setup.cast.get(id.index()) else { return };
        let native = self.setup.programs.get(member.program).and_then(|program| program.native.as_ref());
        let started: Result<ScriptFuture, _> = match native {
            Some(native) => {
                let port = Port::new(&self.desk, id, &self.repertoire);
                Ok(Box::pin(Process::start(native, port, &self.desk)))
            }
            None => self.scripts.start(member.program),
        };
        match started {
            Ok(future) => {
                self.workers[id.index()].future = Some(future);
                self.poll(id);
            }
            Err(error) => self.record(Some(id), None, Fact::Finished { error: Some(error.to_string()) }),
        }
    }

    /// Gives a worker what it waited for, unless it is dead or stands still.
    pub(super) fn deliver(&mut self, id: WorkerId, ask: AskId, answer: Answer) {
        let worker = &mut self.workers[id.index()];
        if worker.paused_until.is_some() {
            worker.unheard.push((ask, answer));
            return;
        }
        self.desk.answer(ask, answer);
        self.poll(id);
    }

    pub(super) fn poll(&mut self, id: WorkerId) {
        let Some(mut future) = self.workers[id.index()].future.take() else { return };
        self.desk.begin(id, self.now);
        self.scripts.refill();
        let waker = Waker::from(Arc::clone(&self.polled));
        let mut context = Context::from_waker(&waker);
        let done = loop {
            self.polled.0.store(false, Ordering::Relaxed);
            if let Poll::Ready(error) = future.as_mut().poll(&mut context) {
                break Some(error);
            }
            if !self.polled.0.load(Ordering::Relaxed) {
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
            Deed::Asked(ask, Ask::Query(query)) => {
                let sql = query.sql.clone();
                let number = self.database.enqueue(Pending { worker: id, ask, line, query, outcome: None });
                self.start_queries();
                if self.database.is_queued(number) {
                    self.record(Some(id), line, Fact::QueryQueued { query: number, sql });
                }
            }
            Deed::Drew(token) => self.record(Some(id), line, Fact::TokenDrawn { token }),
            Deed::Noted(text) => self.record(Some(id), line, Fact::Noted { text }),
            Deed::Served(quality, value) => self.record(Some(id), line, Fact::Served { quality, value }),
        }
    }
}
