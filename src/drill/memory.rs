//! What is believed of a learner's memory of one card: FSRS, by its kept implementation.
//!
//! The model is Jarrett Ye's Free Spaced Repetition Scheduler (version 5): a card has a difficulty and a stability, the
//! days after which nine of ten such cards are still recalled.

use chrono::{DateTime, Utc};
use rs_fsrs::{FSRS, Parameters, Rating, State};
use serde::{Deserialize, Serialize};

use super::entry::Grade;
use super::retention::Retention;
use super::time::At;

/// One card's memory after its last grade.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// In days.
    pub stability: f64,
    /// From 1 to 10.
    pub difficulty: f64,
    pub due: At,
    pub last: At,
    pub repetitions: u32,
    /// How often it was known and then forgotten.
    pub lapses: u32,
    pub phase: Phase,
    /// Days from the last grade until it is due; 0 while it is being learned.
    pub interval: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Minutes until it is asked again.
    Learning,
    /// Days.
    Review,
    /// Forgotten, and learned again in minutes.
    Relearning,
}

impl Memory {
    /// The memory after a grade; `before` is `None` for a card that was never asked. `retention` is how many cards
    /// shall be recalled when they come up.
    pub fn graded(before: Option<&Self>, at: At, grade: Grade, retention: Retention) -> Self {
        let parameters = Parameters { request_retention: retention.share(), ..Parameters::default() };
        let rating = match grade {
            Grade::Again => Rating::Again,
            Grade::Hard => Rating::Hard,
            Grade::Good => Rating::Good,
            Grade::Easy => Rating::Easy,
        };
        let now = moment(at);
        let card = before.map_or_else(
            || rs_fsrs::Card { due: now, last_review: now, ..Default::default() },
            |known| known.card(at),
        );
        Self::of(&FSRS::new(parameters).next(card, now, rating).card)
    }

    /// The chance that it is recalled now.
    pub fn retrievability(&self, at: At) -> f64 {
        self.card(at).get_retrievability(moment(at))
    }

    /// As the algorithm takes it at some time. A clock that was set back does not make it remember what is to come.
    fn card(&self, at: At) -> rs_fsrs::Card {
        rs_fsrs::Card {
            due: moment(self.due),
            stability: self.stability,
            difficulty: self.difficulty,
            elapsed_days: 0,
            scheduled_days: self.interval,
            reps: i32::try_from(self.repetitions).unwrap_or(i32::MAX),
            lapses: i32::try_from(self.lapses).unwrap_or(i32::MAX),
            state: match self.phase {
                Phase::Learning => State::Learning,
                Phase::Review => State::Review,
                Phase::Relearning => State::Relearning,
            },
            last_review: moment(self.last.min(at)),
        }
    }

    fn of(card: &rs_fsrs::Card) -> Self {
        Self {
            stability: card.stability,
            difficulty: card.difficulty,
            due: unix(card.due),
            last: unix(card.last_review),
            repetitions: u32::try_from(card.reps).unwrap_or(0),
            lapses: u32::try_from(card.lapses).unwrap_or(0),
            phase: match card.state {
                State::New | State::Learning => Phase::Learning,
                State::Review => Phase::Review,
                State::Relearning => Phase::Relearning,
            },
            interval: card.scheduled_days,
        }
    }
}

/// The first day of the year 9000: no card is due later, and what is counted from then on is still a date.
const LAST: u64 = 221_845_392_000_000;

fn moment(at: At) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(at.0.min(LAST).cast_signed()).unwrap_or_default()
}

fn unix(moment: DateTime<Utc>) -> At {
    At(u64::try_from(moment.timestamp_millis()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The intervals in days that the reference implementations of FSRS-5 give for these grades, each on its due day.
    #[test]
    fn intervals_are_those_of_the_reference() {
        use Grade::{Again, Good};
        let grades = [Good, Good, Good, Good, Good, Good, Again, Again, Good, Good, Good, Good, Good];
        let mut at = At(1_669_725_000_000);
        let mut memory = None;
        let mut intervals = Vec::new();
        for grade in grades {
            let next = Memory::graded(memory.as_ref(), at, grade, Retention::default());
            intervals.push(next.interval);
            at = next.due;
            memory = Some(next);
        }
        assert_eq!(intervals, [0, 4, 15, 48, 136, 351, 0, 0, 7, 13, 24, 43, 77]);
        let memory = memory.expect("it was graded");
        assert_eq!((memory.repetitions, memory.lapses, memory.phase), (13, 1, Phase::Review));
    }

    #[test]
    fn nine_of_ten_are_recalled_when_they_come_up_and_a_higher_wish_brings_them_sooner() {
        let learned = |percent| {
            let retention = Retention::percent(percent);
            let first = Memory::graded(None, At(0), Grade::Good, retention);
            Memory::graded(Some(&first), first.due, Grade::Good, retention)
        };
        let memory = learned(90);
        let recalled = memory.retrievability(memory.due);
        assert!((0.85..0.95).contains(&recalled), "{recalled}");
        assert!(learned(97).interval < memory.interval);
    }

    #[test]
    fn a_clock_that_is_set_anyhow_leaves_a_memory_that_can_be_kept() {
        let day = 24 * 60 * 60 * 1000;
        let times = [30, 30, 34, 31, 2, 40, 0, u64::MAX / day, 41].map(|days| At(days * day));
        let mut memory = None;
        for (at, grade) in times.into_iter().zip(Grade::ALL.into_iter().cycle().skip(2)) {
            let next = Memory::graded(memory.as_ref(), at, grade, Retention::default());
            assert!(next.stability.is_finite() && next.stability > 0.0, "{next:?}");
            assert!((0.0..=1.0).contains(&next.retrievability(At(day))), "{next:?}");
            let text = serde_json::to_string(&next).unwrap();
            assert_eq!(serde_json::from_str::<Memory>(&text).unwrap(), next);
            memory = Some(next);
        }
    }

    #[test]
    fn a_card_that_is_not_known_comes_back_in_minutes() {
        let memory = Memory::graded(None, At(0), Grade::Again, Retention::default());
        assert_eq!((memory.phase, memory.interval), (Phase::Learning, 0));
        assert_eq!(memory.due, At::default().after(Duration::from_mins(1)));
    }
}
