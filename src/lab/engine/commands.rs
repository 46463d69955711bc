//! A command's way: sent, executed, answered.

use super::error::LabError;
use super::run::Lab;
use super::workers::Fate;
use crate::lab::command::Command;
use crate::lab::desk::{Answer, AskId};
use crate::lab::event::{CallId, Fact, Heard};
use crate::lab::harm::Harm;
use crate::lab::moment::Moment;
use crate::lab::queue::Due;
use crate::lab::reply::Reply;
use crate::lab::time::{LabTime, Span};
use crate::lab::worker::WorkerId;

/// A command under way.
pub(super) struct Call {
    pub(super) worker: WorkerId,
    pub(super) ask: AskId,
    pub(super) line: Option<u32>,
    pub(super) command: Command,
    pub(super) nth: u32,
    pub(super) sent: LabTime,
    /// Set when the server has executed it.
    pub(super) reply: Option<Reply>,
    /// Its reply will be lost on the way back.
    pub(super) deaf: bool,
    /// Its connection is gone: nobody will hear the answer.
    pub(super) cut: bool,
    /// Its worker has stopped waiting before it ran.
    pub(super) given_up: bool,
}

impl Lab {
    pub(super) fn send(&mut self, id: WorkerId, line: Option<u32>, ask: AskId, command: Command) {
        let worker = &mut self.workers[id.index()];
        let count = worker.sent.entry(command.name()).or_default();
        *count += 1;
        let nth = *count;
        let fate = worker.fate.take();
        let (broken, deaf) = (fate == Some(Fate::Broken), fate == Some(Fate::Deaf));
        let harm = self.fault_at(id, |when| matches!(when, Moment::Before(which) if which.is(&command, nth)));
        if let Some(Harm::Crash(_)) = harm {
            return self.crash(id);
        }
        let call = CallId(self.next_call);
        self.next_call += 1;
        self.record(Some(id), line, Fact::Sent { call, command: command.clone() });
        let cut = matches!(harm, Some(Harm::DropConnection(_)));
        if cut {
            self.record(Some(id), line, Fact::ConnectionDropped);
        } else if let Some(harm) = harm {
            self.strike(&harm);
        }
        let half = self.half_trip();
        let arrives = self.now + half;
        // What takes longer than that to arrive is given up before it runs.
        let late = half >= self.setup.reply_timeout;
        if late && !(cut || broken) {
            self.queue.add(self.now + self.setup.reply_timeout, Due::TimeOut(call));
        }
        self.queue.add(arrives, if cut || broken { Due::Disconnect(call) } else { Due::Execute(call) });
        self.calls.insert(
            call,
            Call {
                worker: id,
                ask,
                line,
                command,
                nth,
                sent: self.now,
                reply: None,
                deaf,
                cut: false,
                given_up: false,
            },
        );
    }

    /// From a worker to the server, or back.
    fn half_trip(&self) -> Span {
        let slow = self.slow.filter(|(until, _)| self.now < *until);
        slow.map_or(self.setup.round_trip, |(_, trip)| trip).half()
    }

    pub(super) fn execute(&mut self, id: CallId) -> Result<(), LabError> {
        let Some(call) = self.calls.get(&id) else { return Ok(()) };
        let given_up = call.given_up;
        let (worker, line, command, nth) = (call.worker, call.line, call.command.clone(), call.nth);
        if self.now < self.down_until && given_up {
            self.calls.remove(&id);
            return Ok(());
        }
        if self.now < self.down_until {
            let back = self.now + self.half_trip();
            self.queue.add(back, Due::Disconnect(id));
            return Ok(());
        }
        self.rescue()?;
        let batch = self.keys.around(&command, self.now);
        let findings = self.carry(&batch)?;
        let reply = findings.reply.unwrap_or(Reply::Nil);
        if let Some(call) = self.calls.get_mut(&id) {
            call.reply = Some(reply.clone());
        }
        self.record(Some(worker), line, Fact::Executed { call: id, reply, effects: findings.effects });
        if given_up {
            self.calls.remove(&id);
        } else {
            self.send_back(id, worker, &command, nth);
        }
        Ok(())
    }

    /// What becomes of an answer that leaves the server.
    pub(super) fn send_back(&mut self, id: CallId, worker: WorkerId, command: &Command, nth: u32) {
        let back = self.now + self.half_trip();
        let harm =
            self.fault_at(worker, |when| matches!(when, Moment::Executed(which) if which.is(command, nth)));
        let call = self.calls.get(&id);
        let deaf = call.is_some_and(|call| call.deaf).then_some(Harm::LoseReply(worker));
        let harm = harm.or(deaf);
        let (sent, line, cut) = call.map_or((self.now, None, true), |call| (call.sent, call.line, call.cut));
        match harm {
            Some(Harm::LoseReply(_)) => {
                self.record(Some(worker), line, Fact::ReplyLost { call: id });
                self.queue.add(sent + self.setup.reply_timeout, Due::TimeOut(id));
            }
            Some(Harm::DropConnection(_)) => {
                self.record(Some(worker), line, Fact::ConnectionDropped);
                self.queue.add(back, Due::Disconnect(id));
            }
            other => {
                if let Some(harm) = other {
                    self.strike(&harm);
                }
                let patience = sent + self.setup.reply_timeout;
                if !cut && back > patience {
                    self.cut(id);
                    self.queue.add(patience, Due::TimeOut(id));
                } else if !cut {
                    self.queue.add(back, Due::Answer(id));
                }
            }
        }
    }

    pub(super) fn answer(&mut self, id: CallId) {
        if self.calls.get(&id).is_some_and(|call| call.cut) {
            return;
        }
        let Some(call) = self.calls.remove(&id) else { return };
        let (worker, line) = (call.worker, call.line);
        if self.workers[worker.index()].crashed {
            return;
        }
        self.record(Some(worker), line, Fact::Answered { call: id, heard: Heard::Reply });
        let nth = call.nth;
        let harm = self
            .fault_at(worker, |when| matches!(when, Moment::After(which) if which.is(&call.command, nth)));
        if let Some(harm) = harm {
            self.strike(&harm);
        }
        if let Some(reply) = call.reply {
            self.deliver(worker, call.ask, Answer::Reply(reply));
        }
    }

    pub(super) fn give_up(&mut self, id: CallId, heard: Heard) {
        let Some(call) = self.calls.get_mut(&id).filter(|call| !call.given_up) else { return };
        let (worker, line, ask) = (call.worker, call.line, call.ask);
        if heard == Heard::TimedOut && call.reply.is_none() {
            // It is still on its way, and will run.
            call.given_up = true;
        } else {
            self.calls.remove(&id);
        }
        if self.workers[worker.index()].crashed {
            return;
        }
        self.record(Some(worker), line, Fact::Answered { call: id, heard });
        let answer = if heard == Heard::TimedOut { Answer::TimedOut } else { Answer::Disconnected };
        self.deliver(worker, ask, answer);
    }
}
