//! How an interview goes: what was said, what was missed, and which lessons show it.

use std::collections::{BTreeMap, BTreeSet};

use super::entry::Did;
use super::interview::{Flag, Level, Question};
use super::time::At;

/// An interview so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    began: At,
    pub level: Level,
    /// What was said of what a good answer has.
    pub points: u32,
    pub of: u32,
    /// Phrases that lose the question.
    pub flags: u32,
    /// What was missed, by the lesson that shows it.
    pub missed: BTreeMap<String, Vec<String>>,
}

impl Outcome {
    pub fn new(began: At, level: Level) -> Self {
        Self { began, level, points: 0, of: 0, flags: 0, missed: BTreeMap::new() }
    }

    /// The score, as it is said: `5 of 9 points, 1 red flag`.
    pub fn score(&self) -> String {
        let red = red_flags(self.flags);
        let comma = if red.is_empty() { "" } else { ", " };
        format!("{} of {} points{comma}{red}", self.points, self.of)
    }

    /// Takes in a question that was answered: which of its points were said, from 0, and what was found in the answers.
    /// Returns what is to be written down of it.
    pub fn answered(&mut self, question: &Question, said: &BTreeSet<usize>, flags: &[&Flag]) -> Did {
        let points = question.points(self.level);
        let lacking = (0..).zip(&points).filter(|(place, _)| !said.contains(place));
        let lacking = lacking.map(|(_, point)| (point.lesson.as_str(), point.text.as_str()));
        // Who says it three times has said one wrong thing.
        let mut found: Vec<&Flag> = Vec::new();
        for flag in flags {
            if !found.contains(flag) {
                found.push(flag);
            }
        }
        let flags = found;
        let red = flags.iter().map(|flag| (flag.lesson.as_str(), flag.because.as_str()));
        let missed: Vec<(&str, &str)> = lacking.chain(red).collect();
        for (lesson, what) in &missed {
            let known = self.missed.entry((*lesson).to_owned()).or_default();
            if !known.iter().any(|known| known == what) {
                known.push((*what).to_owned());
            }
        }
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let of = count(points.len());
        let points = of - count(missed.len() - flags.len());
        let flags = count(flags.len());
        self.points += points;
        self.of += of;
        self.flags += flags;
        Did::Answered {
            interview: self.began,
            level: self.level,
            question: question.id.clone(),
            points,
            of,
            flags,
            missed: missed.into_iter().map(|(lesson, _)| lesson.to_owned()).collect(),
        }
    }
}

/// So many red flags, as they are said; nothing for none.
pub fn red_flags(count: u32) -> String {
    match count {
        0 => String::new(),
        1 => "1 red flag".to_owned(),
        count => format!("{count} red flags"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drill::{Entry, Interview, Progress};

    #[test]
    fn what_is_written_down_adds_up_to_the_interview() {
        let interview = Interview::shipped();
        let mut outcome = Outcome::new(At(7), Level::Senior);
        let mut progress = Progress::default();
        let flags: Vec<&Flag> =
            interview.flags("SETNX, then DEL the lock").into_iter().map(|(_, flag)| flag).collect();
        for (number, question) in (0..).zip(interview.questions(Level::Senior, 0)) {
            let said = BTreeSet::from([0, number]);
            // Who says it twice has said one wrong thing.
            let twice = [&flags[..], &flags[..]].concat();
            let did = outcome.answered(question, &said, if number == 0 { &twice } else { &[] });
            progress.take(&Entry { at: At(1000 + number as u64), did });
        }
        let [kept] = &progress.interviews[..] else { panic!("{:?}", progress.interviews) };
        assert_eq!((kept.at, kept.level), (At(7), Level::Senior));
        assert_eq!((kept.points, kept.of, kept.flags), (outcome.points, outcome.of, 2));
        let missed: u32 = kept.missed.values().sum();
        assert_eq!(missed, kept.of - kept.points + kept.flags);
        let lessons = |missed: Vec<&String>| missed.into_iter().cloned().collect::<Vec<_>>();
        assert_eq!(lessons(kept.missed.keys().collect()), lessons(outcome.missed.keys().collect()));
    }
}
