//! All that a run is made from. The same setup gives the same journal.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use super::event::{JOURNAL_VERSION, Opening};
use super::fault::Fault;
use super::native::Native;
use super::schedule::Intervention;
use super::time::{LabTime, Span};
use super::worker::Member;

/// Everything a run depends on, resolved to plain facts.
#[derive(Clone, Debug)]
pub struct Setup {
    pub lesson: String,
    pub take: String,
    pub seed: u64,
    pub keys: Keys,
    /// Named numbers and texts that programs see as globals.
    pub globals: BTreeMap<String, Global>,
    pub programs: Vec<Program>,
    /// Scripts that programs in Rust send by their digest. The server is made to know them before the run.
    pub scripts: Vec<&'static str>,
    /// In order of arrival; a worker's number is its place here.
    pub cast: Vec<Member>,
    pub database: DatabaseSetup,
    pub app: AppSetup,
    pub faults: Vec<Fault>,
    /// What is done to the run beyond all this.
    pub schedule: Vec<Intervention>,
    /// From a worker to the server and back.
    pub round_trip: Span,
    /// How long a worker waits for a reply before `send` raises a timeout.
    pub reply_timeout: Span,
    /// The learner's program, when it takes the place of the take's own among `programs`: for the journal.
    pub repair: Option<String>,
    /// When the run ends, if not by itself before.
    pub ends: Option<LabTime>,
}

impl Setup {
    /// What a journal says of it; what the database knows is not in it yet.
    pub fn opening(&self) -> Opening {
        // Acts stand in the journal where they were done.
        let schedule = self.schedule.iter().filter(|one| !matches!(one, Intervention::Act(_)));
        Opening {
            version: JOURNAL_VERSION,
            lesson: self.lesson.clone(),
            take: self.take.clone(),
            seed: self.seed,
            knobs: self.globals.clone(),
            keys: self.keys.clone(),
            cast: self.cast.clone(),
            pool: self.database.pool,
            truth: None,
            watched: None,
            app: self.app,
            schedule: schedule.cloned().collect(),
            repair: self.repair.clone(),
        }
    }
}

/// The application whose requests the workers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppSetup {
    pub processes: u16,
    /// Request threads of each process; `None` for as many as requests come.
    pub threads: Option<u16>,
}

impl Default for AppSetup {
    fn default() -> Self {
        Self { processes: 1, threads: None }
    }
}

impl AppSetup {
    /// True for one process that takes every request at once.
    pub fn is_boundless(&self) -> bool {
        *self == Self::default()
    }
}

/// The keys of a lesson: the only ones its workers may touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// The cached value; programs call it `key`.
    pub value: Bytes,
    /// The lock, in lessons that have one; programs call it `lock`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lock: Option<Bytes>,
    /// Values of other products, in lessons about many keys; programs call the list `catalogue`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub catalogue: Vec<Bytes>,
    /// Further keys, by the names that programs have for them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub others: BTreeMap<String, Bytes>,
}

impl Keys {
    /// A value and its lock.
    pub fn new(value: impl Into<Bytes>, lock: Option<Bytes>) -> Self {
        Self { value: value.into(), lock, catalogue: Vec::new(), others: BTreeMap::new() }
    }

    pub fn all(&self) -> Vec<Bytes> {
        let further = self.catalogue.iter().chain(self.others.values()).cloned();
        std::iter::once(self.value.clone()).chain(self.lock.clone()).chain(further).collect()
    }

    /// True for a key that holds a cached value.
    pub fn is_value(&self, key: &Bytes) -> bool {
        self.value == *key || self.catalogue.contains(key)
    }
}

/// A value that programs see under a name of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Global {
    Number(i64),
    Text(String),
}

/// A worker's program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file it comes from, as errors name it.
    pub name: String,
    pub source: String,
    /// What runs in place of the source, which is then only shown.
    pub native: Option<Native>,
}

/// The database behind the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseSetup {
    /// SQL that makes and fills its tables.
    pub schema: String,
    /// SQL for what the cached value ought to be: the first column of its first row.
    pub truth: Option<String>,
    /// SQL for a number that the lesson watches.
    pub watch: Option<String>,
    /// Connections: how many queries run at once; the others queue.
    pub pool: usize,
    /// Median time of a query.
    pub p50: Span,
    /// 99th percentile of a query's time.
    pub p99: Span,
}
