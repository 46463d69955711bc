//! Keeping a lease while its fill works, and telling the fill when it is lost.

use std::time::Duration;

use tokio::sync::watch;

use super::hold::Hold;
use crate::clock::Runtime;
use crate::guard::core::Core;
use crate::guard::entry::{Stamp, prolong};
use crate::guard::fill::Pulse;
use crate::guard::options::Renewal;
use crate::guard::wire::Connection;

/// Whether a lease still stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard) enum Lease {
    Held,
    /// It ended, or the lock is another's by now.
    Lost,
}

/// Watches over `hold` while its fill runs, and never ends by itself: it is dropped with the fill, before the release,
/// so no renewal can follow one.
///
/// A renewal that fails is tried again until the lease's own deadline, by the clock here, counted from before the
/// command left: the server's countdown cannot end sooner.
pub(in crate::guard) async fn keep<C: Connection, R: Runtime>(
    core: &Core<C, R>,
    hold: &Hold<C, R>,
    claim: Option<(&bytes::Bytes, &Stamp)>,
    pulse: &Pulse,
    (renewal, max_hold): (Renewal, Duration),
    lease: &watch::Sender<Lease>,
) {
    let runtime = &core.runtime;
    let third = hold.term / 3;
    let last_call = hold.since.saturating_add(max_hold);
    let mut ends = hold.since.saturating_add(hold.term);
    let mut next = hold.since.saturating_add(third);
    let mut heard = pulse.count();
    while runtime.now() < ends {
        runtime.alarm(next.min(ends).saturating_sub(runtime.now())).await;
        let now = runtime.now();
        if now < next || now >= ends {
            continue;
        }
        next = now.saturating_add(third);
        let alive = std::mem::replace(&mut heard, pulse.count()) != heard;
        let wanted = match renewal {
            Renewal::Never => false,
            Renewal::WithProgress => alive,
            Renewal::WhileRunning => true,
        };
        let life = hold.term.min(last_call.saturating_sub(now));
        if !wanted || now.saturating_add(life) <= ends {
            continue;
        }
        match hold.extend(life).await {
            Ok(true) => {
                core.metrics.extensions.add(1);
                ends = now.saturating_add(life);
                if let Some((key, stamp)) = claim {
                    // A claim that is gone means that the value was invalidated; storing will find out.
                    let _ = prolong(&core.renewals, key, stamp, life).await;
                }
            }
            Ok(false) => ends = now,
            Err(_) => {
                // Once more, soon, and the sooner the less time is left: what was heard still counts.
                heard = heard.wrapping_sub(1);
                let now = runtime.now();
                let pause = (ends.saturating_sub(now) / 2).clamp(third / 40, third / 4);
                next = now.saturating_add(pause);
            }
        }
    }
    core.metrics.lost_leases.add(1);
    lease.send_replace(Lease::Lost);
    std::future::pending::<()>().await;
}
