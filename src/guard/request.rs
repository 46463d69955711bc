//! One call: from the question to the answer.

use std::any::TypeId;
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;
use tracing::Instrument;

use super::answer::{Answer, Provenance};
use super::core::Core;
use super::entry::{Codec, Entry, Kind};
use super::error::Error;
use super::fill::Filler;
use super::flight::{Errand, Joined, Landing, Load, Pilot, Standing};
use super::naming::Names;
use super::options::{Fallback, Options};
use super::wire::Connection;
use crate::clock::Runtime;

/// A question that is asked when it is awaited.
///
/// Dropping the future gives up the answer. The load goes on as long as somebody in this process waits for it; when
/// nobody does, its fill is dropped and its lock given back.
#[must_use = "a request does nothing until it is awaited"]
pub struct Request<V, K, C: Connection, R: Runtime> {
    core: Arc<Core<C, R>>,
    names: Names,
    codec: K,
    /// Until it is handed to a load.
    filler: Option<Filler<V>>,
    options: Arc<Options>,
    instead: Option<V>,
    deadline: Option<Duration>,
}

/// What was found on looking.
enum Look<V> {
    Answer(Answer<V>),
    /// An answer that ought to become younger, and the entry that it is from.
    Aging(Answer<V>, Entry),
    Error(Error),
    /// Nothing that may be answered with: what stands there, and what may be answered with if all else fails.
    Miss(Option<Entry>, Option<Answer<V>>),
}

/// What came of a load.
enum Flown<V> {
    /// The value that this caller's own closure computed.
    Value(Answer<V>),
    /// This caller's own load ended without one.
    Own(Landing),
    Shared(Landing),
    /// Somebody else's load did not end in time.
    Late,
}

/// What to do after a load.
enum Next<V> {
    Return(Answer<V>),
    /// It is over, unless something is at hand.
    Fail(Error),
    /// Look again: what happened concerns another caller.
    Again,
    /// Somebody else is at it and did not end in time.
    GiveWay,
}

