//! What goes wrong in a take.

use std::ops::Range;

use toml::Spanned;

use super::read::Loader;
use crate::lab::{Bytes, Keys, Moment, Span, WorkerId};
use crate::lesson::error::{LessonError, did_you_mean};
use crate::lesson::front::FaultFront;
use crate::lesson::model::FaultEntry;

/// The kinds of faults by the names that lessons give them, and when each is to happen.
fn kinds(fault: &FaultFront) -> [(&'static str, Option<&Moment>); 9] {
    [
        ("crash", fault.crash.as_ref()),
        ("crash_process", fault.crash_process.as_ref()),
        ("drop_connection", fault.drop_connection.as_ref()),
        ("lose_reply", fault.lose_reply.as_ref()),
        ("pause", fault.pause.as_ref()),
        ("database_fails", fault.database_fails.as_ref()),
        ("redis_down", fault.redis_down.as_ref()),
        ("redis_slow", fault.redis_slow.as_ref()),
        ("failover", fault.failover.as_ref()),
    ]
}

impl Loader<'_> {
    pub(super) fn fault(
        &self,
        entry: &Spanned<FaultFront>,
        cast: usize,
        keys: &Keys,
    ) -> Result<FaultEntry, LessonError> {
        let (fault, span) = (entry.get_ref(), entry.span());
        let kinds = kinds(fault);
        let given: Vec<_> = kinds.iter().filter_map(|(kind, when)| Some((*kind, (*when)?))).collect();
        let [(kind, when)] = given[..] else {
            let expected = format!("one of {}", kinds.map(|(kind, _)| kind).join(", "));
            return Err(self.at(&span, "a fault is one thing that goes wrong", expected));
        };
        self.may_happen(kind, when, &span)?;
        let when = when.clone();
        let lasts = || self.needed(fault.lasts, &span, "how long does this last?", "`lasts = \"1s\"`");
        match kind {
            "database_fails" => return Ok(FaultEntry::DatabaseFails { when, lasts: lasts()? }),
            "redis_down" => return Ok(FaultEntry::RedisDown { when, lasts: lasts()? }),
            "redis_slow" => {
                let asks = "how long does a command take then?";
                let trip = self.needed(fault.trip, &span, asks, "`trip = \"800ms\"`")?;
                return Ok(FaultEntry::RedisSlow { when, lasts: lasts()?, trip });
            }
            "crash_process" => {
                let asks = "which process?";
                let process = fault.process.filter(|process| *process > 0);
                let process =
                    process.ok_or_else(|| self.at(&span, asks, "`process = 1` or a higher number"))?;
                return Ok(FaultEntry::CrashProcess { process: process - 1, when });
            }
            "failover" => {
                let loses = fault.loses.iter().map(|name| self.key(name, keys)).collect::<Result<_, _>>()?;
                return Ok(FaultEntry::Failover { when, loses });
            }
            _ => {}
        }
        let worker = self.befallen(fault, &span, cast)?;
        Ok(match kind {
            "crash" => FaultEntry::Crash { worker, when },
            "drop_connection" => FaultEntry::Drop { worker, when },
            "lose_reply" => FaultEntry::LoseReply { worker, when },
            _ => FaultEntry::Pause { worker, when, lasts: lasts()? },
        })
    }

    fn may_happen(&self, kind: &str, when: &Moment, span: &Range<usize>) -> Result<(), LessonError> {
        let expected = match (kind, when) {
            ("lose_reply", Moment::Before(_) | Moment::After(_)) => "`executed SET` or `at 3s`",
            ("pause", Moment::Before(_)) => "`after GET`, `executed GET` or `at 3s`",
            ("crash" | "drop_connection" | "lose_reply" | "pause", _) | (_, Moment::At(_)) => return Ok(()),
            _ => "`at 3s`",
        };
        Err(self.at(span, "this fault cannot happen at that moment", expected))
    }

    fn befallen(
        &self,
        fault: &FaultFront,
        span: &Range<usize>,
        cast: usize,
    ) -> Result<WorkerId, LessonError> {
        let Some(name) = &fault.worker else {
            return Err(self.at(span, "whom does this befall?", "`worker = \"A\"`"));
        };
        match WorkerId::named(name.get_ref()) {
            Some(id) if id.index() < cast => Ok(id),
            _ => {
                let message = format!("there is no worker `{}`: the cast has {cast}", name.get_ref());
                Err(self.at(&name.span(), message, "a worker of this take, like `A`"))
            }
        }
    }

    fn needed(
        &self,
        given: Option<Span>,
        span: &Range<usize>,
        asks: &str,
        expected: &str,
    ) -> Result<Span, LessonError> {
        given.ok_or_else(|| self.at(span, asks, expected))
    }

    /// A key by the name that lessons have for it.
    fn key(&self, name: &Spanned<String>, keys: &Keys) -> Result<Bytes, LessonError> {
        let found = match name.get_ref().as_str() {
            "value" => Some(&keys.value),
            "lock" => keys.lock.as_ref(),
            other => keys.others.get(other),
        };
        found.cloned().ok_or_else(|| {
            let known = ["value", "lock"].into_iter().chain(keys.others.keys().map(String::as_str));
            let hint = did_you_mean(name.get_ref(), known);
            let expected =
                if hint.is_empty() { "value, lock, or a name of [keys.also]".to_owned() } else { hint };
            self.at(&name.span(), format!("this lesson has no key `{}`", name.get_ref()), expected)
        })
    }
}
