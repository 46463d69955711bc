//! Lives of keys in milliseconds: what the server is told, and what a measured countdown stands for.

use super::entry::Entry;
use crate::lab::command::Command;
use crate::lab::time::{LabTime, Span};

/// The life a key is given on the server when lab time has less for it than this. A stall of the machine between
/// two commands of one batch must not end a key that lab time keeps.
pub(super) const SAFE_LIFE: u64 = 10_000;

/// The longest life that is worth a number of its own; beyond it a stall explains nothing.
const STALL: u64 = 450;

/// A life for a key that the command cannot see, chosen so that afterwards it can be told from every life that the
/// command may give: a `SET NX PX 5000` that fails while 5000 ms are left must not look like one that succeeded.
pub(super) fn tellable(rest: u64, command: &Command) -> u64 {
    let named: Vec<u64> = command.lives_named().collect();
    let mut life = rest.max(SAFE_LIFE);
    while named.iter().any(|named| named.abs_diff(life) <= 2 * STALL) {
        life += 4 * STALL;
    }
    life
}

/// The milliseconds an entry has left, rounded up; `None` when it never ends.
pub(super) fn remaining(entry: &Entry, now: LabTime) -> Option<u64> {
    entry.deadline.map(|deadline| deadline.since(now).as_millis_up().max(1))
}

/// The deadline that a measured countdown stands for: the one the key had (`kept`), or the nearest life that the
/// command named. A measured countdown may be short by what the machine stalled, never long.
pub(super) fn snap(
    measured: u64,
    kept: Option<(u64, Option<LabTime>)>,
    named: impl Iterator<Item = u64>,
    now: LabTime,
) -> LabTime {
    let lag = |life: u64| (measured <= life + 1).then(|| life.abs_diff(measured)).filter(|lag| *lag <= STALL);
    let best_named = named.filter_map(|life| Some((lag(life)?, now + Span::from_millis(life)))).min();
    let best_kept = kept.and_then(|(life, deadline)| Some((lag(life)?, deadline?)));
    match (best_kept, best_named) {
        (Some((kept_lag, kept)), Some((lag, _))) if kept_lag < lag => kept,
        (_, Some((_, named))) => named,
        (Some((_, kept)), None) => kept,
        (None, None) => now + Span::from_millis(measured),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: LabTime = LabTime::from_micros(7_000_500);

    fn after(millis: u64) -> LabTime {
        NOW + Span::from_millis(millis)
    }

    #[test]
    fn a_measured_countdown_snaps_to_the_number_in_the_command() {
        let lives = || Command::of(["SET", "k", "v", "PX", "5000"]);
        assert_eq!(snap(4999, None, lives().lives_named(), NOW), after(5000));
        assert_eq!(snap(5000, None, lives().lives_named(), NOW), after(5000));
        assert_eq!(snap(4800, None, lives().lives_named(), NOW), after(5000), "the machine stalled");
    }

    #[test]
    fn seconds_are_tried_as_well_as_milliseconds() {
        assert_eq!(
            snap(299_999, None, Command::of(["SET", "k", "v", "EX", "300"]).lives_named(), NOW),
            after(300_000)
        );
    }

    #[test]
    fn a_life_that_no_command_changed_is_kept_exactly() {
        let kept = Some((1551, Some(after(1550))));
        assert_eq!(snap(1550, kept, Command::of(["APPEND", "k", "x"]).lives_named(), NOW), after(1550));
    }

    #[test]
    fn a_life_that_was_kept_can_be_told_from_one_that_was_given() {
        let command = Command::of(["SET", "k", "v", "NX", "PX", "5000"]);
        let life = tellable(5000, &command);
        let kept = Some((life, Some(after(4999))));
        assert_eq!(snap(life, kept, command.lives_named(), NOW), after(4999));
        assert_eq!(snap(life - STALL, kept, command.lives_named(), NOW), after(4999), "even after a stall");
        assert_eq!(snap(5000, kept, command.lives_named(), NOW), after(5000));
    }
}
