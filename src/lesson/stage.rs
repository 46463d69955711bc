//! From a take, knobs and a seed to the lab's setup.

use std::collections::BTreeMap;

use super::model::{CastEntry, Count, FaultEntry, Knob, Lesson, Take, Timeout};
use crate::lab::{
    AppSetup, Bytes, Fault, Fleet, Global, Harm, Keys, LabTime, Member, Program, Purpose, Role, Setup, Span,
    Stream, guarded,
};

/// What the learner turned, by name.
pub type Knobs = BTreeMap<String, i64>;

/// From a worker to Redis and back: a server in the same data centre.
const ROUND_TRIP: Span = Span::from_millis(1);

/// How long a worker waits for a reply before it gives up.
const REPLY_TIMEOUT: Span = Span::from_millis(500);

/// Scripts that programs know by name.
const SCRIPTS: &[(&str, &str)] = &[
    ("extend", include_str!("../../assets/scripts/extend.lua")),
    ("release", include_str!("../../assets/scripts/release.lua")),
    ("settle", include_str!("../../assets/scripts/settle.lua")),
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

    /// Everything the lab needs to run this take. Knobs that are not in `knobs` stand where the take has them; `prefix` goes
    /// before every key.
    pub fn stage(&self, take: usize, knobs: &Knobs, seed: u64, prefix: &str) -> Setup {
        let mut setting = self.setting(take);
        setting.extend(knobs.iter().map(|(name, value)| (name.clone(), *value)));
        let mut globals: BTreeMap<String, Global> =
            setting.into_iter().map(|(name, value)| (name, Global::Number(value))).collect();
        let take = &self.takes[take];
        let app = self.app(&globals);
        let cast = cast(take, &globals, seed, app.processes);
        let reply_timeout = timeout(take, &globals);
        for (name, script) in SCRIPTS {
            globals.insert((*name).to_owned(), Global::Text((*script).to_owned()));
        }
        // A knob may have left away the worker that a fault is for.
        let present = |fault: &Fault| fault.harm.worker().is_none_or(|id| id.index() < cast.len());
        let prefixed = |key: &Bytes| Bytes::from(format!("{prefix}{key}"));
        let faults = take.faults.iter().map(|entry| fault(entry, prefixed)).filter(present).collect();
        let keys = Keys {
            value: prefixed(&self.keys.value),
            lock: self.keys.lock.as_ref().map(prefixed),
            catalogue: self.keys.catalogue.iter().map(prefixed).collect(),
            others: self.keys.others.iter().map(|(name, key)| (name.clone(), prefixed(key))).collect(),
        };
        let fleet = Fleet::new(globals.clone());
        let staged = |program: &Program| {
            let native = guarded::native(&program.name, &fleet);
            Program { native, ..program.clone() }
        };
        let programs: Vec<Program> = self.programs.iter().map(staged).collect();
        let runs_guard = programs.iter().any(|program| program.native.is_some());
        Setup {
            lesson: self.slug.clone(),
            take: take.name.clone(),
            scripts: if runs_guard { guarded::SCRIPTS.to_vec() } else { Vec::new() },
            seed,
            keys,
            globals,
            programs,
            cast,
            database: self.database.clone(),
            app,
            faults,
            round_trip: ROUND_TRIP,
            reply_timeout,
            schedule: Vec::new(),
            repair: None,
            ends: take.ends,
        }
    }

    fn app(&self, globals: &BTreeMap<String, Global>) -> AppSetup {
        AppSetup {
            processes: count(&self.processes, globals).max(1),
            threads: self.threads.as_ref().map(|threads| count(threads, globals)),
        }
    }
}

/// The workers in order of arrival. Each member draws from a stream of its own, so that one reader more changes
/// nothing for the others.
fn cast(take: &Take, globals: &BTreeMap<String, Global>, seed: u64, processes: u16) -> Vec<Member> {
    let mut members = Vec::new();
    for entry in &take.cast {
        for number in 0..count(&entry.count, globals) {
            let mut stream = Stream::new(seed, members.len() as u64, Purpose::Arrival);
            let arrives = match entry.every {
                Some(apart) => entry.arrive.0 + Span::from_micros(apart.as_micros() * u64::from(number)),
                None => drawn(entry, &mut stream),
            };
            members.push(Member {
                role: entry.role,
                program: entry.program,
                arrives,
                fill: entry.fill,
                process: 0,
                patience: entry.patience,
                clock_ahead: entry.clock_ahead,
                product: entry.each_product.then_some(number),
            });
        }
    }
    members.sort_by_key(|member| member.arrives);
    // A balancer that deals the requests out in turn.
    let requests = members.iter_mut().filter(|member| member.role == Role::Reader);
    for (member, process) in requests.zip((0..processes.max(1)).cycle()) {
        member.process = process;
    }
    members
}

fn drawn(entry: &CastEntry, stream: &mut Stream) -> LabTime {
    LabTime::from_micros(stream.between(entry.arrive.0.as_micros(), entry.arrive.1.as_micros()))
}

fn count(count: &Count, globals: &BTreeMap<String, Global>) -> u16 {
    match count {
        Count::Exactly(count) => *count,
        Count::Knob(name) => u16::try_from(number(name, globals)).unwrap_or_default(),
    }
}

fn timeout(take: &Take, globals: &BTreeMap<String, Global>) -> Span {
    match &take.timeout {
        None => REPLY_TIMEOUT,
        Some(Timeout::Exactly(span)) => *span,
        Some(Timeout::Knob(name)) => Span::from_millis(number(name, globals).unsigned_abs()),
    }
}

fn number(knob: &str, globals: &BTreeMap<String, Global>) -> i64 {
    match globals.get(knob) {
        Some(Global::Number(n)) => *n,
        _ => 0,
    }
}

fn fault(entry: &FaultEntry, prefixed: impl Fn(&Bytes) -> Bytes) -> Fault {
    let (harm, when) = match entry {
        FaultEntry::Crash { worker, when } => (Harm::Crash(*worker), when),
        FaultEntry::CrashProcess { process, when } => (Harm::CrashProcess(*process), when),
        FaultEntry::Drop { worker, when } => (Harm::DropConnection(*worker), when),
        FaultEntry::LoseReply { worker, when } => (Harm::LoseReply(*worker), when),
        FaultEntry::Pause { worker, when, lasts } => (Harm::Pause(*worker, *lasts), when),
        FaultEntry::DatabaseFails { when, lasts } => (Harm::DatabaseFails(*lasts), when),
        FaultEntry::RedisDown { when, lasts } => (Harm::RedisDown(*lasts), when),
        FaultEntry::RedisSlow { when, lasts, trip } => (Harm::RedisSlow(*trip, *lasts), when),
        FaultEntry::Failover { when, loses } => (Harm::Failover(loses.iter().map(prefixed).collect()), when),
    };
    Fault { harm, when: when.clone() }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
