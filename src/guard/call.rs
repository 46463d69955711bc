//! One call under way: look, join a load, look again, give way.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
use tracing::Instrument;

use super::answer::{Answer, Provenance};
use super::core::Core;
use super::entry::{Codec, Entry, Kind};
use super::error::Error;
use super::fill::Filler;
use super::flight::{Errand, Joined, Landing, Load, Pilot, Seat, Standing};
use super::options::{Fallback, Options, OptionsError};
use super::wire::Connection;
use crate::clock::Runtime;

/// One call under way.
pub(super) struct Call<V, K, C: Connection, R: Runtime> {
    pub(super) core: Arc<Core<C, R>>,
    /// The caller's key, and once that is checked the name of the value on the server.
    key: Bytes,
    codec: K,
    /// Until it is handed to a load.
    filler: Option<Filler<V>>,
    pub(super) options: Arc<Options>,
    /// What may be answered with instead of an error.
    pub(super) at_hand: Option<Answer<V>>,
    /// In the load that this call waits for.
    seat: Option<Seat>,
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

impl<V, K, C, R> Call<V, K, C, R>
where
    V: Send + 'static,
    K: Codec<V>,
    C: Connection,
    R: Runtime,
{
    pub(super) fn new(core: &Arc<Core<C, R>>, key: Bytes, codec: K, filler: Filler<V>) -> Self {
        let options = Arc::clone(&core.options);
        let core = Arc::clone(core);
        Self { core, key, codec, filler: Some(filler), options, at_hand: None, seat: None }
    }

    /// To be asked once, before anything else.
    ///
    /// # Errors
    /// When the options or the key make no sense.
    pub(super) fn check(&mut self) -> Result<(), OptionsError> {
        // The guard's own have been checked when it was built.
        if !Arc::ptr_eq(&self.options, &self.core.options) {
            self.options.check()?;
        }
        self.key = self.core.naming.value(std::mem::take(&mut self.key))?;
        Ok(())
    }

    /// The call waits no longer, but the load it is in goes on.
    pub(super) fn let_go_on(&self) {
        if let Some(seat) = &self.seat {
            seat.keep();
        }
    }

    pub(super) fn contended(&self) -> Error {
        Error::Contended { retry_after: self.options.losers.retry_after }
    }

    /// Looks, and joins loads until one has an answer. Cancel safe: the call can still say what is at hand, and let its
    /// load go on.
    pub(super) async fn seek(&mut self) -> Result<Answer<V>, Error> {
        match self.look().await {
            Look::Answer(answer) => Ok(answer),
            other => Box::pin(self.pursue(other)).await,
        }
    }

    async fn pursue(&mut self, mut look: Look<V>) -> Result<Answer<V>, Error> {
        let began = self.core.runtime.now();
        let until = began.saturating_add(self.options.losers.wait);
        loop {
            let seen = match look {
                Look::Answer(answer) => return Ok(answer),
                Look::Aging(answer, entry) => return Ok(self.refresh(answer, entry).await),
                Look::Error(error) => return Err(error),
                Look::Miss(seen, found) => {
                    self.at_hand = found;
                    seen
                }
            };
            self.core.metrics.misses.add(1);
            let flown = self.fly(Errand::Need, seen, until).await;
            match self.after(flown, began) {
                Next::Return(answer) => return Ok(answer),
                Next::Fail(error) => return Err(error),
                Next::Again if self.filler.is_some() && self.core.runtime.now() < until => {}
                Next::Again | Next::GiveWay => return self.give_way(began).await,
            }
            look = self.look().await;
        }
    }

    /// Somebody else did not end in time.
    async fn give_way(&mut self, began: Duration) -> Result<Answer<V>, Error> {
        self.core.metrics.waiter_timeouts.add(1);
        let may_fill = self.options.losers.fallback == Fallback::WhenWaitedInVain && self.filler.is_some();
        if self.at_hand.is_some() || !may_fill {
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
        // Futures that are not needed for every hit are boxed, to keep this one small.
        let core = &self.core;
        let read = if self.options.coalesce_reads {
            let read = core.reads.read(&self.key, || core.store.read(&self.key));
            let (read, shared) = Box::pin(read).await;
            core.metrics.reads_coalesced.add(u64::from(shared));
            read
        } else {
            core.store.read(&self.key).await
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
            Kind::Value => self.core.memory.keep(&self.key, &entry),
        }
        let Some(value) = self.decode(&entry.payload) else { return Look::Miss(Some(entry), None) };
        if fresh {
            let answer = Answer { value, provenance: Provenance::Hit { age } };
            let left = entry.soft.saturating_sub(age);
            if self.options.refresh.is_early(left, entry.cost, || self.core.chance()) {
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
                Look::Error(postponed(wait))
            }
        }
    }

    /// Redis does not answer: what did this process see last?
    fn remember(&self) -> Look<V> {
        let core = &self.core;
        let now = core.clock.estimate(core.runtime.now());
        let kept = core.memory.recall(&self.key).zip(now);
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
        // Futures that are not needed for every hit are boxed, to keep this one small.
        let core = &self.core;
        let key = (self.key.clone(), TypeId::of::<V>());
        if self.options.singleflight && core.flights.is_under_way(&key, Errand::Refresh) {
            return answer;
        }
        let joined = core.flights.join(key, Errand::Refresh, &self.options, self.options.singleflight);
        let Joined::First(seat, pilot) = joined else { return answer };
        let Some(own) = self.start(Errand::Refresh, Some(entry), pilot) else { return answer };
        let is_fresh = matches!(answer.provenance, Provenance::Hit { .. });
        self.core.metrics.early_refreshes.add(u64::from(is_fresh));
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
        // Futures that are not needed for every hit are boxed, to keep this one small.
        let core = &self.core;
        let key = (self.key.clone(), TypeId::of::<V>());
        match core.flights.join(key, errand, &self.options, self.options.singleflight) {
            Joined::First(seat, pilot) => {
                let seat = self.seat.insert(seat).landing();
                let Some(own) = self.start(errand, seen, pilot) else { return Flown::Late };
                match own.await {
                    Ok(answer) => {
                        // The load has a lock to give back yet.
                        self.let_go_on();
                        Flown::Value(answer)
                    }
                    Err(_) => Flown::Own(seat.await),
                }
            }
            Joined::Another(seat) => {
                core.metrics.coalesced.add(1);
                let landing = self.seat.insert(seat).landing();
                let left = until.saturating_sub(core.runtime.now());
                if let Ok(landing) = core.runtime.within(left, landing).await {
                    return Flown::Shared(landing);
                }
                // It is late, not unwanted.
                self.let_go_on();
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
            key: self.key.clone(),
            lock: self.core.naming.lock(&self.key),
            options: Arc::clone(&self.options),
            codec: self.codec.clone(),
            filler: self.filler.take()?,
            direct,
            seen,
        };
        let key = String::from_utf8_lossy(&self.key).into_owned();
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
            Landing::Postponed(wait) => Next::Fail(postponed(wait)),
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

/// What is said while nobody may try to refresh a value.
fn postponed(wait: Duration) -> Error {
    Error::FailedLately { said: "a refresh failed".to_owned(), retry_after: wait }
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
