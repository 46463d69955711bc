//! The winner's way: look again, fill, store, give the lock back.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::landing::{Landing, Standing};
use super::load::{Load, value_entry};
use super::place::Place;
use super::registry::Pilot;
use crate::clock::Runtime;
use crate::guard::answer::{Answer, Provenance, Stored};
use crate::guard::core::Core;
use crate::guard::entry::{Claimed, Codec, Entry, Kind};
use crate::guard::fill::{Fill, Filled, Pulse, fill};
use crate::guard::lease::{Hold, Lease, keep};
use crate::guard::wire::{Connection, Trouble};

/// An error's words are kept for other processes up to here, in bytes.
const LONGEST_WORDS: usize = 512;

/// What looking again has shown.
pub(super) enum Look<C: Connection, R: Runtime> {
    /// There is something to do, from this time of the server's on, and a place for what comes of it.
    Fill(Duration, Place<C, R>),
    /// Somebody else has done it, or has just failed to.
    Done(Landing),
    /// The lease was over before anything had begun: the process stood still, or Redis was slow.
    Late,
}

/// Fills with `hold`, from `began` on, for `place`. Wherever it is dropped, lock and claim are given back.
pub(super) async fn lead<V, K, C, R>(
    load: Load<V, K, C, R>,
    hold: Hold<C, R>,
    (began, place): (Duration, Place<C, R>),
    permit: OwnedSemaphorePermit,
    pilot: &Pilot,
) -> Landing
where
    V: Send + 'static,
    K: Codec<V>,
    C: Connection,
    R: Runtime,
{
    let core = Arc::clone(&load.core);
    let options = Arc::clone(&load.options);
    let (pulse, (lease, leased)) = (Pulse::default(), watch::channel(Lease::Held));
    let context = Fill::new(pulse.clone(), Some(leased));
    let limits = (options.lease.renewal, options.lease.max_hold);
    let left = limits.1.saturating_sub(core.runtime.now().saturating_sub(hold.since));
    let watchdog = keep(&core, &hold, place.claim(), &pulse, limits, &lease);
    let (filled, took) = fill(&core, load.filler, context.clone(), left, watchdog).await;
    drop(permit);
    pilot.close();
    let landing = match filled {
        Filled::Value(value) => {
            let payload = load.codec.encode(&value).ok();
            let wishes = context.wishes();
            let small = payload.as_ref().filter(|payload| payload.len() <= core.largest);
            let (stored, standing) = match small {
                _ if wishes.do_not_cache => (Stored::Unwanted, place.leave().await),
                Some(payload) => {
                    let entry = value_entry(&core, &options, wishes, (hold.id, began, took), payload);
                    let stored = place.put(&entry, options.checked_fill).await;
                    (stored, standing(stored))
                }
                None => {
                    core.metrics.stores_failed.add(1);
                    (Stored::Failed, place.leave().await)
                }
            };
            // The caller may be gone.
            let _ = load.direct.send(Answer { value, provenance: Provenance::Recomputed { took, stored } });
            Landing::Computed { payload, standing, took }
        }
        Filled::NotFound => {
            let standing = match options.negative.not_found {
                Some(life) => {
                    let entry = negative(Kind::NotFound, hold.id, (began, life), &[]);
                    standing(place.put(&entry, options.checked_fill).await)
                }
                None => place.empty().await,
            };
            core.memory.forget(&load.key);
            Landing::NotFound(standing)
        }
        Filled::Failed(error) => {
            let now = began.saturating_add(took);
            match options.negative.failure {
                // An old value stays readable.
                Some(life) if !place.holds_value() => {
                    let words = error.to_string();
                    let end = words.floor_char_boundary(LONGEST_WORDS);
                    let entry = negative(Kind::Failed, hold.id, (now, life), &words.as_bytes()[..end]);
                    place.put(&entry, true).await;
                }
                Some(life) => place.postpone(now.saturating_add(life)).await,
                None => drop(place.leave().await),
            }
            Landing::Failed(error)
        }
        Filled::Panicked(words) => {
            place.leave().await;
            Landing::Panicked(words)
        }
        Filled::Overran => {
            place.leave().await;
            Landing::Overran(limits.1)
        }
    };
    hold.release().await;
    landing
}

/// Looks at what is there, now that the lock is one's own. `settles` tells what of that leaves nothing to do.
pub(super) async fn look_again<C: Connection, R: Runtime>(
    core: &Arc<Core<C, R>>,
    key: &Bytes,
    hold: &Hold<C, R>,
    settles: impl Fn(&Entry, Duration) -> Option<Landing> + Send,
) -> Result<Look<C, R>, Trouble> {
    let began = core.server_time().await?;
    if hold.is_over() {
        return Ok(Look::Late);
    }
    let claim = Entry::claim(hold.id, began);
    // Made first: when the answer is lost, the claim may stand all the same.
    let place = Place::new(core, key, &claim);
    let claimed = core.store.claim(key, &claim, hold.term).await?;
    if hold.is_over() {
        return Ok(Look::Late);
    }
    Ok(match claimed {
        Claimed::Mine => Look::Fill(began, place),
        Claimed::Found(entry) => {
            place.disown();
            match settles(&entry, began) {
                Some(landing) => Look::Done(landing),
                None => Look::Fill(began, Place::new(core, key, &entry)),
            }
        }
    })
}

fn standing(stored: Stored) -> Standing {
    match stored {
        Stored::Yes => Standing::Current,
        Stored::Refused => Standing::Outdated,
        Stored::Failed | Stored::Unwanted => Standing::Unknown,
    }
}

/// An answer that is no value, fresh and kept for `life` from `written` on.
fn negative(kind: Kind, id: u128, (written, life): (Duration, Duration), words: &[u8]) -> Entry {
    let payload = words.to_vec().into();
    let (retry_at, cost) = (Duration::ZERO, Duration::ZERO);
    Entry { kind, id, retry_at, written, soft: life, hard: life, cost, payload }
}
