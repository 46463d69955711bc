//! The load itself: try the lock, wait for whoever has it, or go without.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::landing::{Landing, Standing};
use super::lead::{Look, lead, look_again};
use super::registry::{Errand, Pilot};
use crate::clock::Runtime;
use crate::guard::answer::{Answer, Provenance};
use crate::guard::core::Core;
use crate::guard::entry::{Codec, Entry, Kind, Stamp};
use crate::guard::fill::{Fill, Filled, Filler, Pulse, Wishes, fill};
use crate::guard::lease::{Attempt, Hold};
use crate::guard::options::{Fallback, Options};
use crate::guard::wire::{Connection, Trouble};

/// One load of one key.
pub(in crate::guard) struct Load<V, K, C: Connection, R: Runtime> {
    pub(in crate::guard) core: Arc<Core<C, R>>,
    /// The names of the value and of its lock on the server.
    pub(in crate::guard) key: Bytes,
    pub(in crate::guard) lock: Bytes,
    pub(in crate::guard) options: Arc<Options>,
    pub(in crate::guard) codec: K,
    pub(in crate::guard) filler: Filler<V>,
    /// Where the caller whose closure it is gets the value, as soon as it is stored, or could not be.
    pub(in crate::guard) direct: oneshot::Sender<Answer<V>>,
    /// The entry that the caller saw.
    pub(in crate::guard) seen: Option<Entry>,
}

/// What was there when the lock was last tried.
struct Tried {
    seen: Option<Stamp>,
    at: Duration,
}

