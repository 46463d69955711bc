//! Knobs that turn protections off.

use std::collections::BTreeMap;
use std::time::Duration;

use super::fleet::LabGuard;
use crate::guard::{Guard, Options, Renewal, Term};
use crate::lab::native::Port;
use crate::lab::setup::Global;

/// The soft deadline of the lesson's values, and their hard expiry.
const SOFT: Duration = Duration::from_secs(5);
const HARD: Duration = Duration::from_mins(1);

/// How long a caller waits for somebody else's fill.
const WAIT: Duration = Duration::from_secs(4);

/// A lease that a slow fill outlasts unless it is renewed.
const LEASE: Duration = Duration::from_secs(1);

/// A guard for one process, with the protections that the knobs leave on. A knob that the lesson has not counts as on.
pub(super) fn guard(port: &Port, knobs: &BTreeMap<String, Global>) -> LabGuard {
    let number = |name: &str| match knobs.get(name) {
        Some(Global::Number(n)) => Some(*n),
        _ => None,
    };
    let on = |name: &str| number(name) != Some(0);
    let mut options = Options::default();
    options.expiry.soft = SOFT;
    options.expiry.hard = HARD;
    options.expiry.jitter = 0.0;
    options.lease.term = Term::Fixed(LEASE);
    options.lease.max_hold = LEASE * 5;
    options.lease.renewal = if on("renewal") { Renewal::WhileRunning } else { Renewal::Never };
    options.losers.wait = WAIT;
    options.losers.serve_stale = on("serve_stale");
    options.refresh.on_failure = on("serve_stale");
    options.negative.failure = if on("negative") { Some(Duration::from_secs(1)) } else { None };
    options.checked_fill = on("checked");
    options.recheck = on("recheck");
    options.singleflight = on("coalesce");
    let permits = number("permits").and_then(|n| usize::try_from(n).ok()).unwrap_or(4);
    let builder = Guard::builder(port.connection()).runtime(port.runtime()).options(options);
    builder.permits(permits).native_release(false).build().expect("options that make sense")
}
