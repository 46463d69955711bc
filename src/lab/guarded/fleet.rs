//! The guards of a run: one for each life of each process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::switches::guard;
use crate::guard::Guard;
use crate::lab::native::{LabConnection, LabRuntime, Port};
use crate::lab::setup::Global;

pub(super) type LabGuard = Guard<LabConnection, LabRuntime>;

/// The guards of one run; clones share them.
#[derive(Clone)]
pub struct Fleet {
    knobs: Arc<BTreeMap<String, Global>>,
    guards: Arc<Mutex<BTreeMap<(u16, u32), LabGuard>>>,
}

impl Fleet {
    /// No process has started yet.
    pub fn new(knobs: BTreeMap<String, Global>) -> Self {
        Self { knobs: Arc::new(knobs), guards: Arc::default() }
    }

    /// The guard of the process that a request runs in; the first request of a process makes it.
    pub(super) fn guard(&self, port: &Port) -> LabGuard {
        let mut guards = self.guards.lock().unwrap_or_else(PoisonError::into_inner);
        guards.entry(port.process()).or_insert_with(|| guard(port, &self.knobs)).clone()
    }

    /// All guards with the names of their processes.
    pub(super) fn all(&self) -> Vec<(String, LabGuard)> {
        let guards = self.guards.lock().unwrap_or_else(PoisonError::into_inner);
        let name = |(process, life): &(u16, u32)| match life {
            0 => format!("process {}", process + 1),
            life => format!("process {}, life {}", process + 1, life + 1),
        };
        guards.iter().map(|(which, guard)| (name(which), guard.clone())).collect()
    }
}
