//! Something that goes wrong once: what, and when.

use std::fmt;
use std::str::FromStr;

use super::harm::Harm;
use super::moment::Moment;

/// One thing that goes wrong once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub harm: Harm,
    pub when: Moment,
}

/// `A crash after SET`, as [`Fault::from_str`] reads it.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.harm, self.when.written())
    }
}

/// Why a text is not a fault.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is no fault; expected what goes wrong and when, like `A crash after SET`, `B pause 4s after GET 2` or `redis down 2s at 1s`"
)]
pub struct FaultError(String);

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        // A key may be called `at`, so the moment is looked for from the end.
        let words = ["at ", "before ", "executed ", "after "];
        let starts = words.iter().filter_map(|word| text.rfind(&format!(" {word}")));
        let read = |at: usize| {
            let (harm, when) = text.split_at(at);
            Some(Self { harm: harm.parse().ok()?, when: when.trim_start().parse().ok()? })
        };
        starts.max().and_then(read).ok_or_else(|| FaultError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_reads_what_it_writes() {
        for text in
            ["A crash after SET", "failover at at 3s", "B pause 4s executed QUERY 2", "redis down 2s at 1s"]
        {
            assert_eq!(text.parse::<Fault>().unwrap().to_string(), text);
        }
        for wrong in ["A crash", "after SET", "A crash after", "A sulks at 3s"] {
            assert!(wrong.parse::<Fault>().is_err(), "{wrong}");
        }
    }
}
