//! Ten times a second: what was counted?

use std::time::Duration;

use super::fleet::Fleet;
use crate::clock::Runtime;
use crate::lab::Port;

const EVERY: Duration =
    Duration::from_millis(100);

pub(super) async fn scrape(
    fleet: Fleet,
    port: Port,
) -> Option<String> {
    loop {
        let guards = fleet.all();
        for (name, guard) in guards {
            let seen = guard.metrics();
            port.measured(
                name, seen.counts());
        }
        let runtime = port.runtime();
        runtime.alarm(EVERY).await;
    }
}
