//! What goes wrong, when its moment has come.

use super::run::Lab;
use super::workers::Fate;
use crate::lab::bytes::Bytes;
use crate::lab::event::{CallId, Fact};
use crate::lab::fault::Fault;
use crate::lab::harm::Harm;
use crate::lab::moment::Moment;
use crate::lab::queue::Due;
use crate::lab::time::LabTime;
use crate::lab::worker::WorkerId;

impl Lab {
    /// The harm that befalls `worker` at a moment, if one was set up.
    pub(super) fn fault_at(&self, worker: WorkerId, is_now: impl Fn(&Moment) -> bool) -> Option<Harm> {
        let befalls = |fault: &&Fault| fault.harm.worker() == Some(worker) && is_now(&fault.when);
        self.setup.faults.iter().find(befalls).map(|fault| fault.harm.clone())
    }

    pub(super) fn strike(&mut self, harm: &Harm) {
        let out_of_reach = |worker: &super::workers::Worker| worker.crashed || worker.done;
        if harm.worker().is_some_and(|id| self.workers.get(id.index()).is_none_or(out_of_reach)) {
            return;
        }
        match harm {
            Harm::Crash(id) => self.crash(*id),
            Harm::CrashProcess(process) => self.crash_process(*process),
            Harm::DropConnection(id) => self.drop_connection(*id),
            // Losing a reply needs a call; at a time of its own it befalls the one under way, or the next.
            Harm::LoseReply(id) => match self.under_way(*id) {
                Some((call, sent)) => {
                    self.cut(call);
                    self.record(Some(*id), None, Fact::ReplyLost { call });
                    self.queue.add(sent + self.setup.reply_timeout, Due::TimeOut(call));
                }
                None => self.workers[id.index()].fate = Some(Fate::Deaf),
            },
            Harm::Pause(id, span) => {
                let worker = &mut self.workers[id.index()];
                let until = (self.now + *span).max(worker.paused_until.unwrap_or_default());
                worker.paused_until = Some(until);
                self.record(Some(*id), None, Fact::Paused { until });
                self.queue.add(until, Due::Resume(*id));
            }
            Harm::RedisSlow(trip, span) => self.slow = Some((self.now + *span, *trip)),
            Harm::Failover(keys) => self.fail_over(keys),
            Harm::RedisDown(span) => self.down_until = self.down_until.max(self.now + *span),
            Harm::DatabaseFails(span) => self.database.fail_until(self.now + *span),
            Harm::DatabaseSlow(times, span) => self.database.slow_until(self.now + *span, *times),
        }
    }

    fn fail_over(&mut self, keys: &[Bytes]) {
        let lost = keys.iter().filter_map(|key| self.keys.lose(key)).collect();
        self.record(None, None, Fact::FailedOver { lost });
        for number in 0..self.setup.cast.len() {
            let id = WorkerId(u16::try_from(number).unwrap_or(u16::MAX));
            let worker = &self.workers[number];
            if worker.future.is_some() && !worker.crashed {
                self.break_connection(id);
            }
        }
    }

    pub(super) fn crash(&mut self, id: WorkerId) {
        let worker = &mut self.workers[id.index()];
        if worker.crashed {
            return;
        }
        worker.crashed = true;
        worker.unheard.clear();
        // Its futures may ask and start things while they are dropped; a process that was killed does not.
        let future = worker.future.take();
        self.desk.begin(id, self.now);
        drop(future);
        while !self.desk.take_spawned().is_empty() {}
        self.desk.take_acts();
        self.queue.forget(&self.desk.take_withdrawn());
        let worker = &self.workers[id.index()];
        let line = worker.line;
        self.record(Some(id), line, Fact::Crashed);
        self.leave_process(id);
    }

    pub(super) fn drop_connection(&mut self, id: WorkerId) {
        self.record(Some(id), None, Fact::ConnectionDropped);
        self.break_connection(id);
    }

    /// Whoever waits for an answer on this connection hears that it broke; else whoever uses it next does.
    fn break_connection(&mut self, id: WorkerId) {
        match self.under_way(id) {
            Some((call, _)) => {
                self.cut(call);
                self.queue.add(self.now, Due::Disconnect(call));
            }
            None => self.workers[id.index()].fate = Some(Fate::Broken),
        }
    }

    pub(super) fn under_way(&self, id: WorkerId) -> Option<(CallId, LabTime)> {
        self.calls
            .iter()
            .rev()
            .find(|(_, call)| call.worker == id && !call.cut)
            .map(|(id, call)| (*id, call.sent))
    }

    /// Makes sure that the ordinary answer of a call reaches nobody; the command itself still runs.
    pub(super) fn cut(&mut self, id: CallId) {
        if let Some(call) = self.calls.get_mut(&id) {
            call.cut = true;
        }
    }

    pub(super) fn resume(&mut self, id: WorkerId) {
        let worker = &mut self.workers[id.index()];
        if worker.crashed || worker.paused_until != Some(self.now) {
            return;
        }
        worker.paused_until = None;
        let unheard = std::mem::take(&mut worker.unheard);
        self.record(Some(id), None, Fact::Resumed);
        for (ask, answer) in unheard {
            self.desk.answer(ask, answer);
        }
        if let Some(waker) = &self.workers[id.index()].waker {
            waker.wake_by_ref();
        }
    }
}