impl<V, K, C, R> Load<V, K, C, R>
where
    V: Send + 'static,
    K: Codec<V>,
    C: Connection,
    R: Runtime,
{
    /// Runs the load to its end, or until nobody waits for it any more.
    pub(in crate::guard) async fn run(self, errand: Errand, pilot: Pilot) {
        let landing = tokio::select! { biased;
            landing = self.carry_out(errand, &pilot) => landing,
            // What was under way is dropped, and tidies up behind itself.
            () = pilot.left_alone() => Landing::Abandoned,
        };
        pilot.land(landing);
    }

    async fn carry_out(self, errand: Errand, pilot: &Pilot) -> Landing {
        match errand {
            Errand::Need => self.need(pilot).await,
            Errand::Refresh => self.refresh(pilot).await,
            Errand::Fallback => {
                let until = self.patience();
                self.without_lock(None, until, pilot).await
            }
        }
    }

    fn patience(&self) -> Duration {
        self.core.runtime.now().saturating_add(self.options.losers.wait)
    }

    fn term(&self) -> Duration {
        self.core.sizing.term(self.options.lease.term)
    }

    /// Leads, or waits for whoever does, until there is a value or the patience ends.
    async fn need(mut self, pilot: &Pilot) -> Landing {
        let core = Arc::clone(&self.core);
        let began = core.runtime.now();
        let until = self.patience();
        let term = self.term();
        let mut seen = self.seen.clone();
        let mut tried: Option<Tried> = None;
        loop {
            let now = core.runtime.now();
            let mut shed = false;
            if is_worth_trying(seen.as_ref(), &mut tried, now, (term, self.options.losers.poll.most)) {
                if let Ok(permit) = Arc::clone(&core.permits).try_acquire_owned() {
                    match Hold::take(&core, &self.lock, term).await {
                        Ok(Attempt::Won(hold)) => match self.win(hold, permit, pilot).await {
                            Ok(landing) => return landing,
                            Err(late) => self = late,
                        },
                        Ok(Attempt::Lost) => {
                            let seen = seen.as_ref().map(Entry::stamp);
                            tried = Some(Tried { seen, at: core.runtime.now() });
                        }
                        Err(trouble) => return self.down(trouble, Some(permit), until, pilot).await,
                    }
                } else {
                    shed = true;
                }
            }
            let now = core.runtime.now();
            if now >= until {
                return self.in_vain(shed, until, pilot).await;
            }
            let pause = self.options.losers.poll.pause(now.saturating_sub(began), core.chance());
            core.runtime.sleep(pause.min(until.saturating_sub(now))).await;
            seen = match core.store.read(&self.key).await {
                Ok(entry) => entry,
                Err(trouble) => return self.down(trouble, None, until, pilot).await,
            };
            if let Some(entry) = seen.take_if(|entry| entry.kind != Kind::Claim) {
                match core.server_time().await {
                    Ok(time) if is_news(&entry, time, self.seen.as_ref(), &self.codec) => {
                        return Landing::Found(entry);
                    }
                    Ok(_) => seen = Some(entry),
                    Err(trouble) => return self.down(trouble, None, until, pilot).await,
                }
            }
        }
    }

    /// Looks again, and fills if there is still something to do. Gives the load back when the lease was over before it had
    /// begun: a fill that starts then would run beside another's.
    async fn win(
        self,
        hold: Hold<C, R>,
        permit: OwnedSemaphorePermit,
        pilot: &Pilot,
    ) -> Result<Landing, Self> {
        let core = Arc::clone(&self.core);
        let settles = |entry: &Entry, now| {
            if !self.options.recheck {
                return None;
            }
            if is_news(entry, now, self.seen.as_ref(), &self.codec) {
                return Some(Landing::Found(entry.clone()));
            }
            (entry.retry_at > now).then(|| Landing::Postponed(entry.retry_at.saturating_sub(now)))
        };
        match look_again(&core, &self.key, &hold, settles).await {
            Ok(Look::Fill(began, place)) => Ok(lead(self, hold, (began, place), permit, pilot).await),
            Ok(Look::Done(landing)) => {
                core.metrics.rechecks_hit.add(1);
                hold.release().await;
                Ok(landing)
            }
            Ok(Look::Late) => {
                core.metrics.lost_leases.add(1);
                hold.release().await;
                Err(self)
            }
            Err(trouble) => {
                drop(hold);
                let until = core.runtime.now();
                Ok(self.down(trouble, Some(permit), until, pilot).await)
            }
        }
    }

    async fn in_vain(self, shed: bool, until: Duration, pilot: &Pilot) -> Landing {
        if shed {
            self.core.metrics.shed.add(1);
            return Landing::Shed;
        }
        if self.options.losers.fallback == Fallback::WhenWaitedInVain {
            self.core.metrics.waiter_timeouts.add(1);
            return self.without_lock(None, until, pilot).await;
        }
        Landing::Vain
    }

    /// Leads if nobody else does; and if somebody does, leaves the lock alone for a while.
    async fn refresh(self, pilot: &Pilot) -> Landing {
        let core = Arc::clone(&self.core);
        let Ok(permit) = Arc::clone(&core.permits).try_acquire_owned() else { return Landing::Shed };
        match Hold::take(&core, &self.lock, self.term()).await {
            Ok(Attempt::Won(hold)) => match self.win(hold, permit, pilot).await {
                Ok(landing) => landing,
                Err(_) => Landing::Elsewhere,
            },
            Ok(Attempt::Lost) => {
                // Whoever waits for it answers with the old value now. This load stays where others see it, so that not
                // every reader of a stale value tries the lock.
                let pause = self.options.losers.poll.most;
                drop((self, permit));
                core.runtime.sleep(pause).await;
                Landing::Elsewhere
            }
            Err(trouble) => {
                let until = core.runtime.now();
                self.down(trouble, Some(permit), until, pilot).await
            }
        }
    }

    /// Redis does not answer.
    async fn down(
        self,
        trouble: Trouble,
        permit: Option<OwnedSemaphorePermit>,
        until: Duration,
        pilot: &Pilot,
    ) -> Landing {
        if self.options.losers.fallback == Fallback::Never {
            return Landing::Down(trouble);
        }
        self.without_lock(permit, until, pilot).await
    }

    /// Fills without a lock, if the source has a permit to spare before `until`, and stores nothing.
    async fn without_lock(
        self,
        permit: Option<OwnedSemaphorePermit>,
        until: Duration,
        pilot: &Pilot,
    ) -> Landing {
        let core = Arc::clone(&self.core);
        let permit = if permit.is_some() {
            permit
        } else {
            let wait = until.saturating_sub(core.runtime.now());
            let permit = core.runtime.within(wait, Arc::clone(&core.permits).acquire_owned()).await;
            permit.ok().and_then(Result::ok)
        };
        let Some(_permit) = permit else {
            core.metrics.shed.add(1);
            return Landing::Shed;
        };
        core.metrics.fallbacks.add(1);
        let context = Fill::new(Pulse::default(), None);
        let began = core.clock.estimate(core.runtime.now());
        let limit = self.options.lease.max_hold;
        let (filled, took) = fill(&core, self.filler, context.clone(), limit, std::future::pending()).await;
        pilot.close();
        match filled {
            Filled::Value(value) => {
                let payload = self.codec.encode(&value).ok();
                let wishes = context.wishes();
                let small = payload.as_ref().filter(|payload| payload.len() <= core.largest);
                if let (Some(payload), Some(began), false) = (small, began, wishes.do_not_cache) {
                    let facts = (core.runtime.random(), began, took);
                    let entry = value_entry(&core, &self.options, wishes, facts, payload);
                    core.memory.keep(&self.key, &entry);
                }
                // The caller may be gone.
                let _ = self.direct.send(Answer { value, provenance: Provenance::Fallback { took } });
                Landing::Computed { payload, standing: Standing::Unknown, took }
            }
            Filled::NotFound => Landing::NotFound(Standing::Unknown),
            Filled::Failed(error) => Landing::Failed(error),
            Filled::Panicked(words) => Landing::Panicked(words),
            Filled::Overran => Landing::Overran(limit),
        }
    }
}

