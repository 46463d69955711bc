//! The desk between workers and the lab.
//!
//! A worker is a future that can only wait by asking here; the lab takes what was asked, and lays the answer down
//! when its virtual time has come. A worker may have several asks open at once, and dropping one withdraws it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures::future::BoxFuture;

use super::bytes::Bytes;
use super::command::Command;
use super::database::{Query, Row};
use super::event::Quality;
use super::reply::Reply;
use super::seed::{Purpose, Stream};
use super::time::{LabTime, Span};
use super::worker::WorkerId;

/// One question that a worker waits on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AskId(u64);

/// What a worker waits for.
#[derive(Debug)]
pub(super) enum Ask {
    Sleep(Span),
    /// A wait that is only to end another one: nothing that a learner would call sleeping.
    Alarm(Span),
    Command(Command),
    Query(Query),
    /// The load of this name in the worker's process: to lead it, or to wait for who does.
    Flight(String),
    /// One of the permits of its process.
    Permit(PermitWish),
}

/// A wish for one of a process's permits.
#[derive(Clone, Copy, Debug)]
pub(super) struct PermitWish {
    /// How many there are.
    pub(super) of: u32,
    pub(super) patience: Span,
}

/// What came of a load: a value, or the code and the message of an error.
pub(super) type Landed = Result<Bytes, (String, String)>;

/// What it gets.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    Awake,
    Reply(Reply),
    TimedOut,
    Disconnected,
    Row(Result<Option<Row>, String>),
    /// It is the one to do the load.
    Leads,
    /// Somebody else has done it.
    Landed(Landed),
    /// Whether it got a permit.
    Permit(bool),
}

/// Something a worker did, in the order it did it.
#[derive(Debug)]
pub(super) struct Act {
    pub(super) line: Option<u32>,
    pub(super) deed: Deed,
}

#[derive(Debug)]
pub(super) enum Deed {
    Asked(AskId, Ask),
    Drew(String),
    Noted(String),
    Served(Quality, Bytes),
    /// The load of this name, which the worker leads, is done.
    Landed(String, Landed),
    PermitReturned,
    /// What a process has counted so far.
    Measured(String, BTreeMap<String, u64>),
}

/// A handle to the desk; clones share it.
#[derive(Clone)]
pub(super) struct Desk(Arc<Mutex<State>>);

struct State {
    seed: u64,
    now: LabTime,
    worker: WorkerId,
    next: u64,
    acts: Vec<Act>,
    open: BTreeMap<AskId, Slot>,
    streams: BTreeMap<(WorkerId, Purpose), Stream>,
    /// Tasks that the worker being polled has started.
    spawned: Vec<BoxFuture<'static, ()>>,
    withdrawn: Vec<AskId>,
}

#[derive(Default)]
struct Slot {
    answer: Option<Answer>,
    waker: Option<Waker>,
}

impl State {
    /// The stream of the worker being polled, for this purpose.
    fn stream(&mut self, purpose: Purpose) -> &mut Stream {
        let (seed, worker) = (self.seed, self.worker);
        let stream = self.streams.entry((worker, purpose));
        stream.or_insert_with(|| Stream::new(seed, u64::from(worker.0), purpose))
    }
}

impl Desk {
    pub(super) fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            seed,
            now: LabTime::START,
            worker: WorkerId(0),
            next: 0,
            acts: Vec::new(),
            open: BTreeMap::new(),
            streams: BTreeMap::new(),
            spawned: Vec::new(),
            withdrawn: Vec::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From here on, what is done is done by `worker` at `now`.
    pub(super) fn begin(&self, worker: WorkerId, now: LabTime) {
        let mut state = self.state();
        state.worker = worker;
        state.now = now;
    }

    /// Starts a task of the worker being polled.
    pub(super) fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.state().spawned.push(task);
    }

    pub(super) fn take_spawned(&self) -> Vec<BoxFuture<'static, ()>> {
        std::mem::take(&mut self.state().spawned)
    }

    /// The asks that were withdrawn since the last call: nobody waits for their answers.
    pub(super) fn take_withdrawn(&self) -> Vec<AskId> {
        std::mem::take(&mut self.state().withdrawn)
    }

    pub(super) fn now(&self) -> LabTime {
        self.state().now
    }

    /// Who is being polled.
    pub(super) fn worker(&self) -> WorkerId {
        self.state().worker
    }

    /// Takes what was done since the last call.
    pub(super) fn take_acts(&self) -> Vec<Act> {
        std::mem::take(&mut self.state().acts)
    }

    pub(super) fn ask(&self, ask: Ask, line: Option<u32>) -> Asking {
        let mut state = self.state();
        let id = AskId(state.next);
        state.next += 1;
        state.open.insert(id, Slot::default());
        state.acts.push(Act { line, deed: Deed::Asked(id, ask) });
        Asking { desk: self.clone(), id, done: false }
    }

    /// Lays an answer down and wakes who waits for it; an ask that was withdrawn is left alone.
    pub(super) fn answer(&self, id: AskId, answer: Answer) {
        let waker = {
            let mut state = self.state();
            let Some(slot) = state.open.get_mut(&id) else { return };
            slot.answer = Some(answer);
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Tells the others of its process what came of a load that this worker leads.
    pub(super) fn land(&self, name: String, landed: Landed, line: Option<u32>) {
        self.state().acts.push(Act { line, deed: Deed::Landed(name, landed) });
    }

    pub(super) fn measured(&self, process: String, counts: BTreeMap<String, u64>) {
        self.state().acts.push(Act { line: None, deed: Deed::Measured(process, counts) });
    }

    pub(super) fn return_permit(&self, line: Option<u32>) {
        self.state().acts.push(Act { line, deed: Deed::PermitReturned });
    }

    pub(super) fn note(&self, text: String, line: Option<u32>) {
        self.state().acts.push(Act { line, deed: Deed::Noted(text) });
    }

    pub(super) fn serve(&self, quality: Quality, value: Bytes, line: Option<u32>) {
        self.state().acts.push(Act { line, deed: Deed::Served(quality, value) });
    }

    /// A fresh token from the worker's own stream.
    pub(super) fn token(&self, line: Option<u32>) -> String {
        let mut state = self.state();
        let token = state.stream(Purpose::Token).token();
        state.acts.push(Act { line, deed: Deed::Drew(token.clone()) });
        token
    }

    /// 128 bits from the worker's own stream.
    pub(super) fn random(&self) -> u128 {
        self.state().stream(Purpose::Chance).bits()
    }

    /// A span from the exponential distribution with this mean, from the worker's own stream.
    pub(super) fn exponential(&self, mean: Span) -> Span {
        self.state().stream(Purpose::Chance).exponential(mean)
    }

    /// A whole number from `low` to `high` from the worker's own stream.
    pub(super) fn jitter(&self, low: u64, high: u64) -> u64 {
        self.state().stream(Purpose::Jitter).between(low, high)
    }
}

/// A question laid on the desk. Dropping it withdraws it: an answer that comes later is thrown away, and what was
/// already sent to a server still happens there.
pub(super) struct Asking {
    desk: Desk,
    id: AskId,
    done: bool,
}

impl Future for Asking {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let mut state = self.desk.state();
        let id = self.id;
        let Some(slot) = state.open.get_mut(&id) else { return Poll::Pending };
        let Some(answer) = slot.answer.take() else {
            slot.waker = Some(context.waker().clone());
            return Poll::Pending;
        };
        state.open.remove(&id);
        drop(state);
        self.done = true;
        Poll::Ready(answer)
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let mut state = self.desk.state();
        state.open.remove(&self.id);
        state.withdrawn.push(self.id);
    }
}
