//! All that is known of a learner: what the entries of the log add up to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entry::{Confidence, Did, Entry, Grade};
use super::interview::Level;
use super::memory::Memory;
use super::records::{Before, CardRecord, DayRecord, InterviewRecord, LessonRecord, Standing};
use super::retention::Retention;
use super::time::{At, Calendar, Day};

/// Everything about one learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    pub lessons: BTreeMap<String, LessonRecord>,
    pub cards: BTreeMap<String, CardRecord>,
    pub days: BTreeMap<Day, DayRecord>,
    /// Oldest first.
    pub interviews: Vec<InterviewRecord>,
    /// The take that was open last.
    pub last: Option<(String, String)>,
    /// How many entries it is made of.
    pub entries: u64,
    /// What is wished for now.
    pub retention: Retention,
    #[serde(skip)]
    pub calendar: Calendar,
}

/// Who was certain and wrong is asked the next day and again after a week: a surprise that is not repeated fades.
const SURPRISES: [i64; 2] = [1, 8];

/// The card that asks the question of a beat.
pub fn question_of(lesson: &str, take: &str, beat: u32) -> String {
    format!("{lesson}/{take}/{beat}")
}

impl Progress {
    /// Takes entries in, in their order.
    pub fn take_all(&mut self, entries: &[Entry]) {
        for entry in entries {
            self.take(entry);
        }
    }

    /// Takes one entry in.
    pub fn take(&mut self, entry: &Entry) {
        self.entries += 1;
        let today = self.calendar.day(entry.at);
        match &entry.did {
            Did::Opened { lesson, take } => {
                self.take_of(lesson, take, Standing::Begun);
                self.last = Some((lesson.clone(), take.clone()));
            }
            Did::Watched { lesson, take, answered } => {
                let standing = if *answered { Standing::Done } else { Standing::Watched };
                self.take_of(lesson, take, standing);
            }
            Did::Predicted { lesson, take, beat, confidence, right } => {
                let record = self.lessons.entry(lesson.clone()).or_default();
                *(if *right { &mut record.right } else { &mut record.wrong }) += 1;
                if !right && *confidence == Confidence::Certain {
                    let card = self.cards.entry(question_of(lesson, take, *beat)).or_default();
                    card.owed.extend(SURPRISES.map(|days| Day(today.0 + days)));
                }
            }
            Did::Said { lesson, points, of } => {
                let said = &mut self.lessons.entry(lesson.clone()).or_default().said;
                if said.is_none_or(|(best, _)| *points > best) {
                    *said = Some((*points, *of));
                }
            }
            Did::Repaired { lesson, queries, solution } => {
                let repaired = &mut self.lessons.entry(lesson.clone()).or_default().repaired;
                if repaired.is_none_or(|(best, _)| *queries < best) {
                    *repaired = Some((*queries, *solution));
                }
            }
            Did::Reached { lesson, goal } => {
                self.lessons.entry(lesson.clone()).or_default().goals.insert(*goal);
            }
            Did::Answered { interview, level, points, of, flags, missed, .. } => {
                let record = self.interview(*interview, *level);
                record.points = record.points.saturating_add(*points);
                record.of = record.of.saturating_add(*of);
                record.flags = record.flags.saturating_add(*flags);
                for lesson in missed {
                    *record.missed.entry(lesson.clone()).or_default() += 1;
                }
            }
            Did::Interviewed { level, points, of, flags } => {
                let record = self.interview(entry.at, *level);
                (record.points, record.of, record.flags) = (*points, *of, *flags);
            }
            Did::Graded { card, grade } => self.grade(card, entry.at, *grade),
            Did::Undone { card } => self.undo(card),
            Did::Wished { retention } => self.retention = *retention,
        }
    }

    /// The interview that began then; a new one where there is none yet.
    fn interview(&mut self, at: At, level: Level) -> &mut InterviewRecord {
        let known = self.interviews.iter().rposition(|known| (known.at, known.level) == (at, level));
        let index = known.unwrap_or_else(|| {
            let missed = BTreeMap::new();
            self.interviews.push(InterviewRecord { at, level, points: 0, of: 0, flags: 0, missed });
            self.interviews.len() - 1
        });
        &mut self.interviews[index]
    }

    fn take_of(&mut self, lesson: &str, take: &str, standing: Standing) {
        let takes = &mut self.lessons.entry(lesson.to_owned()).or_default().takes;
        let known = takes.entry(take.to_owned()).or_default();
        *known = (*known).max(standing);
    }

    fn grade(&mut self, card: &str, at: At, grade: Grade) {
        let today = self.calendar.day(at);
        let record = self.cards.entry(card.to_owned()).or_default();
        let day = self.days.entry(today).or_default();
        match &record.memory {
            None => day.new += 1,
            Some(memory) if memory.interval > 0 => {
                day.reviews += 1;
                day.recalled += u32::from(grade.passed());
            }
            Some(_) => {}
        }
        let memory = Memory::graded(record.memory.as_ref(), at, grade, self.retention);
        record.before = record.memory.replace(memory).map_or(Before::NeverAsked, Before::Known);
        record.grades += 1;
    }

