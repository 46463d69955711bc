//! The names an expression may use, what each means, and where its value comes from.

use super::value::{Kind, Value};
use crate::lab::{Global, Phase, WorkerId, World};

/// A name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// One of `WORLD`, by its place there.
    World(usize),
    /// A field of one worker: `A.line`. The number is the field's place in `FIELDS`.
    Worker(WorkerId, usize),
    /// A knob: `knobs.px`.
    Knob(String),
}

/// A name's entry: how it is written, its kind, what it means, and how it is read off a world.
pub(super) type Entry = (&'static str, Kind, &'static str, fn(&World) -> Value);

/// Names about the whole world. Authors find them in `lessons/README.md`; a test keeps the two together.
pub(super) const WORLD: &[Entry] = &[
    ("time", Kind::Time, "lab time since the run began", |w| Value::Time(w.now.as_micros().cast_signed())),
    ("ended", Kind::Truth, "nothing is left to happen", |w| Value::Truth(w.ended)),
    ("faults", Kind::Number, "crashes, lost replies and connections, pauses and failovers so far", |w| {
        Value::count(w.faults)
    }),
    ("crashes", Kind::Number, "workers that have crashed", |w| Value::count(w.crashes)),
    ("readers", Kind::Number, "readers in the cast", |w| Value::count(w.readers())),
    ("answered", Kind::Number, "readers that got an answer of any kind", |w| {
        Value::count(w.outcomes.answered())
    }),
    ("fresh", Kind::Number, "answers with a fresh value", |w| Value::count(w.outcomes.fresh)),
    ("stale", Kind::Number, "answers with an old value", |w| Value::count(w.outcomes.stale)),
    ("degraded", Kind::Number, "answers with less than the value", |w| Value::count(w.outcomes.degraded)),
    ("failed", Kind::Number, "answers that were errors", |w| Value::count(w.outcomes.failed)),
    ("unanswered", Kind::Number, "readers that crashed or ended without an answer", |w| {
        Value::count(w.outcomes.unanswered)
    }),
    ("waiting", Kind::Number, "workers that wait for somebody else's fill now", |w| {
        Value::count(w.count(Phase::Waiting))
    }),
    ("outdated", Kind::Number, "answers with a value from before the last commit", |w| {
        Value::count(w.outcomes.outdated)
    }),
    ("wait.p50", Kind::Time, "half of the answered readers waited no longer than this", |w| {
        percentile(w, 50)
    }),
    ("wait.p99", Kind::Time, "99 of 100 answered readers waited no longer than this", |w| percentile(w, 99)),
    ("wait.longest", Kind::Time, "no answered reader waited longer than this", |w| percentile(w, 100)),
    ("commands", Kind::Number, "commands that were sent to Redis", |w| Value::count(w.traffic.commands)),
    ("commands.busiest_second", Kind::Number, "the most of them within one second", |w| {
        Value::count(w.traffic.busiest_second)
    }),
    ("coalesced", Kind::Number, "requests that waited for a load of their own process", |w| {
        Value::count(w.coalesced)
    }),
    ("threads.held", Kind::Number, "request threads that are busy now", |w| Value::count(w.threads.held)),
    ("threads.peak", Kind::Number, "the most that were busy at once", |w| Value::count(w.threads.peak)),
    ("threads.queued", Kind::Number, "requests that wait for a thread now", |w| {
        Value::count(w.threads.queued)
    }),
    ("threads.queue_peak", Kind::Number, "the most that waited for one at once", |w| {
        Value::count(w.threads.queue_peak)
    }),
    ("health.sent", Kind::Number, "health checks that arrived", |w| Value::count(w.probes.sent)),
    ("health.failed", Kind::Number, "health checks that got no answer in time", |w| {
        Value::count(w.probes.failed)
    }),
    ("db.hits", Kind::Number, "queries that ran", |w| Value::count(w.database.hits)),
    ("db.in_flight", Kind::Number, "queries running now", |w| Value::count(w.database.in_flight)),
    ("db.peak", Kind::Number, "the most queries that ran at once", |w| Value::count(w.database.peak)),
    ("db.pool", Kind::Number, "connections of the pool", |w| Value::count(w.pool())),
    ("db.queued", Kind::Number, "queries waiting for a connection now", |w| Value::count(w.database.queued)),
    ("db.queue_peak", Kind::Number, "the most that waited at once", |w| Value::count(w.database.queue_peak)),
    ("db.failed", Kind::Number, "queries that failed", |w| Value::count(w.database.failed)),
    ("db.commits", Kind::Number, "changes that were committed", |w| Value::count(w.database.commits)),
    ("db.longest", Kind::Time, "the longest query so far", |w| {
        w.database.longest.map_or(Value::Unknown, Value::span)
    }),
    ("db.watched", Kind::Number, "the number that `watch` of the database asks for", |w| {
        w.watched.map_or(Value::Unknown, Value::Number)
    }),
    ("guard.requests", Kind::Number, "callers who asked the guards", |w| {
        Value::counter(w, "stampede_requests_total")
    }),
    ("guard.hits", Kind::Number, "answers from the cache, fresh", |w| {
        Value::counter(w, "stampede_hits_total")
    }),
    ("guard.stale", Kind::Number, "answers past their soft deadline", |w| {
        Value::counter(w, "stampede_stale_served_total")
    }),
    ("guard.misses", Kind::Number, "reads that found nothing to use", |w| {
        Value::counter(w, "stampede_misses_total")
    }),
    ("guard.coalesced", Kind::Number, "misses that joined a load of their process", |w| {
        Value::counter(w, "stampede_coalesced_total")
    }),
    ("guard.attempts", Kind::Number, "attempts to take a lock", |w| {
        Value::counter(w, "stampede_lock_attempts_total")
    }),
    ("guard.acquisitions", Kind::Number, "locks taken", |w| {
        Value::counter(w, "stampede_lock_acquisitions_total")
    }),
    ("guard.losses", Kind::Number, "attempts that found the lock taken", |w| {
        Value::counter(w, "stampede_lock_losses_total")
    }),
    ("guard.fills", Kind::Number, "values recomputed", |w| Value::counter(w, "stampede_fills_total")),
    ("guard.fills_failed", Kind::Number, "fills that returned an error", |w| {
        Value::counter(w, "stampede_fills_failed_total")
    }),
    ("guard.extensions", Kind::Number, "leases extended", |w| {
        Value::counter(w, "stampede_lease_extensions_total")
    }),
    ("guard.lost_leases", Kind::Number, "leases that ended under a running fill", |w| {
        Value::counter(w, "stampede_leases_lost_total")
    }),
    ("guard.refused_stores", Kind::Number, "values not stored because the entry had changed", |w| {
        Value::counter(w, "stampede_stores_refused_total")
    }),
    ("guard.rechecks_hit", Kind::Number, "winners who found the work done", |w| {
        Value::counter(w, "stampede_rechecks_hit_total")
    }),
    ("guard.negative_hits", Kind::Number, "answers from a remembered absence", |w| {
        Value::counter(w, "stampede_negative_hits_total")
    }),
    ("guard.fallbacks", Kind::Number, "fills without a lock", |w| {
        Value::counter(w, "stampede_fallbacks_total")
    }),
    ("guard.shed", Kind::Number, "loads that found all permits taken", |w| {
        Value::counter(w, "stampede_shed_total")
    }),
    ("guard.timeouts", Kind::Number, "callers whose patience ended", |w| {
        Value::counter(w, "stampede_waiter_timeouts_total")
    }),
    ("guard.uncertain", Kind::Number, "attempts whose outcome had to be asked for", |w| {
        Value::counter(w, "stampede_lock_uncertain_total")
    }),
    ("lock.held", Kind::Truth, "the lock key exists", |w| Value::Truth(w.lock.current().is_some())),
    ("lock.owner", Kind::Text, "the worker whose token it holds, or nobody", |w| {
        Value::Text(w.lock.owner().map_or_else(|| "nobody".to_owned(), |owner| owner.to_string()))
    }),
    ("lock.immortal", Kind::Truth, "the lock key exists and has no expiry (TTL -1)", |w| {
        Value::Truth(w.lock.is_immortal())
    }),
    ("lock.ttl", Kind::Time, "what is left of the lease", |w| ttl(w.lock_entry(), w)),
    ("lock.acquired", Kind::Number, "acquisitions that succeeded", |w| Value::count(w.lock_tally.acquired)),
    ("lock.lost", Kind::Number, "attempts that found the lock taken", |w| Value::count(w.lock_tally.lost)),
    ("lock.releases", Kind::Number, "attempts to release it", |w| Value::count(w.lock_tally.releases)),
    ("lock.refused", Kind::Number, "releases that removed nothing", |w| Value::count(w.lock_tally.refused)),
    ("lock.of_others", Kind::Number, "releases that removed somebody else's lock", |w| {
        Value::count(w.lock_tally.of_others)
    }),
    ("lock.expired", Kind::Number, "leases that ran out", |w| Value::count(w.lock_tally.expired)),
    ("lock.extended", Kind::Number, "times its life was set anew", |w| Value::count(w.lock_tally.extended)),
    ("lock.admitted_early", Kind::Number, "acquisitions while another's lease was still valid", |w| {
        Value::count(w.lock_tally.admitted_early)
    }),
    ("value.cached", Kind::Truth, "the value is in the cache", |w| Value::Truth(w.value().is_some())),
    ("value.ttl", Kind::Time, "what is left of the value's life", |w| ttl(w.value(), w)),
    ("value.outdated", Kind::Truth, "what is cached is from before the last commit", |w| {
        Value::Truth(w.is_outdated())
    }),
    ("value.immortal", Kind::Truth, "the value is in the cache and has no expiry", |w| {
        Value::Truth(w.value().is_some_and(|entry| entry.deadline.is_none()))
    }),
];

