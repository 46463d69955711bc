//! The engine: takes what is due, lets it happen, and writes it down.
//!
//! ```text
//!   queue ──due──▶ Lab::tick ──answers──▶ desk ──▶ worker (polled here)
//!     ▲               │  ▲                            │
//!     └────schedules──┘  └───────────acts─────────────┘
//!                     └──events──▶ journal
//! ```
//!
//! Law: nothing here depends on the wall. What the server answers and what the seed draws are the only inputs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::command::Command;
use super::database::{Database, DatabaseError, Pending};
use super::desk::{Answer, Ask, AskId, Deed, Desk};
use super::event::{CallId, Event, Fact, Heard, JOURNAL_VERSION, Opening, QueryId};
use super::fault::{Fault, Harm, Moment};
use super::journal::Journal;
use super::keyspace::{Change, Entry, Keyspace};
use super::lua::{ScriptError, ScriptFuture, Scripts};
use super::queue::{Due, Queue};
use super::reply::Reply;
use super::setup::Setup;
use super::time::LabTime;
use super::wire::{Wire, WireError};
use super::worker::WorkerId;

/// Why a run cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    #[error(transparent)]
    Wire(#[from] WireError),
    #[error("the server already has a key `{key}`, and this lesson would overwrite it")]
    KeyTaken { key: String },
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("could not start a worker: {0}")]
    Script(#[from] ScriptError),
}

/// A run of one take.
///
/// Dropping it removes the lesson's keys from the server.
pub struct Lab {
    setup: Setup,
    wire: Box<dyn Wire>,
    wire_lost: bool,
    now: LabTime,
    tick: u32,
    queue: Queue,
    desk: Desk,
    scripts: Scripts,
    workers: Vec<Worker>,
    calls: BTreeMap<CallId, Call>,
    next_call: u32,
    keys: Keyspace,
    database: Database,
    journal: Journal,
    ended: bool,
    polled: Arc<Woken>,
}

/// A worker's side of the engine.
#[derive(Default)]
struct Worker {
    future: Option<ScriptFuture>,
    line: Option<u32>,
    /// How many commands of each name it has sent, for faults that count.
    sent: BTreeMap<String, u32>,
    /// Its connection broke while nothing was under way; the next command will notice.
    broken: bool,
    /// It stands still until then; what it would have heard waits here.
    paused_until: Option<LabTime>,
    unheard: Vec<(AskId, Answer)>,
    crashed: bool,
}

/// A command under way.
struct Call {
    worker: WorkerId,
    ask: AskId,
    line: Option<u32>,
    command: Command,
    nth: u32,
    sent: LabTime,
    /// Set when the server has executed it.
    reply: Option<Reply>,
    /// Its connection is gone: nobody will hear the answer.
    cut: bool,
}