impl<V, K, C, R> Request<V, K, C, R>
where
    V: Send + 'static,
    K: Codec<V>,
    C: Connection,
    R: Runtime,
{
    pub(super) fn new(core: &Arc<Core<C, R>>, key: &[u8], codec: K, filler: Filler<V>) -> Self {
        Self {
            core: Arc::clone(core),
            names: core.naming.of(key),
            codec,
            filler: Some(filler),
            options: Arc::clone(&core.options),
            instead: None,
            deadline: None,
        }
    }

    /// Changes the options for this call. Calls with different options share no load.
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(Arc::make_mut(&mut self.options));
        self
    }

    /// Never answers with a value past its soft deadline: waits for a fresh one, or fails.
    pub fn never_stale(self) -> Self {
        self.options(|options| {
            options.losers.serve_stale = false;
            options.refresh.on_failure = false;
        })
    }

    /// Answers with `value` where there would otherwise be an error other than [`Error::NotFound`].
    pub fn or(mut self, value: V) -> Self {
        self.instead = Some(value);
        self
    }

    /// Answers after `time` at the latest: with what is at hand then, or an error. The load goes on.
    pub fn within(mut self, time: Duration) -> Self {
        self.deadline = Some(time);
        self
    }

    async fn answer(mut self) -> Result<Answer<V>, Error> {
        let core = Arc::clone(&self.core);
        core.metrics.requests.add(1);
        self.options.check()?;
        let mut at_hand = None;
        let sought = match self.deadline {
            None => self.seek(&mut at_hand).await,
            Some(limit) => {
                let sought = core.runtime.within(limit, self.seek(&mut at_hand)).await;
                sought.unwrap_or_else(|_| {
                    core.metrics.waiter_timeouts.add(1);
                    Err(self.contended())
                })
            }
        };
        let found = match sought {
            Err(Error::NotFound) => return Err(Error::NotFound),
            Err(error) => {
                let degraded = |value| Answer { value, provenance: Provenance::Degraded };
                at_hand.or(self.instead.take().map(degraded)).ok_or(error)
            }
            found => found,
        };
        match found.as_ref().map(|answer| answer.provenance) {
            Ok(Provenance::Hit { .. }) => core.metrics.hits.add(1),
            Ok(Provenance::Degraded) => core.metrics.degraded.add(1),
            Ok(Provenance::Stale { age }) => {
                core.metrics.stale_served.add(1);
                core.metrics.stale_age.record(age);
            }
            Ok(Provenance::Waited { waited } | Provenance::Coalesced { waited }) => {
                core.metrics.wait_time.record(waited);
            }
            _ => {}
        }
        found
    }

    fn contended(&self) -> Error {
        Error::Contended { retry_after: self.options.losers.retry_after }
    }

    /// Looks, and joins loads until one has an answer. What may be answered with instead of an error goes to `at_hand`.
    async fn seek(&mut self, at_hand: &mut Option<Answer<V>>) -> Result<Answer<V>, Error> {
        let began = self.core.runtime.now();
        let until = began.saturating_add(self.options.losers.wait);
        loop {
            let seen = match self.look().await {
                Look::Answer(answer) => return Ok(answer),
                Look::Aging(answer, entry) => return Ok(self.refresh(answer, entry).await),
                Look::Error(error) => return Err(error),
                Look::Miss(seen, found) => {
                    *at_hand = found;
                    seen
                }
            };
            self.core.metrics.misses.add(1);
            let flown = self.fly(Errand::Need, seen, until).await;
            match self.after(flown, began) {
                Next::Return(answer) => return Ok(answer),
                Next::Fail(error) => return Err(error),
                Next::Again if self.filler.is_some() && self.core.runtime.now() < until => {}
                Next::Again | Next::GiveWay => return self.give_way(began, at_hand.is_some()).await,
            }
        }
    }

    /// Somebody else did not end in time.
    async fn give_way(&mut self, began: Duration, is_at_hand: bool) -> Result<Answer<V>, Error> {
        self.core.metrics.waiter_timeouts.add(1);
        let may_fill = self.options.losers.fallback == Fallback::WhenWaitedInVain && self.filler.is_some();
        if is_at_hand || !may_fill {
            return Err(self.contended());
        }
        let until = self.core.runtime.now().saturating_add(self.options.losers.wait);
        let flown = self.fly(Errand::Fallback, None, until).await;
        match self.after(flown, began) {
            Next::Return(answer) => Ok(answer),
            Next::Fail(error) => Err(error),
            Next::Again | Next::GiveWay => Err(self.contended()),
        }
    }

    /// Reads what is there, and tells what it is good for.
    async fn look(&mut self) -> Look<V> {
        let core = Arc::clone(&self.core);
        let read = if self.options.coalesce_reads {
            let (read, shared) =
                core.reads.read(&self.names.value, || core.store.read(&self.names.value)).await;
            core.metrics.reads_coalesced.add(u64::from(shared));
            read
        } else {
            core.store.read(&self.names.value).await
        };
        match read {
            Ok(Some(entry)) if entry.kind == Kind::Claim => Look::Miss(Some(entry), None),
            Ok(Some(entry)) => match core.server_time().await {
                Ok(now) => self.judge(entry, now),
                Err(_) => self.remember(),
            },
            Ok(None) => Look::Miss(None, None),
            Err(_) => self.remember(),
        }
    }

    fn judge(&self, entry: Entry, now: Duration) -> Look<V> {
        let (age, fresh) = (entry.age(now), entry.is_fresh(now));
        match entry.kind {
            Kind::NotFound | Kind::Failed if fresh => {
                self.core.metrics.negative_hits.add(1);
                return Look::Error(error_of(&entry, age));
            }
            Kind::NotFound | Kind::Failed | Kind::Claim => return Look::Miss(Some(entry), None),
            Kind::Value => self.core.memory.keep(&self.names.value, &entry),
        }
        let Some(value) = self.decode(&entry.payload) else { return Look::Miss(Some(entry), None) };
        if fresh {
            let answer = Answer { value, provenance: Provenance::Hit { age } };
            let left = entry.soft.saturating_sub(age);
            if self.options.refresh.is_early(left, entry.cost, self.core.chance()) {
                self.core.metrics.early_refreshes.add(1);
                return Look::Aging(answer, entry);
            }
            return Look::Answer(answer);
        }
        let answer = Answer { value, provenance: Provenance::Stale { age } };
        let wait = entry.retry_at.saturating_sub(now);
        match (self.options.losers.serve_stale, wait.is_zero()) {
            (true, true) => Look::Aging(answer, entry),
            (true, false) => Look::Answer(answer),
            (false, true) => Look::Miss(Some(entry), self.options.refresh.on_failure.then_some(answer)),
            (false, false) => {
                self.core.metrics.negative_hits.add(1);
                Look::Error(Error::FailedLately { said: "a refresh failed".to_owned(), retry_after: wait })
            }
        }
    }

    /// Redis does not answer: what did this process see last?
    fn remember(&self) -> Look<V> {
        let core = &self.core;
        let now = core.clock.estimate(core.runtime.now());
        let kept = core.memory.recall(&self.names.value).zip(now);
        let Some((entry, now)) = kept.filter(|(entry, now)| entry.age(*now) < entry.hard) else {
            return Look::Miss(None, None);
        };
        let Some(value) = self.decode(&entry.payload) else { return Look::Miss(None, None) };
        let age = entry.age(now);
        let answer = Answer { value, provenance: Provenance::Stale { age } };
        match (self.options.losers.serve_stale, self.options.refresh.on_failure) {
            (true, _) if entry.is_fresh(now) => Look::Answer(answer),
            (true, _) => Look::Aging(answer, entry),
            (false, true) => Look::Miss(None, Some(answer)),
            (false, false) => Look::Miss(None, None),
        }
    }

    fn decode(&self, payload: &Bytes) -> Option<V> {
        let value = self.codec.decode(payload.clone());
        if let Err(error) = &value {
            tracing::debug!(%error, "an entry is of another form and counts as a miss");
            self.core.metrics.unreadable.add(1);
        }
        value.ok()
    }

    /// Sees to it that somebody refreshes, and answers.
    async fn refresh(&mut self, answer: Answer<V>, entry: Entry) -> Answer<V> {
        let core = Arc::clone(&self.core);
        let key = (self.names.value.clone(), TypeId::of::<V>());
        if self.options.singleflight && core.flights.is_under_way(&key, Errand::Refresh) {
            return answer;
        }
        let joined = core.flights.join(key, Errand::Refresh, &self.options, self.options.singleflight);
        let Joined::First(seat, pilot) = joined else { return answer };
        let Some(own) = self.start(Errand::Refresh, Some(entry), pilot) else { return answer };
        let is_fresh = matches!(answer.provenance, Provenance::Hit { .. });
        if self.options.refresh.background || is_fresh {
            seat.keep();
            return answer;
        }
        let own = own.await;
        seat.keep();
        own.unwrap_or(answer)
    }

    /// Joins the load for `errand` or starts it, and waits for its end; for somebody else's only `until` then.
    async fn fly(&mut self, errand: Errand, seen: Option<Entry>, until: Duration) -> Flown<V> {
        let core = Arc::clone(&self.core);
        let key = (self.names.value.clone(), TypeId::of::<V>());
        match core.flights.join(key, errand, &self.options, self.options.singleflight) {
            Joined::First(seat, pilot) => {
                let Some(own) = self.start(errand, seen, pilot) else { return Flown::Late };
                match own.await {
                    Ok(answer) => {
                        // The load has a lock to give back yet.
                        seat.keep();
                        Flown::Value(answer)
                    }
                    Err(_) => Flown::Own(seat.landing().await),
                }
            }
            Joined::Another(seat) => {
                core.metrics.coalesced.add(1);
                let left = until.saturating_sub(core.runtime.now());
                if let Ok(landing) = core.runtime.within(left, seat.landing()).await {
                    return Flown::Shared(landing);
                }
                // It is late, not unwanted.
                seat.keep();
                Flown::Late
            }
        }
    }

    /// Starts a load with this caller's closure; its value comes out of what is returned.
    fn start(
        &mut self,
        errand: Errand,
        seen: Option<Entry>,
        pilot: Pilot,
    ) -> Option<oneshot::Receiver<Answer<V>>> {
        let (direct, own) = oneshot::channel();
        let load = Load {
            core: Arc::clone(&self.core),
            names: self.names.clone(),
            options: Arc::clone(&self.options),
            codec: self.codec.clone(),
            filler: self.filler.take()?,
            direct,
            seen,
        };
        let key = String::from_utf8_lossy(&self.names.value).into_owned();
        let span = tracing::debug_span!("load", key, ?errand);
        self.core.runtime.spawn(load.run(errand, pilot).instrument(span));
        Some(own)
    }

    fn after(&self, flown: Flown<V>, began: Duration) -> Next<V> {
        let waited = self.core.runtime.now().saturating_sub(began);
        let (landing, own) = match flown {
            Flown::Value(answer) => return Next::Return(answer),
            Flown::Late => return Next::GiveWay,
            Flown::Own(landing) => (landing, true),
            Flown::Shared(landing) => (landing, false),
        };
        match landing {
            Landing::Computed { standing: Standing::Outdated, .. }
            | Landing::Computed { payload: None, .. } => Next::Again,
            Landing::Computed { payload: Some(payload), standing, took } => {
                let provenance = match standing {
                    Standing::Unknown => Provenance::Fallback { took },
                    _ => Provenance::Coalesced { waited },
                };
                match self.decode(&payload) {
                    Some(value) => Next::Return(Answer { value, provenance }),
                    None => Next::Again,
                }
            }
            Landing::Found(entry) if entry.kind == Kind::Value => match self.decode(&entry.payload) {
                Some(value) => Next::Return(Answer { value, provenance: Provenance::Waited { waited } }),
                None => Next::Again,
            },
            Landing::Found(entry) => {
                let now = self.core.clock.estimate(self.core.runtime.now()).unwrap_or_default();
                Next::Fail(error_of(&entry, entry.age(now)))
            }
            Landing::NotFound(Standing::Outdated) if !own => Next::Again,
            Landing::NotFound(_) => Next::Fail(Error::NotFound),
            Landing::Failed(error) => Next::Fail(Error::Source(error)),
            Landing::Panicked(words) if own => Next::Fail(Error::Panicked(words)),
            Landing::Overran(limit) if own => Next::Fail(Error::Overran(limit)),
            Landing::Panicked(_) | Landing::Abandoned => Next::Again,
            Landing::Overran(_) | Landing::Elsewhere | Landing::Vain => Next::GiveWay,
            Landing::Shed => Next::Fail(Error::Shed { retry_after: self.options.losers.retry_after }),
            Landing::Down(trouble) => Next::Fail(Error::Redis(trouble)),
        }
    }
}

/// What an answer without a value says to the caller.
fn error_of(entry: &Entry, age: Duration) -> Error {
    match entry.kind {
        Kind::NotFound => Error::NotFound,
        Kind::Failed | Kind::Value | Kind::Claim => Error::FailedLately {
            said: String::from_utf8_lossy(&entry.payload).into_owned(),
            retry_after: entry.soft.saturating_sub(age),
        },
    }
}

impl<V, K, C, R> IntoFuture for Request<V, K, C, R>
where
    V: Send + 'static,
    K: Codec<V>,
    C: Connection,
    R: Runtime,
{
    type Output = Result<Answer<V>, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.answer().boxed()
    }
}