/// A worker's field, like [`Entry`].
pub(super) type Field = (&'static str, Kind, &'static str, fn(&World, WorkerId) -> Value);

/// Fields of one worker.
pub(super) const FIELDS: &[Field] = &[
    ("line", Kind::Number, "the line of its program it stands on", |w, id| {
        Value::count(w.workers.get(id.index()).and_then(|worker| worker.line).unwrap_or(0) as usize)
    }),
    ("done", Kind::Truth, "its program has ended", |w, id| is(w, id, Phase::Done)),
    ("crashed", Kind::Truth, "it has crashed", |w, id| is(w, id, Phase::Crashed)),
    ("waiting", Kind::Truth, "it waits for somebody else's fill", |w, id| is(w, id, Phase::Waiting)),
    ("querying", Kind::Truth, "its query runs", |w, id| is(w, id, Phase::Querying)),
    ("answered", Kind::Truth, "it has answered its reader", |w, id| {
        Value::Truth(w.workers.get(id.index()).is_some_and(|worker| worker.served.is_some()))
    }),
    ("owns", Kind::Truth, "the lock holds its token", |w, id| Value::Truth(w.lock.owner() == Some(id))),
];

impl Name {
    pub(super) fn value(&self, world: &World) -> Value {
        match self {
            Self::World(index) => WORLD.get(*index).map_or(Value::Unknown, |(.., read)| read(world)),
            Self::Worker(id, index) => {
                FIELDS.get(*index).map_or(Value::Unknown, |(.., read)| read(world, *id))
            }
            Self::Knob(name) => match world.opening.as_ref().and_then(|opening| opening.knobs.get(name)) {
                Some(Global::Number(n)) => Value::Number(*n),
                Some(Global::Text(text)) => Value::Text(text.clone()),
                None => Value::Unknown,
            },
        }
    }
}

fn percentile(world: &World, percent: usize) -> Value {
    world.outcomes.percentile(percent).map_or(Value::Unknown, Value::span)
}

fn ttl(entry: Option<&crate::lab::Entry>, world: &World) -> Value {
    entry
        .and_then(|entry| entry.deadline)
        .map_or(Value::Unknown, |deadline| Value::span(deadline.since(world.now)))
}

fn is(world: &World, id: WorkerId, phase: Phase) -> Value {
    Value::Truth(world.workers.get(id.index()).is_some_and(|worker| worker.phase == phase))
}

/// Every name with its kind and meaning, for documentation: those of the world, then those of a worker with the
/// worker's name left open.
pub fn vocabulary() -> Vec<(String, Kind, &'static str)> {
    let world = WORLD.iter().map(|(name, kind, meaning, _)| ((*name).to_owned(), *kind, *meaning));
    let worker = FIELDS.iter().map(|(name, kind, meaning, _)| (format!("A.{name}"), *kind, *meaning));
    world.chain(worker).collect()
}
