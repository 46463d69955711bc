//! Moments and days, as a learner counts them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A moment, in milliseconds since 1 January 1970, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct At(pub u64);

impl At {
    pub fn unix(since: Duration) -> Self {
        Self(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
    }
}

/// A time as it is said: `20 seconds`, `1:05 minutes`.
pub fn spoken(time: Duration) -> String {
    match (time.as_secs() / 60, time.as_secs() % 60) {
        (0, 1) => "1 second".to_owned(),
        (0, seconds) => format!("{seconds} seconds"),
        (1, 0) => "1 minute".to_owned(),
        (minutes, 0) => format!("{minutes} minutes"),
        (minutes, seconds) => format!("{minutes}:{seconds:02} minutes"),
    }
}

/// A day, counted from 1 January 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Day(pub i64);

/// Where days begin: whoever learns past midnight does not learn on two days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calendar {
    /// Seconds by which the learner's clock is ahead of UTC.
    pub east: i32,
}

/// The hour at which a day of learning begins.
const BEGINS: i64 = 4;

const DAY: i64 = 24 * 60 * 60 * 1000;

impl Calendar {
    pub fn day(self, at: At) -> Day {
        let local = i64::try_from(at.0).unwrap_or(i64::MAX).saturating_add(self.shift());
        Day(local.div_euclid(DAY))
    }

    /// When a day begins.
    pub fn start(self, day: Day) -> At {
        At(u64::try_from(day.0.saturating_mul(DAY).saturating_sub(self.shift())).unwrap_or(0))
    }

    fn shift(self) -> i64 {
        i64::from(self.east) * 1000 - BEGINS * 60 * 60 * 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_four_in_the_morning() {
        let berlin = Calendar { east: 3600 };
        let day = berlin.day(At(0));
        assert_eq!(day, Day(-1), "one in the morning belongs to the day before");
        for day in [Day(0), Day(20_000)] {
            let start = berlin.start(day);
            assert_eq!((berlin.day(start), berlin.day(At(start.0 - 1))), (day, Day(day.0 - 1)));
        }
    }
}
