//! A run: what it is made of, and its clock.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::app::Process;
use super::commands::Call;
use super::error::LabError;
use super::roster::Roster;
use super::workers::Worker;
use crate::lab::command::Command;
use crate::lab::database::Database;
use crate::lab::desk::{Answer, Desk};
use crate::lab::event::{CallId, Event, Fact, Heard, Opening};
use crate::lab::journal::Journal;
use crate::lab::keyspace::Keyspace;
use crate::lab::lua::Scripts;
use crate::lab::moment::Moment;
use crate::lab::process::Nursery;
use crate::lab::queue::{Due, Queue};
use crate::lab::repertoire::Repertoire;
use crate::lab::reply::Reply;
use crate::lab::schedule::{Act, Intervention};
use crate::lab::setup::Setup;
use crate::lab::time::{LabTime, Span};
use crate::lab::wire::Wire;
use crate::lab::worker::WorkerId;

/// The busiest lesson writes some thirty thousand events; a run with ten times that many polls for ever.
const MOST_EVENTS: usize = 300_000;

/// A run of one take.
///
/// Dropping it removes the lesson's keys from the server.
pub struct Lab {
    pub(super) setup: Setup,
    pub(super) wire: Box<dyn Wire>,
    pub(super) wire_lost: bool,
    pub(super) now: LabTime,
    pub(super) tick: u32,
    pub(super) queue: Queue,
    pub(super) desk: Desk,
    pub(super) scripts: Scripts,
    pub(super) repertoire: Arc<Repertoire>,
    pub(super) workers: Vec<Worker>,
    pub(super) calls: BTreeMap<CallId, Call>,
    pub(super) next_call: u32,
    pub(super) keys: Keyspace,
    /// Nothing reaches Redis before this time.
    pub(super) down_until: LabTime,
    /// Until then a command takes that long to the server and back.
    pub(super) slow: Option<(LabTime, Span)>,
    pub(super) processes: BTreeMap<u16, Process>,
    /// What has been written down of the counters of each process.
    pub(super) measured: BTreeMap<String, BTreeMap<String, u64>>,
    pub(super) database: Database,
    pub(super) journal: Journal,
    pub(super) ended: bool,
    pub(super) woken: Roster,
    pub(super) nursery: Nursery,
    /// What a learner did in the run that this one repeats, and has yet to be done.
    pub(super) acts: VecDeque<Act>,
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
        for (key, reply) in names.iter().zip(found) {
            match reply {
                Reply::Integer(0) => {}
                Reply::Integer(_) => return Err(LabError::KeyTaken { key: key.to_string() }),
                other => {
                    return Err(LabError::Unanswered { key: key.to_string(), answer: other.to_string() });
                }
            }
        }
        let desk = Desk::new(setup.seed);
        let repertoire = Arc::new(Repertoire::of(&setup));
        let nursery = Nursery::default();
        let scripts = Scripts::load(&setup, &desk, &repertoire, &nursery)?;
        wire.exchange(&Repertoire::preload(&setup))?;
        let database = Database::open(&setup.database, setup.seed)?;
        let mut lab = Self {
            wire,
            wire_lost: false,
            now: LabTime::START,
            tick: 0,
            queue: Queue::default(),
            desk,
            scripts,
            repertoire,
            workers: setup.cast.iter().map(|_| Worker::default()).collect(),
            calls: BTreeMap::new(),
            next_call: 0,
            keys: Keyspace::new(names),
            down_until: LabTime::START,
            database,
            journal: Journal::default(),
            ended: false,
            slow: None,
            processes: BTreeMap::new(),
            measured: BTreeMap::new(),
            woken: Roster::default(),
            nursery,
            acts: VecDeque::new(),
            setup,
        };
        lab.arrange();
        lab.schedule_setup();
        Ok(lab)
    }

    /// Deals the schedule out to those who keep to it.
    fn arrange(&mut self) {
        for intervention in &self.setup.schedule {
            match intervention.clone() {
                Intervention::Fault(fault) => self.setup.faults.push(fault),
                Intervention::Tie { nth, first } => self.queue.turn(nth, first),
                Intervention::Act(act) => self.acts.push_back(act),
            }
        }
    }

    pub(super) fn schedule_setup(&mut self) {
        let (truth, watched) = (self.database.truth(), self.database.watched());
        let opening = Opening { truth, watched, ..self.setup.opening() };
        self.record(None, None, Fact::Began(Box::new(opening)));
        for (index, fault) in self.setup.faults.iter().enumerate() {
            if let Moment::At(at) = fault.when {
                self.queue.add(at, Due::Strike(index));
            }
        }
        for (number, member) in (0..).zip(&self.setup.cast) {
            self.queue.add(member.arrives, Due::Arrive(WorkerId(number)));
        }
        if let Some(end) = self.setup.ends {
            self.queue.add(end, Due::End);
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
        let next = if self.ended { None } else { self.queue.next_at() };
        match self.act_due() {
            Some(act) => Some(act.at.min(next.unwrap_or(act.at)).max(self.now)),
            None => next,
        }
    }

    /// How many things were due at once, each time that it was more than one.
    pub fn ties(&self) -> &[usize] {
        self.queue.ties()
    }

    /// Lets the next due thing happen. Returns false when the run has ended.
    ///
    /// # Errors
    /// When the server is lost. The journal stands as it was before.
    pub fn tick(&mut self) -> Result<bool, LabError> {
        if self.act_due().is_some()
            && let (Some(at), Some(act)) = (self.next_at(), self.acts.pop_front())
        {
            self.now = at;
            self.act(act.lever)?;
            return Ok(true);
        }
        if self.ended {
            return Ok(false);
        }
        let Some((at, due)) = self.queue.pop() else {
            self.end();
            return Ok(true);
        };
        if self.journal.len() > MOST_EVENTS {
            return Err(self.endless());
        }
        self.now = self.now.max(at);
        self.tick += 1;
        self.happen(due)?;
        self.settle();
        self.end_if_nothing_is_left();
        Ok(true)
    }

    pub(super) fn end_if_nothing_is_left(&mut self) {
        if !self.ended && self.queue.only_expiries() {
            self.end();
        }
    }

    fn endless(&self) -> LabError {
        let last = self.journal.events().iter().rev().find(|event| event.worker.is_some());
        let worker =
            last.and_then(|event| event.worker).map_or_else(|| "nobody".to_owned(), |id| id.to_string());
        LabError::Endless {
            events: self.journal.len(),
            worker,
            line: last.and_then(|event| event.line).unwrap_or(0),
        }
    }

    pub(super) fn end(&mut self) {
        self.ended = true;
        self.record(None, None, Fact::Ended);
    }

    /// Moves the clock on to `to` as far as nothing is due before.
    pub fn wait_until(&mut self, to: LabTime) {
        let limit = self.next_at().unwrap_or(to);
        self.now = self.now.max(to.min(limit));
    }

    pub(super) fn happen(&mut self, due: Due) -> Result<(), LabError> {
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
            Due::PatienceEnds(id) => self.lose_patience(id),
            Due::WishEnds(id, ask) => self.end_wish(id, ask),
            Due::End => self.end(),
        }
        Ok(())
    }

    pub(super) fn record(&mut self, worker: Option<WorkerId>, line: Option<u32>, fact: Fact) {
        self.journal.append([Event { at: self.now, tick: self.tick, worker, line, fact }]);
    }

    pub(super) fn exchange(&mut self, batch: &[Command]) -> Result<Vec<Reply>, LabError> {
        self.wire.exchange(batch).map_err(|error| {
            self.wire_lost = true;
            error.into()
        })
    }
}

impl Drop for Lab {
    /// Takes the lesson's keys away, as far as they still are as the lab left them. What somebody else has put there
    /// meanwhile is theirs.
    fn drop(&mut self) {
        if self.wire_lost {
            return;
        }
        let (keys, probes) = self.keys.own();
        // The last courtesy to a server that may be somebody's; if it is gone, so are the keys' readers.
        let Ok(found) = self.wire.exchange(&probes) else { return };
        let removals = self.keys.removals(&keys, &found);
        if !removals.is_empty() {
            let _ = self.wire.exchange(&removals);
        }
    }
}
