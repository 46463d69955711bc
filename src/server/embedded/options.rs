//! What an embedded server is started as.

use std::sync::Arc;

use super::dialect::Dialect;
use crate::clock::{Clock, Wall};

/// How the server presents itself, and by which clock its keys expire.
#[derive(Clone, Debug)]
pub struct Options {
    pub dialect: Dialect,
    /// As the one node of a cluster, owner of all slots.
    pub cluster: bool,
    pub clock: Arc<dyn Clock>,
}

impl Default for Options {
    fn default() -> Self {
        Self { dialect: Dialect::default(), cluster: false, clock: Arc::new(Wall) }
    }
}