/// Set when something that a worker waits for is there; several futures inside one worker share it.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Lab {
    /// Prepares a run and checks that the server has none of its keys.
    ///
    /// # Errors
    /// When the server does not answer or has such a key, the schema does not run, or a program does not compile.
    pub fn open(setup: Setup, mut wire: Box<dyn Wire>) -> Result<Self, LabError> {
        let names = setup.keys.all();
        let probes: Vec<_> =
            names.iter().map(|key| Command::new(vec!["EXISTS".into(), key.clone()])).collect();
        let found = wire.exchange(&probes)?;
        if let Some((key, _)) = names.iter().zip(found).find(|(_, reply)| reply.as_integer() == Some(1)) {
            return Err(LabError::KeyTaken { key: key.to_string() });
        }
        let desk = Desk::new(setup.seed);
        let scripts = Scripts::load(&setup, &desk)?;
        let database = Database::open(&setup.database, setup.seed)?;
        let mut lab = Self {
            wire,
            wire_lost: false,
            now: LabTime::START,
            tick: 0,
            queue: Queue::default(),
            desk,
            scripts,
            workers: setup.cast.iter().map(|_| Worker::default()).collect(),
            calls: BTreeMap::new(),
            next_call: 0,
            keys: Keyspace::new(names),
            database,
            journal: Journal::default(),
            ended: false,
            polled: Arc::default(),
            setup,
        };
        lab.schedule_setup();
        Ok(lab)
    }

    fn schedule_setup(&mut self) {
        let opening = Opening {
            version: JOURNAL_VERSION,
            lesson: self.setup.lesson.clone(),
            take: self.setup.take.clone(),
            seed: self.setup.seed,
            knobs: self.setup.globals.clone(),
            keys: self.setup.keys.clone(),
            cast: self.setup.cast.clone(),
            pool: self.setup.database.pool,
        };
        self.record(None, None, Fact::Began(Box::new(opening)));
        for (index, fault) in self.setup.faults.iter().enumerate() {
            if let Moment::At(at) = fault.when {
                self.queue.add(at, Due::Strike(index));
            }
        }
        for (number, member) in (0..).zip(&self.setup.cast) {
            self.queue.add(member.arrives, Due::Arrive(WorkerId(number)));
        }
    }

    pub fn now(&self) -> LabTime {
        self.now
    }

    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// When the next thing is due; `None` when the run has ended.
    pub fn next_at(&self) -> Option<LabTime> {
        if self.ended { None } else { self.queue.next_at() }
    }

    /// Lets the next due thing happen. Returns false when the run has ended.
    ///
    /// # Errors
    /// When the server is lost. The journal stands as it was before.
    pub fn tick(&mut self) -> Result<bool, LabError> {
        if self.ended {
            return Ok(false);
        }
        let Some((at, due)) = self.queue.pop() else {
            self.end();
            return Ok(true);
        };
        self.now = self.now.max(at);
        self.tick += 1;
        self.happen(due)?;
        if self.queue.only_expiries() {
            self.end();
        }
        Ok(true)
    }

    fn end(&mut self) {
        self.ended = true;
        self.record(None, None, Fact::Ended);
    }

    /// Moves the clock on to `to` as far as nothing is due before.
    pub fn wait_until(&mut self, to: LabTime) {
        let limit = self.next_at().unwrap_or(to);
        self.now = self.now.max(to.min(limit));
    }

    /// Holds the real countdowns where lab time stands. To be called about every 50 ms while time does not run at
    /// full speed; anything that somebody else changed meanwhile becomes an event.
    ///
    /// # Errors
    /// When the server is lost.
    pub fn hold(&mut self) -> Result<(), LabError> {
        if !self.keys.needs_holding() {
            return Ok(());
        }
        self.restore_lost_keys()?;
        let batch = self.keys.hold(self.now);
        let replies = self.exchange(&batch.commands)?;
        let findings = self.keys.digest(&batch, &replies, self.now);
        self.notice(findings.outside);
        Ok(())
    }

    fn restore_lost_keys(&mut self) -> Result<(), LabError> {
        let lost = self.keys.put_back(self.now);
        if lost.is_empty() {
            return Ok(());
        }
        let (keys, commands): (Vec<_>, Vec<_>) = lost.into_iter().unzip();
        self.exchange(&commands)?;
        self.tick += 1;
        for key in keys {
            self.record(None, None, Fact::PutBack { key });
        }
        Ok(())
    }

    fn notice(&mut self, outside: Vec<Change>) {
        for change in outside {
            self.watch_deadline(&change);
            self.tick += 1;
            self.record(None, None, Fact::Outside(change));
        }
    }

    fn watch_deadline(&mut self, change: &Change) {
        let deadline = |entry: &Option<Entry>| entry.as_ref().and_then(|entry| entry.deadline);
        let after = deadline(&change.after);
        if let Some(at) = after.filter(|_| after != deadline(&change.before)) {
            self.queue.add(at, Due::Expire(change.key.clone()));
        }
    }

    fn exchange(&mut self, batch: &[Command]) -> Result<Vec<Reply>, LabError> {
        self.wire.exchange(batch).map_err(|error| {
            self.wire_lost = true;
            error.into()
        })
    }

    fn record(&mut self, worker: Option<WorkerId>, line: Option<u32>, fact: Fact) {
        self.journal.append([Event { at: self.now, tick: self.tick, worker, line, fact }]);
    }

    fn happen(&mut self, due: Due) -> Result<(), LabError> {
        match due {
            Due::Arrive(id) => self.arrive(id),
            Due::Wake(id, ask) => self.deliver(id, ask, Answer::Awake),
            Due::Execute(call) => self.execute(call)?,
            Due::Answer(call) => self.answer(call),
            Due::TimeOut(call) => self.give_up(call, Heard::TimedOut),
            Due::Disconnect(call) => self.give_up(call, Heard::Disconnected),
            Due::QueryEnds(query) => self.finish_query(query),
            Due::Expire(key) => {
                if self.keys.expire(&key, self.now) {
                    self.record(None, None, Fact::Expired { key });
                }
            }
            Due::Strike(index) => {
                if let Some(fault) = self.setup.faults.get(index).cloned() {
                    self.strike(&fault.harm);
                }
            }
            Due::Resume(id) => self.resume(id),
        }
        Ok(())
    }

    // --- workers ---------------------------------------------------------------------------------------------

    fn arrive(&mut self, id: WorkerId) {
        self.record(Some(id), None, Fact::Arrived);
        let Some(member) = self.setup.cast.get(id.index()) else { return };
        match self.scripts.start(member.program) {
            Ok(future) => {
                self.workers[id.index()].future = Some(future);
                self.poll(id);
            }
            Err(error) => self.record(Some(id), None, Fact::Finished { error: Some(error.to_string()) }),
        }
    }

    /// Gives a worker what it waited for, unless it is dead or stands still.
    fn deliver(&mut self, id: WorkerId, ask: AskId, answer: Answer) {
        let worker = &mut self.workers[id.index()];
        if worker.paused_until.is_some() {
            worker.unheard.push((ask, answer));
            return;
        }
        self.desk.answer(ask, answer);
        self.poll(id);
    }

    fn poll(&mut self, id: WorkerId) {
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
        if done.is_none() {
            self.workers[id.index()].future = Some(future);
        }
        for act in self.desk.take_acts() {
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

    fn perform(&mut self, id: WorkerId, line: Option<u32>, deed: Deed) {
        match deed {
            Deed::Asked(ask, Ask::Sleep(span)) => {
                let until = self.now + span;
                self.record(Some(id), line, Fact::Slept { until });
                self.queue.add(until, Due::Wake(id, ask));
            }
            Deed::Asked(ask, Ask::Command(command)) => self.send(id, line, ask, command),
            Deed::Asked(ask, Ask::Query(query)) => {
                let sql = query.sql.clone();
                let number = self.database.enqueue(Pending { worker: id, ask, line, query, outcome: None });
                self.start_queries();
                if self.database.pending.get(&number).is_some_and(|pending| pending.outcome.is_none()) {
                    self.record(Some(id), line, Fact::QueryQueued { query: number, sql });
                }
            }
            Deed::Drew(token) => self.record(Some(id), line, Fact::TokenDrawn { token }),
            Deed::Noted(text) => self.record(Some(id), line, Fact::Noted { text }),
            Deed::Served(quality, value) => self.record(Some(id), line, Fact::Served { quality, value }),
        }
    }

    // --- commands --------------------------------------------------------------------------------------------

    fn send(&mut self, id: WorkerId, line: Option<u32>, ask: AskId, command: Command) {
        let worker = &mut self.workers[id.index()];
        let count = worker.sent.entry(command.name()).or_default();
        *count += 1;
        let nth = *count;
        let broken = std::mem::take(&mut worker.broken);
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
        let arrives = self.now + self.setup.round_trip.half();
        self.queue.add(arrives, if cut || broken { Due::Disconnect(call) } else { Due::Execute(call) });
        self.calls.insert(
            call,
            Call { worker: id, ask, line, command, nth, sent: self.now, reply: None, cut: false },
        );
    }

    fn execute(&mut self, id: CallId) -> Result<(), LabError> {
        let Some(call) = self.calls.get(&id) else { return Ok(()) };
        let (worker, line, command, nth) = (call.worker, call.line, call.command.clone(), call.nth);
        self.restore_lost_keys()?;
        let batch = self.keys.around(&command, self.now);
        let replies = self.exchange(&batch.commands)?;
        let findings = self.keys.digest(&batch, &replies, self.now);
        self.notice(findings.outside);
        for change in &findings.effects {
            self.watch_deadline(change);
        }
        let reply = findings.reply.unwrap_or(Reply::Nil);
        if let Some(call) = self.calls.get_mut(&id) {
            call.reply = Some(reply.clone());
        }
        self.record(Some(worker), line, Fact::Executed { call: id, reply, effects: findings.effects });
        self.send_back(id, worker, &command, nth);
        Ok(())
    }

    /// What becomes of an answer that leaves the server.
    fn send_back(&mut self, id: CallId, worker: WorkerId, command: &Command, nth: u32) {
        let back = self.now + self.setup.round_trip.half();
        let harm =
            self.fault_at(worker, |when| matches!(when, Moment::Executed(which) if which.is(command, nth)));
        let call = self.calls.get(&id);
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
                if !cut {
                    self.queue.add(back, Due::Answer(id));
                }
            }
        }
    }

    fn answer(&mut self, id: CallId) {
        let Some(call) = self.calls.remove(&id) else { return };
        let (worker, line) = (call.worker, call.line);
        if self.workers[worker.index()].crashed || call.cut {
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

    fn give_up(&mut self, id: CallId, heard: Heard) {
        let Some(call) = self.calls.remove(&id) else { return };
        if self.workers[call.worker.index()].crashed {
            return;
        }
        self.record(Some(call.worker), call.line, Fact::Answered { call: id, heard });
        let answer = if heard == Heard::TimedOut { Answer::TimedOut } else { Answer::Disconnected };
        self.deliver(call.worker, call.ask, answer);
    }

    // --- database --------------------------------------------------------------------------------------------

    fn start_queries(&mut self) {
        while let Some(query) = self.database.next_to_start() {
            let Some(pending) = self.database.pending.get(&query) else { continue };
            let (worker, line, sql) = (pending.worker, pending.line, pending.query.sql.clone());
            let fixed = self.setup.cast.get(worker.index()).and_then(|member| member.fill);
            let Some((row, takes)) = self.database.start(query, self.now, fixed) else { continue };
            self.record(Some(worker), line, Fact::QueryStarted { query, sql, row, takes });
            self.queue.add(self.now + takes, Due::QueryEnds(query));
        }
    }

    fn finish_query(&mut self, query: QueryId) {
        let Some(done) = self.database.finish(query) else { return };
        let outcome = done.outcome.unwrap_or(Ok(None));
        self.record(Some(done.worker), done.line, Fact::QueryFinished { query, failed: outcome.is_err() });
        self.start_queries();
        self.deliver(done.worker, done.ask, Answer::Row(outcome));
    }

    // --- faults ----------------------------------------------------------------------------------------------

    /// The harm that befalls `worker` at a moment, if one was set up.
    fn fault_at(&self, worker: WorkerId, is_now: impl Fn(&Moment) -> bool) -> Option<Harm> {
        let befalls = |fault: &&Fault| fault.harm.worker() == Some(worker) && is_now(&fault.when);
        self.setup.faults.iter().find(befalls).map(|fault| fault.harm.clone())
    }

    fn strike(&mut self, harm: &Harm) {
        match harm {
            Harm::Crash(id) => self.crash(*id),
            Harm::DropConnection(id) => self.drop_connection(*id),
            // Losing a reply needs a call; at a time of its own it befalls the one under way.
            Harm::LoseReply(id) => {
                if let Some((call, sent)) = self.under_way(*id) {
                    self.cut(call);
                    self.record(Some(*id), None, Fact::ReplyLost { call });
                    self.queue.add(sent + self.setup.reply_timeout, Due::TimeOut(call));
                }
            }
            Harm::Pause(id, span) => {
                let until = self.now + *span;
                self.workers[id.index()].paused_until = Some(until);
                self.record(Some(*id), None, Fact::Paused { until });
                self.queue.add(until, Due::Resume(*id));
            }
            Harm::DatabaseFails(span) => self.database.fail_until(self.now + *span),
        }
    }

    fn crash(&mut self, id: WorkerId) {
        let worker = &mut self.workers[id.index()];
        if worker.crashed {
            return;
        }
        worker.crashed = true;
        worker.future = None;
        worker.unheard.clear();
        let line = worker.line;
        self.record(Some(id), line, Fact::Crashed);
    }

    fn drop_connection(&mut self, id: WorkerId) {
        self.record(Some(id), None, Fact::ConnectionDropped);
        match self.under_way(id) {
            Some((call, _)) => {
                self.cut(call);
                self.queue.add(self.now, Due::Disconnect(call));
            }
            None => self.workers[id.index()].broken = true,
        }
    }

    fn under_way(&self, id: WorkerId) -> Option<(CallId, LabTime)> {
        self.calls
            .iter()
            .rev()
            .find(|(_, call)| call.worker == id && !call.cut)
            .map(|(id, call)| (*id, call.sent))
    }

    /// Makes sure that the ordinary answer of a call reaches nobody; the command itself still runs.
    fn cut(&mut self, id: CallId) {
        if let Some(call) = self.calls.get_mut(&id) {
            call.cut = true;
        }
    }

    fn resume(&mut self, id: WorkerId) {
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
        self.poll(id);
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if self.wire_lost {
            return;
        }
        let mut command = vec!["DEL".into()];
        command.extend(self.setup.keys.all());
        // The last courtesy to a server that may be somebody's; if it is gone, so are the keys' readers.
        let _ = self.wire.exchange(&[Command::new(command)]);
    }
}
