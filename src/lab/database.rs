//! The database behind the cache: a real one, whose time belongs to the lab.
//!
//! Each query is SQL that SQLite runs, at the moment it gets a connection of the pool. How long its result takes
//! to come back is drawn from the worker's own seeded stream; when all connections are busy, queries queue in
//! order of arrival.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use super::desk::AskId;
use super::event::QueryId;
use super::seed::{Purpose, Stream};
use super::setup::DatabaseSetup;
use super::time::{LabTime, Span};
use super::worker::WorkerId;

/// A lesson's query takes SQLite some hundred steps; one that takes this many would never end.
const MOST_STEPS: u32 = 20_000_000;

/// How often they are counted.
const STEPS_PER_COUNT: u32 = 10_000;

/// One value of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
}

/// A row by column names.
pub type Row = BTreeMap<String, Cell>;

/// A query as a worker asks it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Query {
    pub sql: String,
    pub params: Vec<Cell>,
    /// It may change something.
    pub commits: bool,
}

/// Why the schema or a query does not run.
#[derive(Debug, thiserror::Error)]
#[error("the database says: {0}")]
pub struct DatabaseError(String);

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

impl DatabaseSetup {
    /// Runs the schema and the query for the truth in a database of their own, to see whether they run.
    ///
    /// # Errors
    /// What SQLite says of it.
    pub fn check(&self) -> Result<(), DatabaseError> {
        let sqlite = rusqlite::Connection::open_in_memory()?;
        sqlite.execute_batch(&self.schema)?;
        watched(&sqlite, self)?;
        truth(&sqlite, self).map(drop)
    }
}

/// A query under way.
pub(super) struct Pending {
    pub(super) worker: WorkerId,
    pub(super) ask: AskId,
    pub(super) line: Option<u32>,
    /// The how manieth of its worker it is; the first is 1.
    pub(super) nth: u32,
    pub(super) query: Query,
    /// What it found; set when it has run.
    pub(super) outcome: Option<Result<Option<Row>, String>>,
}

pub(super) struct Database {
    sqlite: rusqlite::Connection,
    /// What the query under way has used of SQLite's machine.
    steps: Arc<AtomicU32>,
    setup: DatabaseSetup,
    seed: u64,
    latency: BTreeMap<WorkerId, Stream>,
    busy: usize,
    queue: VecDeque<QueryId>,
    pub(super) pending: BTreeMap<QueryId, Pending>,
    next: u32,
    fails_until: LabTime,
    /// Until then queries take so many times as long.
    slow: Option<(LabTime, u32)>,
}

