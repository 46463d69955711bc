//! What others may know of a client: the line that `CLIENT LIST` has for it.

use std::time::Instant;

use super::codec::Protocol;
use super::dialect::Dialect;
use crate::clock;

/// A client, as the others see it.
#[derive(Clone, Debug)]
pub(super) struct Card {
    pub(super) id: u64,
    /// Where it came from.
    pub(super) address: String,
    pub(super) name: String,
    pub(super) library: String,
    pub(super) library_version: String,
    pub(super) database: usize,
    pub(super) protocol: Protocol,
    /// How many commands are queued by `MULTI`.
    pub(super) queued: Option<usize>,
    pub(super) watching: usize,
    pub(super) never_evicted: bool,
    pub(super) command: &'static str,
    pub(super) commands: u64,
    pub(super) connected: Instant,
    pub(super) last_used: Instant,
}

impl Card {
    pub(super) fn new(address: String) -> Self {
        let now = clock::now();
        Self {
            id: 0,
            address,
            name: String::new(),
            library: String::new(),
            library_version: String::new(),
            database: 0,
            protocol: Protocol::default(),
            queued: None,
            watching: 0,
            never_evicted: false,
            command: "NULL",
            commands: 0,
            connected: now,
            last_used: now,
        }
    }

    /// The line, with zeros for what an embedded server does not measure.
    pub(super) fn line(&self, dialect: Dialect) -> String {
        let address = match dialect {
            Dialect::Redis => format!("{}:0", self.address),
            Dialect::Valkey => format!("[{}:0]:0", self.address),
        };
        let mut flags = String::from("U");
        if self.queued.is_some() {
            flags.insert(0, 'x');
        }
        if self.never_evicted {
            flags.push('e');
        }
        let (capabilities, watching, totals) = match dialect {
            Dialect::Redis => ("", String::new(), String::new()),
            Dialect::Valkey => (
                " capa=",
                format!(" watch={}", self.watching),
                format!(
                    " lib-name={} lib-ver={} tot-net-in=0 tot-net-out=0 tot-cmds={}",
                    self.library, self.library_version, self.commands
                ),
            ),
        };
        format!(
            "id={} addr={address} laddr={address} fd=0 name={} age={} idle={} flags={flags}{capabilities} db={} sub=0 \
             psub=0 ssub=0 multi={}{watching} qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 \
             tot-mem=0 events=r cmd={} user=default redir=-1 resp={}{totals}",
            self.id,
            self.name,
            clock::since(self.connected).as_secs(),
            clock::since(self.last_used).as_secs(),
            self.database,
            self.queued.map_or(-1, |queued| i64::try_from(queued).unwrap_or(i64::MAX)),
            self.command,
            match self.protocol {
                Protocol::Resp2 => 2,
                Protocol::Resp3 => 3,
            },
        )
    }
}