    fn undo(&mut self, card: &str) {
        let Some(record) = self.cards.get_mut(card) else { return };
        let before = match std::mem::take(&mut record.before) {
            Before::Nothing => return,
            Before::NeverAsked => None,
            Before::Known(memory) => Some(memory),
        };
        let undone = std::mem::replace(&mut record.memory, before);
        record.grades = record.grades.saturating_sub(1);
        let Some(undone) = undone else { return };
        let day = self.days.entry(self.calendar.day(undone.last)).or_default();
        match &record.memory {
            None => day.new = day.new.saturating_sub(1),
            Some(memory) if memory.interval > 0 => {
                day.reviews = day.reviews.saturating_sub(1);
                // A card that was recalled is not being learned again.
                let recalled = undone.lapses == memory.lapses;
                day.recalled = day.recalled.saturating_sub(u32::from(recalled));
            }
            Some(_) => {}
        }
    }

    pub fn standing_of_take(&self, lesson: &str, take: &str) -> Standing {
        self.lessons.get(lesson).and_then(|record| record.takes.get(take)).copied().unwrap_or_default()
    }

    /// How far a lesson with these takes is.
    pub fn standing<'a>(&self, lesson: &str, takes: impl IntoIterator<Item = &'a str>) -> Standing {
        let Some(record) = self.lessons.get(lesson) else { return Standing::New };
        let least = takes.into_iter().map(|take| record.takes.get(take).copied().unwrap_or_default()).min();
        match least {
            Some(Standing::New) if !record.takes.is_empty() => Standing::Begun,
            other => other.unwrap_or_default(),
        }
    }

    /// When a card is due next; `None` for one that was never asked and is owed to nobody.
    pub fn due(&self, card: &str) -> Option<At> {
        let record = self.cards.get(card)?;
        // A grade settles what was owed until its day; taken back, it settles nothing.
        let settled = record.memory.as_ref().map(|memory| self.calendar.day(memory.last));
        let owed = record.owed.iter().find(|day| Some(**day) > settled).map(|day| self.calendar.start(*day));
        let due = record.memory.as_ref().map(|memory| memory.due);
        owed.into_iter().chain(due).min()
    }

    /// The share of reviews that were recalled in the last so many days.
    pub fn recalled(&self, at: At, days: i64) -> Option<f64> {
        let today = self.calendar.day(at);
        let records = self.days.range(Day(today.0 - days + 1)..=today).map(|(_, record)| record);
        let (reviews, recalled) =
            records.fold((0, 0), |(all, good), day| (all + day.reviews, good + day.recalled));
        (reviews > 0).then(|| f64::from(recalled) / f64::from(reviews))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1000;

    fn graded(at: u64, grade: Grade) -> Entry {
        Entry { at: At(at), did: Did::Graded { card: "a".to_owned(), grade } }
    }

    fn after(entries: &[Entry]) -> Progress {
        let mut progress = Progress::default();
        progress.take_all(entries);
        progress
    }

    #[test]
    fn a_grade_that_is_taken_back_leaves_nothing_behind() {
        let undone = Entry { at: At(50 * DAY), did: Did::Undone { card: "a".to_owned() } };
        let mut entries = Vec::new();
        for (at, grade) in [(10, Grade::Good), (11, Grade::Good), (15, Grade::Again), (16, Grade::Good)] {
            let entry = graded(at * DAY, grade);
            let before = after(&entries);
            let mut both = entries.clone();
            both.extend([entry.clone(), undone.clone()]);
            let back = after(&both);
            let memory = |progress: &Progress| progress.cards.get("a").and_then(|card| card.memory);
            assert_eq!(memory(&back), memory(&before), "{grade:?}");
            let counted = |progress: &Progress| -> Vec<DayRecord> {
                let worked = progress.days.values().filter(|day| **day != DayRecord::default());
                worked.copied().collect()
            };
            assert_eq!(counted(&back), counted(&before), "{grade:?}");
            entries.push(entry);
        }
    }

    #[test]
    fn certain_and_wrong_comes_back_the_next_day_and_after_a_week() {
        let predicted = |confidence, right| Entry {
            at: At(100 * DAY + DAY / 2),
            did: Did::Predicted {
                lesson: "04".to_owned(),
                take: "bare".to_owned(),
                beat: 2,
                confidence,
                right,
            },
        };
        let mut progress = after(&[predicted(Confidence::Certain, false)]);
        let card = question_of("04", "bare", 2);
        let day = |progress: &Progress| progress.due(&card).map(|at| progress.calendar.day(at));
        assert_eq!(day(&progress), Some(Day(101)));
        let next_day = At(101 * DAY + DAY / 2);
        let graded = Entry { at: next_day, did: Did::Graded { card: card.clone(), grade: Grade::Easy } };
        progress.take(&graded);
        progress.take(&Entry { at: next_day, did: Did::Undone { card: card.clone() } });
        assert_eq!(day(&progress), Some(Day(101)), "a grade that is taken back settles nothing");
        progress.take(&graded);
        assert_eq!(day(&progress), Some(Day(108)), "however well it was known the next day");
        assert_eq!(after(&[predicted(Confidence::ThinkSo, false)]).due(&card), None);
        assert_eq!(after(&[predicted(Confidence::Certain, true)]).due(&card), None);
    }

    #[test]
    fn a_lesson_is_as_far_as_the_least_of_its_takes() {
        let watched = |take: &str, answered| Entry {
            at: At(0),
            did: Did::Watched { lesson: "l".to_owned(), take: take.to_owned(), answered },
        };
        let mut progress = after(&[watched("a", true)]);
        assert_eq!(progress.standing("l", ["a", "b"]), Standing::Begun);
        progress.take(&watched("b", false));
        assert_eq!(progress.standing("l", ["a", "b"]), Standing::Watched);
        progress.take(&watched("b", true));
        progress.take(&watched("b", false));
        assert_eq!(progress.standing("l", ["a", "b"]), Standing::Done, "what is done stays done");
    }
}
