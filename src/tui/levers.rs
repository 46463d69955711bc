//! What a learner can do to a run by hand.

use crate::lab::{Harm, Lever, Phase, Span, WorkerId, World};

/// How long a worker stands still that nobody lets go on before.
const FREEZE: Span = Span::from_secs(10);

/// All levers for one worker and for the world around it, as they are called.
pub(super) fn levers(world: &World, worker: WorkerId) -> Vec<(String, Lever)> {
    let frozen = world.workers.get(worker.index()).is_some_and(|seen| seen.phase == Phase::Paused);
    let still = if frozen {
        (format!("let {worker} go on"), Lever::Thaw(worker))
    } else {
        (format!("freeze {worker} for {FREEZE}"), Lever::Harm(Harm::Pause(worker, FREEZE)))
    };
    let lost = world
        .opening
        .as_ref()
        .map(|opening| opening.keys.lock.clone().unwrap_or_else(|| opening.keys.value.clone()));
    let (short, long) = (Span::from_secs(2), Span::from_secs(5));
    let slow = Span::from_millis(300);
    let harm = |text: String, harm: Harm| (text, Lever::Harm(harm));
    vec![
        harm(format!("kill {worker}"), Harm::Crash(worker)),
        still,
        harm(format!("break {worker}'s connection"), Harm::DropConnection(worker)),
        harm(format!("lose {worker}'s next reply"), Harm::LoseReply(worker)),
        harm(format!("Redis down for {short}"), Harm::RedisDown(short)),
        harm(format!("Redis slow, {slow} a command, for {long}"), Harm::RedisSlow(slow, long)),
        harm(
            format!("failover that loses {}", lost.as_ref().map(ToString::to_string).unwrap_or_default()),
            Harm::Failover(lost.into_iter().collect()),
        ),
        harm(format!("database five times as slow for {long}"), Harm::DatabaseSlow(5, long)),
        harm(format!("database fails for {long}"), Harm::DatabaseFails(long)),
    ]
}
