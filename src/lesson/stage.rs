//! From a take, knobs and a seed to the lab's setup.

use std::collections::BTreeMap;

use super::model::{CastEntry, Count, FaultEntry, Knob, Lesson, Take};
use crate::lab::{Bytes, Fault, Global, Harm, Keys, LabTime, Member, Purpose, Setup, Span, Stream};

/// What the learner turned, by name.
pub type Knobs = BTreeMap<String, i64>;

/// From a worker to Redis and back: a server in the same data centre.
const ROUND_TRIP: Span = Span::from_millis(1);

/// How long a worker waits for a reply before it gives up.
const REPLY_TIMEOUT: Span = Span::from_millis(500);

/// Scripts that programs know by name.
const SCRIPTS: &[(&str, &str)] = &[
    ("release", include_str!("../../assets/scripts/release.lua")),
    ("replace", include_str!("../../assets/scripts/replace.lua")),
];

/// Why a take cannot be staged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    #[error("`{lesson}` has no take `{take}`; it has {known}")]
    NoTake { lesson: String, take: String, known: String },
    #[error("`{lesson}` has no knob `{knob}`; it has {known}")]
    NoKnob { lesson: String, knob: String, known: String },
    #[error("`{value}` is not a whole number; `{knob}` takes {min} to {max}")]
    NotANumber { knob: String, value: String, min: i64, max: i64 },
    #[error("`{knob}` takes {min} to {max}, and not {value}")]
    OutOfRange { knob: String, value: i64, min: i64, max: i64 },
}

impl Lesson {
    /// Finds a take by name.
    ///
    /// # Errors
    /// When there is none; the error lists those there are.
    pub fn find_take(&self, name: &str) -> Result<usize, StageError> {
        self.take(name).map(|(index, _)| index).ok_or_else(|| StageError::NoTake {
            lesson: self.slug.clone(),
            take: name.to_owned(),
            known: listed(self.takes.iter().map(|take| take.name.as_str())),
        })
    }

    /// Reads one `name=value`.
    ///
    /// # Errors
    /// When there is no such knob, or the value is not in its range.
    pub fn read_knob(&self, name: &str, value: &str) -> Result<i64, StageError> {
        let knob = self.knobs.iter().find(|knob| knob.name == name).ok_or_else(|| StageError::NoKnob {
            lesson: self.slug.clone(),
            knob: name.to_owned(),
            known: listed(self.knobs.iter().map(|knob| knob.name.as_str())),
        })?;
        let Knob { min, max, .. } = *knob;
        let bare = value.strip_suffix(knob.unit.as_str()).unwrap_or(value).trim();
        let number: i64 = bare.parse().map_err(|_| StageError::NotANumber {
            knob: name.to_owned(),
            value: value.to_owned(),
            min,
            max,
        })?;
        if number < min || number > max {
            return Err(StageError::OutOfRange { knob: name.to_owned(), value: number, min, max });
        }
        Ok(number)
    }

    /// Reads all of them.
    ///
    /// # Errors
    /// The first that is wrong, as [`Lesson::read_knob`] says it.
    pub fn read_knobs(&self, written: &[(String, String)]) -> Result<Knobs, StageError> {
        written.iter().map(|(name, value)| Ok((name.clone(), self.read_knob(name, value)?))).collect()
    }

    /// Everything the lab needs to run this take. Knobs that are not in `knobs` keep their default; `prefix` goes
    /// before every key.
    pub fn stage(&self, take: usize, knobs: &Knobs, seed: u64, prefix: &str) -> Setup {
        let take = &self.takes[take];
        let mut globals: BTreeMap<String, Global> = self
            .knobs
            .iter()
            .map(|knob| (knob.name.clone(), knobs.get(&knob.name).copied().unwrap_or(knob.default)))
            .map(|(name, value)| (name, Global::Number(value)))
            .collect();
        let cast = cast(take, &globals, seed);
        for (name, script) in SCRIPTS {
            globals.insert((*name).to_owned(), Global::Text((*script).to_owned()));
        }
        // A knob may have left away the worker that a fault is for.
        let present = |fault: &Fault| fault.harm.worker().is_none_or(|id| id.index() < cast.len());
        let faults = take.faults.iter().map(fault).filter(present).collect();
        let prefixed = |key: &Bytes| Bytes::from(format!("{prefix}{key}"));
        Setup {
            lesson: self.slug.clone(),
            take: take.name.clone(),
            scripts: Vec::new(),
            seed,
            keys: Keys { value: prefixed(&self.keys.value), lock: self.keys.lock.as_ref().map(prefixed) },
            globals,
            programs: self.programs.clone(),
            cast,
            database: self.database.clone(),
            faults,
            round_trip: ROUND_TRIP,
            reply_timeout: REPLY_TIMEOUT,
        }
    }
}

/// The workers in order of arrival. Each member draws from a stream of its own, so that one reader more changes
/// nothing for the others.
fn cast(take: &Take, globals: &BTreeMap<String, Global>, seed: u64) -> Vec<Member> {
    let mut members = Vec::new();
    for CastEntry { count, role, program, arrive, fill } in &take.cast {
        let count = match count {
            Count::Exactly(count) => *count,
            Count::Knob(name) => match globals.get(name) {
                Some(Global::Number(n)) => u16::try_from(*n).unwrap_or_default(),
                _ => 0,
            },
        };
        for _ in 0..count {
            let mut stream = Stream::new(seed, members.len() as u64, Purpose::Arrival);
            let micros = stream.between(arrive.0.as_micros(), arrive.1.as_micros());
            let arrives = LabTime::from_micros(micros);
            members.push(Member { role: *role, program: *program, arrives, fill: *fill });
        }
    }
    members.sort_by_key(|member| member.arrives);
    members
}

fn fault(entry: &FaultEntry) -> Fault {
    let (harm, when) = match entry {
        FaultEntry::Crash { worker, when } => (Harm::Crash(*worker), when),
        FaultEntry::Drop { worker, when } => (Harm::DropConnection(*worker), when),
        FaultEntry::LoseReply { worker, when } => (Harm::LoseReply(*worker), when),
        FaultEntry::Pause { worker, when, lasts } => (Harm::Pause(*worker, *lasts), when),
        FaultEntry::DatabaseFails { when, lasts } => (Harm::DatabaseFails(*lasts), when),
    };
    Fault { harm, when: when.clone() }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