impl Database {
    pub(super) fn open(setup: &DatabaseSetup, seed: u64) -> Result<Self, DatabaseError> {
        let mut sqlite = rusqlite::Connection::open_in_memory()?;
        sqlite.execute_batch(&setup.schema)?;
        let steps = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&steps);
        let too_long = move || counted.fetch_add(STEPS_PER_COUNT, Ordering::Relaxed) > MOST_STEPS;
        sqlite.progress_handler(STEPS_PER_COUNT.cast_signed(), Some(too_long))?;
        Ok(Self {
            sqlite,
            steps,
            setup: setup.clone(),
            seed,
            latency: BTreeMap::new(),
            busy: 0,
            queue: VecDeque::new(),
            pending: BTreeMap::new(),
            next: 0,
            fails_until: LabTime::START,
            slow: None,
        })
    }

    /// Takes a query in and gives it a number. It runs when [`Database::next_to_start`] says so.
    pub(super) fn enqueue(&mut self, pending: Pending) -> QueryId {
        let id = QueryId(self.next);
        self.next += 1;
        self.pending.insert(id, pending);
        self.queue.push_back(id);
        id
    }

    /// True while the query has no connection.
    pub(super) fn is_queued(&self, id: QueryId) -> bool {
        self.queue.contains(&id)
    }

    /// The query whose turn it is, if a connection is free.
    pub(super) fn next_to_start(&mut self) -> Option<QueryId> {
        (self.busy < self.setup.pool).then(|| self.queue.pop_front()).flatten()
    }

    /// Runs a query, on a connection that stays busy until [`Database::finish`]. Returns what it found and how long
    /// that travels.
    pub(super) fn start(
        &mut self,
        id: QueryId,
        now: LabTime,
        fixed: Option<Span>,
    ) -> Option<(Option<Row>, Span)> {
        let pending = self.pending.get_mut(&id)?;
        self.busy += 1;
        let (p50, p99) = (self.setup.p50, self.setup.p99);
        let seed = self.seed;
        let worker = pending.worker;
        let takes = fixed.unwrap_or_else(|| {
            let stream = self.latency.entry(worker);
            stream
                .or_insert_with(|| Stream::new(seed, u64::from(worker.0), Purpose::Latency))
                .log_normal(p50, p99)
        });
        let times = self.slow.filter(|(until, _)| now < *until).map_or(1, |(_, times)| times);
        let takes = Span::from_micros(takes.as_micros().saturating_mul(u64::from(times)));
        if pending.query.commits && now >= self.fails_until {
            return Some((None, takes));
        }
        let outcome = self.outcome(id, now);
        let row = outcome.clone().ok().flatten();
        if let Some(pending) = self.pending.get_mut(&id) {
            pending.outcome = Some(outcome);
        }
        Some((row, takes))
    }

    /// Frees the query's connection. A commit takes effect now: until here everybody has read what was before.
    pub(super) fn finish(&mut self, id: QueryId, now: LabTime) -> Option<Pending> {
        self.busy = self.busy.saturating_sub(1);
        let outcome = self.pending.get(&id)?.outcome.is_none().then(|| self.outcome(id, now));
        let mut pending = self.pending.remove(&id)?;
        pending.outcome = pending.outcome.or(outcome);
        Some(pending)
    }

    /// Runs a query, if the database is well at `now`.
    fn outcome(&self, id: QueryId, now: LabTime) -> Result<Option<Row>, String> {
        if now < self.fails_until {
            return Err("the database is unavailable".to_owned());
        }
        let Some(pending) = self.pending.get(&id) else { return Ok(None) };
        self.steps.store(0, Ordering::Relaxed);
        run(&self.sqlite, &pending.query).map_err(|error| error.to_string())
    }

    /// What the cached value ought to be, in lessons that say how to ask for it.
    pub(super) fn truth(&self) -> Option<Bytes> {
        truth(&self.sqlite, &self.setup).ok().flatten()
    }

    /// The number that the lesson watches, if it watches one.
    pub(super) fn watched(&self) -> Option<i64> {
        watched(&self.sqlite, &self.setup).ok().flatten()
    }

    /// Queries that start before `until` take so many times as long.
    pub(super) fn slow_until(&mut self, until: LabTime, times: u32) {
        self.slow = Some((until, times));
    }

    /// Queries that start before `until` will fail.
    pub(super) fn fail_until(&mut self, until: LabTime) {
        self.fails_until = self.fails_until.max(until);
    }
}

fn truth(sqlite: &rusqlite::Connection, setup: &DatabaseSetup) -> Result<Option<Bytes>, DatabaseError> {
    let Some(sql) = &setup.truth else { return Ok(None) };
    let mut statement = sqlite.prepare_cached(sql)?;
    if !statement.readonly() {
        return Err(DatabaseError("the query for the truth only reads".to_owned()));
    }
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(row.get::<_, Option<String>>(0)?.map(Bytes::from))
}

fn watched(sqlite: &rusqlite::Connection, setup: &DatabaseSetup) -> Result<Option<i64>, DatabaseError> {
    let Some(sql) = &setup.watch else { return Ok(None) };
    Ok(sqlite.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Runs a statement and returns its first row.
fn run(sqlite: &rusqlite::Connection, query: &Query) -> Result<Option<Row>, DatabaseError> {
    let mut statement = sqlite.prepare_cached(&query.sql)?;
    if !statement.readonly() && !query.commits {
        return Err(DatabaseError("db.query only reads".to_owned()));
    }
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let params = rusqlite::params_from_iter(query.params.iter().map(|cell| match cell {
        Cell::Null => rusqlite::types::Value::Null,
        Cell::Integer(n) => (*n).into(),
        Cell::Real(x) => (*x).into(),
        Cell::Text(text) => text.clone().into(),
    }));
    let mut rows = statement.query(params)?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let cell = |index| {
        Ok::<_, DatabaseError>(match row.get_ref(index)? {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(n) => Cell::Integer(n),
            ValueRef::Real(x) => Cell::Real(x),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                Cell::Text(String::from_utf8_lossy(bytes).into_owned())
            }
        })
    };
    names
        .into_iter()
        .enumerate()
        .map(|(index, name)| Ok((name, cell(index)?)))
        .collect::<Result<Row, _>>()
        .map(Some)
}
