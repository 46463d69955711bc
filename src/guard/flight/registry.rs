//! Who waits for which load.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use tokio::sync::{Notify, watch};

use super::landing::Landing;
use crate::guard::options::Options;
use crate::guard::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, Ordering},
};

/// What a load is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard) enum Errand {
    /// Somebody needs a value and has none.
    Need,
    /// There is one, and it should become younger. Nobody is waited for.
    Refresh,
    /// Somebody has waited in vain and may compute it without the lock.
    Fallback,
}

/// All loads under way. Values of different types never share one, nor do calls with different options.
#[derive(Default)]
pub(in crate::guard) struct Flights(Mutex<Open>);

type Open = BTreeMap<(Bytes, TypeId), Vec<Arc<Flight>>>;

struct Flight {
    key: (Bytes, TypeId),
    errand: Errand,
    options: Arc<Options>,
    /// Callers who wait. Counted under the registry's lock.
    seats: Mutex<usize>,
    /// It goes on although nobody waits.
    kept: AtomicBool,
    left_alone: Notify,
    landed: watch::Sender<Option<Landing>>,
}

/// A caller's place in a flight; dropping it leaves.
pub(in crate::guard) struct Seat {
    flights: Arc<Flights>,
    flight: Arc<Flight>,
}

/// The load's side of a flight. Dropped without a landing, it lands as abandoned.
pub(in crate::guard) struct Pilot {
    flights: Arc<Flights>,
    flight: Arc<Flight>,
}

pub(in crate::guard) enum Joined {
    /// Nobody was at it: the caller starts the load.
    First(Seat, Pilot),
    Another(Seat),
}

impl Flights {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a seat in the flight for this errand, or starts one. Without `share` it is always a new one, and nobody
    /// else's.
    pub(in crate::guard) fn join(
        self: &Arc<Self>,
        key: (Bytes, TypeId),
        errand: Errand,
        options: &Arc<Options>,
        share: bool,
    ) -> Joined {
        let mut open = self.open();
        let mates = open.get(&key).map(Vec::as_slice).unwrap_or_default();
        let same = |flight: &&Arc<Flight>| {
            flight.errand == errand && (Arc::ptr_eq(&flight.options, options) || flight.options == *options)
        };
        if let Some(flight) = mates.iter().find(same).filter(|_| share) {
            *flight.seats() += 1;
            return Joined::Another(Seat { flights: Arc::clone(self), flight: Arc::clone(flight) });
        }
        let flight = Arc::new(Flight {
            key: key.clone(),
            errand,
            options: Arc::clone(options),
            seats: Mutex::new(1),
            kept: AtomicBool::new(false),
            left_alone: Notify::new(),
            landed: watch::Sender::new(None),
        });
        if share {
            open.entry(key).or_default().push(Arc::clone(&flight));
        }
        let pilot = Pilot { flights: Arc::clone(self), flight: Arc::clone(&flight) };
        Joined::First(Seat { flights: Arc::clone(self), flight }, pilot)
    }

    /// True when a load for this errand is under way.
    pub(in crate::guard) fn is_under_way(&self, key: &(Bytes, TypeId), errand: Errand) -> bool {
        self.open().get(key).is_some_and(|flights| flights.iter().any(|flight| flight.errand == errand))
    }

    /// Nobody joins the loads of `key` from here on; who is in one stays.
    pub(in crate::guard) fn close(&self, key: &Bytes) {
        self.open().retain(|(name, _), _| name != key);
    }
}

impl Flight {
    /// Nobody finds it in the registry any more.
    fn leave(&self, open: &mut Open) {
        if let Some(flights) = open.get_mut(&self.key) {
            flights.retain(|other| !std::ptr::eq(Arc::as_ptr(other), self));
            if flights.is_empty() {
                open.remove(&self.key);
            }
        }
    }

    fn seats(&self) -> MutexGuard<'_, usize> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// The load goes on to its end even if this caller leaves.
    pub(in crate::guard) fn keep(&self) {
        self.flight.kept.store(true, Ordering::Relaxed);
    }

