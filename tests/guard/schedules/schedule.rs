//! What goes wrong in one run, on one line.

use std::fmt;
use std::str::FromStr;

use stampede::lab::{Fault, Harm, LabTime, Moment, Span, WorkerId};

/// How many configurations of the stage there are.
pub(crate) const CONFIGS: u64 = 6;

/// Everything that a run depends on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Schedule {
    pub(crate) config: u64,
    pub(crate) seed: u64,
    pub(crate) faults: Vec<Fault>,
    pub(crate) cancel: Option<Cancel>,
}

/// A caller who goes away after having been polled so many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cancel {
    pub(crate) worker: usize,
    pub(crate) caller: usize,
    pub(crate) polls: usize,
}

impl Schedule {
    pub(crate) fn calm(config: u64, seed: u64) -> Self {
        Self { config, seed, faults: Vec::new(), cancel: None }
    }

    pub(crate) fn with(&self, harm: Harm, when: Moment) -> Self {
        let mut schedule = self.clone();
        schedule.faults.push(Fault { harm, when });
        schedule
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.config, self.seed)?;
        if let Some(Cancel { worker, caller, polls }) = self.cancel {
            write!(f, "; cancel {worker} {caller} {polls}")?;
        }
        for fault in &self.faults {
            match &fault.harm {
                Harm::Crash(who) => write!(f, "; crash {who}")?,
                Harm::CrashProcess(process) => write!(f, "; crash process {process}")?,
                Harm::LoseReply(who) => write!(f, "; lose {who}")?,
                Harm::DropConnection(who) => write!(f, "; drop {who}")?,
                Harm::Pause(who, span) => write!(f, "; pause {who} {}", span.as_micros())?,
                Harm::RedisDown(span) => write!(f, "; down {}", span.as_micros())?,
                Harm::RedisSlow(trip, span) => {
                    write!(f, "; slow {} {}", trip.as_micros(), span.as_micros())?;
                }
                Harm::Failover(keys) => {
                    write!(f, "; failover")?;
                    keys.iter().try_for_each(|key| write!(f, " {key}"))?;
                }
                Harm::DatabaseFails(span) => write!(f, "; fails {}", span.as_micros())?,
            }
            match &fault.when {
                Moment::At(at) => write!(f, " @ at {}", at.as_micros())?,
                Moment::Before(nth) => write!(f, " @ before {} {}", nth.name, nth.nth)?,
                Moment::Executed(nth) => write!(f, " @ executed {} {}", nth.name, nth.nth)?,
                Moment::After(nth) => write!(f, " @ after {} {}", nth.name, nth.nth)?,
            }
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |part: &str| format!("`{part}` is no part of a schedule");
        let mut parts = text.split("; ");
        let head = parts.next().unwrap_or_default();
        let (config, seed) = head.split_once(' ').ok_or_else(|| wrong(head))?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong(text));
        let mut schedule = Self::calm(number(config)?, number(seed)?);
        for part in parts {
            let (harm, when) = part.split_once(" @ ").unwrap_or((part, ""));
            let words: Vec<&str> = harm.split(' ').collect();
            let who = |name: &str| WorkerId::named(name).ok_or_else(|| wrong(name));
            let span = |micros: &str| number(micros).map(Span::from_micros);
            let harm = match *words.as_slice() {
                ["cancel", worker, caller, polls] => {
                    let [worker, caller, polls] =
                        [worker, caller, polls].map(|word| word.parse().unwrap_or(0));
                    schedule.cancel = Some(Cancel { worker, caller, polls });
                    continue;
                }
                ["crash", name] => Harm::Crash(who(name)?),
                ["crash", "process", process] => {
                    Harm::CrashProcess(process.parse().map_err(|_| wrong(process))?)
                }
                ["lose", name] => Harm::LoseReply(who(name)?),
                ["drop", name] => Harm::DropConnection(who(name)?),
                ["pause", name, micros] => Harm::Pause(who(name)?, span(micros)?),
                ["down", micros] => Harm::RedisDown(span(micros)?),
                ["slow", trip, micros] => Harm::RedisSlow(span(trip)?, span(micros)?),
                ["failover", ref keys @ ..] => Harm::Failover(keys.iter().map(|key| (*key).into()).collect()),
                ["fails", micros] => Harm::DatabaseFails(span(micros)?),
                _ => return Err(wrong(part)),
            };
            let when = match when.strip_prefix("at ") {
                Some(micros) => Moment::At(LabTime::from_micros(number(micros)?)),
                None => when.parse().map_err(|_| wrong(when))?,
            };
            schedule.faults.push(Fault { harm, when });
        }
        Ok(schedule)
    }
}