/// Whether to try the lock now, seeing what is there.
///
/// A claim says that somebody is filling, and ends with the lease of whoever that is: while it stands there is no use in
/// trying, and once it is gone there is. Where there was none when the lock was refused, its holder is about to put
/// one, or to refresh what is there, or has lost it to an invalidation: that is worth a try now and then.
fn is_worth_trying(
    seen: Option<&Entry>,
    tried: &mut Option<Tried>,
    now: Duration,
    (term, often): (Duration, Duration),
) -> bool {
    let is_claim = seen.is_some_and(|entry| entry.kind == Kind::Claim);
    let stamp = seen.map(Entry::stamp);
    match tried {
        Some(last) if last.seen == stamp => {
            now.saturating_sub(last.at) >= if is_claim { term } else { often }
        }
        None | Some(_) if is_claim => {
            *tried = Some(Tried { seen: stamp, at: now });
            false
        }
        None | Some(_) => true,
    }
}

/// Whether an entry is an answer at `now`: what was `seen` and was none is no news, nor is one that cannot be read.
fn is_news<V, K: Codec<V>>(entry: &Entry, now: Duration, seen: Option<&Entry>, codec: &K) -> bool {
    let is_seen = seen.is_some_and(|seen| seen.stamp() == entry.stamp());
    let is_legible = || entry.kind != Kind::Value || codec.decode(entry.payload.clone()).is_ok();
    entry.is_fresh(now) && !is_seen && is_legible()
}

/// The entry for a value whose fill began at `began` by the server's clock.
pub(super) fn value_entry<C: Connection, R: Runtime>(
    core: &Core<C, R>,
    options: &Options,
    wishes: Wishes,
    (id, began, took): (u128, Duration, Duration),
    payload: &Bytes,
) -> Entry {
    let (soft, hard) = options.expiry.draw(core.chance());
    let soft = wishes.fresh_for.unwrap_or(soft);
    let hard = wishes.keep_for.unwrap_or(hard).max(soft).max(Duration::from_millis(1));
    let payload = payload.clone();
    Entry { kind: Kind::Value, id, retry_at: Duration::ZERO, written: began, soft, hard, cost: took, payload }
}