    /// Waits for the load's end. Cancel safe; it holds no seat.
    pub(in crate::guard) fn landing(&self) -> impl Future<Output = Landing> + Send + use<> {
        let mut landed = self.flight.landed.subscribe();
        async move {
            // The pilot lands even when it is dropped.
            let landing = landed.wait_for(Option::is_some).await;
            landing.ok().and_then(|landing| landing.clone()).unwrap_or(Landing::Abandoned)
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let last = {
            // Under the registry's lock, so that nobody joins between the count and the closing.
            let mut open = self.flights.open();
            let mut seats = self.flight.seats();
            *seats -= 1;
            let last = *seats == 0 && !self.flight.kept.load(Ordering::Relaxed);
            if last {
                self.flight.leave(&mut open);
            }
            last
        };
        if last {
            self.flight.left_alone.notify_one();
        }
    }
}

impl Pilot {
    /// Waits until nobody waits for this load any more.
    pub(in crate::guard) async fn left_alone(&self) {
        self.flight.left_alone.notified().await;
    }

    /// Nobody joins from here on. Called before a result is stored: who comes after that may have come after an
    /// invalidation too, and must look for himself.
    pub(in crate::guard) fn close(&self) {
        self.flight.leave(&mut self.flights.open());
    }

    pub(in crate::guard) fn land(self, landing: Landing) {
        self.close();
        self.flight.landed.send_replace(Some(landing));
    }
}

impl Drop for Pilot {
    fn drop(&mut self) {
        self.close();
        self.flight.landed.send_if_modified(|landed| {
            let open = landed.is_none();
            landed.get_or_insert(Landing::Abandoned);
            open
        });
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn join(flights: &Arc<Flights>, options: &Arc<Options>) -> Joined {
        flights.join(("k".into(), TypeId::of::<u8>()), Errand::Need, options, true)
    }

    fn first(joined: Joined) -> (Seat, Pilot) {
        let Joined::First(seat, pilot) = joined else { panic!("nobody is at it") };
        (seat, pilot)
    }

    fn another(joined: Joined) -> Seat {
        let Joined::Another(seat) = joined else { panic!("somebody is at it") };
        seat
    }

    #[test]
    fn a_load_ends_early_only_when_the_last_caller_has_left() {
        let (flights, options) = (Arc::<Flights>::default(), Arc::default());
        let (one, pilot) = first(join(&flights, &options));
        let two = another(join(&flights, &options));
        drop(one);
        assert!(pilot.left_alone().now_or_never().is_none());
        drop(two);
        assert!(pilot.left_alone().now_or_never().is_some());
        let _again = first(join(&flights, &options));
    }

    #[test]
    fn everybody_hears_of_the_landing_and_newcomers_start_anew() {
        let (flights, options) = (Arc::<Flights>::default(), Arc::default());
        let (one, pilot) = first(join(&flights, &options));
        let two = another(join(&flights, &options));
        pilot.close();
        let (_three, other) = first(join(&flights, &options));
        pilot.land(Landing::Vain);
        for seat in [one, two] {
            assert!(matches!(seat.landing().now_or_never(), Some(Landing::Vain)));
        }
        drop(other);
    }

    #[test]
    fn other_types_and_options_and_errands_fly_alone() {
        let (flights, options) = (Arc::<Flights>::default(), Arc::default());
        let _one = first(join(&flights, &options));
        let _same = another(join(&flights, &Arc::new(Options::default())));
        let _other = first(join(&flights, &Arc::new(Options::minimal())));
        let _type = first(flights.join(("k".into(), TypeId::of::<u16>()), Errand::Need, &options, true));
        let _errand = first(flights.join(("k".into(), TypeId::of::<u8>()), Errand::Refresh, &options, true));
        let _alone = first(flights.join(("k".into(), TypeId::of::<u8>()), Errand::Need, &options, false));
    }

    #[test]
    fn a_load_whose_task_is_gone_leaves_nobody_waiting() {
        let (flights, options) = (Arc::<Flights>::default(), Arc::default());
        let (seat, pilot) = first(join(&flights, &options));
        drop(pilot);
        assert!(matches!(seat.landing().now_or_never(), Some(Landing::Abandoned)));
    }
}
