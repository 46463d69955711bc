//! What goes wrong in one run, on one line.

use std::fmt;
use std::str::FromStr;

use stampede::lab::{Fault, Harm, Moment};

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
        self.faults.iter().try_for_each(|fault| write!(f, "; {fault}"))
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
            match *part.split(' ').collect::<Vec<_>>() {
                ["cancel", worker, caller, polls] => {
                    let [worker, caller, polls] =
                        [worker, caller, polls].map(|word| word.parse().unwrap_or(0));
                    schedule.cancel = Some(Cancel { worker, caller, polls });
                }
                _ => schedule.faults.push(part.parse().map_err(|_| wrong(part))?),
            }
        }
        Ok(schedule)
    }
}
