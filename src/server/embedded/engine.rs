//! What the lock guards: databases, scripts, and the time at which a command runs.

use std::sync::Arc;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::data::Database;
use super::dialect::Dialect;
use super::lua::Library;
use super::options::Options;
use crate::clock::Clock;

/// As many databases as Redis has when nobody says otherwise; in a cluster only the first can be selected.
const DATABASES: usize = 16;

/// The server's state. A command has all of it to itself.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) dialect: Dialect,
    pub(super) databases: Vec<Database>,
    pub(super) library: Library,
    /// The name of the node when this is a cluster: forty hexadecimal digits.
    pub(super) node: Option<String>,
    /// Forty digits as well, made anew at every start.
    pub(super) run_id: String,
    pub(super) commands_run: u64,
    /// Where the socket is; nowhere for a server that is only spoken to in process.
    pub(super) socket: String,
    pub(super) started: u64,
    luck: ChaCha8Rng,
    clock: Arc<dyn Clock>,
    micros: u64,
}

impl Engine {
    pub(super) fn new(options: &Options, socket: String) -> Self {
        let micros = micros(&*options.clock);
        // Luck decides which key `RANDOMKEY` finds and how runs are called: nothing that anybody is protected by.
        let mut luck = ChaCha8Rng::seed_from_u64(micros);
        let node = options.cluster.then(|| forty_digits(&mut luck));
        Self {
            dialect: options.dialect,
            databases: (0..DATABASES).map(|_| Database::default()).collect(),
            library: Library::default(),
            node,
            run_id: forty_digits(&mut luck),
            commands_run: 0,
            socket,
            started: micros / 1000,
            luck,
            clock: Arc::clone(&options.clock),
            micros,
        }
    }

    /// Reads the clock and removes what is due. Called before each command that a client sends: a transaction or a script
    /// sees one time from its start to its end.
    pub(super) fn begin(&mut self) {
        self.micros = micros(&*self.clock);
        let now = self.now();
        for database in &mut self.databases {
            database.purge(now);
        }
    }

    /// The time of day in milliseconds, as the command under way sees it.
    pub(super) fn now(&self) -> u64 {
        self.micros / 1000
    }

    /// The time of day in microseconds, whatever the command under way sees.
    pub(super) fn read_clock(&self) -> u64 {
        micros(&*self.clock)
    }

    /// The time at which the command under way runs, in microseconds.
    pub(super) fn now_micros(&self) -> u64 {
        self.micros
    }

    /// A number below `end`, which is not zero.
    pub(super) fn pick(&mut self, end: usize) -> usize {
        self.luck.random_range(0..end)
    }
}

fn micros(clock: &dyn Clock) -> u64 {
    u64::try_from(clock.unix().as_micros()).unwrap_or(u64::MAX)
}

fn forty_digits(luck: &mut impl Rng) -> String {
    (0..40).filter_map(|_| char::from_digit(luck.next_u32() % 16, 16)).collect()
}
