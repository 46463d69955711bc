//! What a lesson is made of.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::expr::Expr;
use super::prose::{Prose, Sentence};
use super::study::Study;
use super::survey::Survey;
use super::trial::Trial;
use crate::lab::{Bytes, DatabaseSetup, Keys, LabTime, Moment, Program, Role, Span, WorkerId, World};

/// A lesson, checked and ready to be staged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The folder's name, like `04-wrong-release`.
    pub slug: String,
    pub title: String,
    /// The question it answers.
    pub question: String,
    pub minutes: u32,
    /// What broke, for whom.
    pub hook: Prose,
    pub keys: Keys,
    pub knobs: Vec<Knob>,
    pub database: DatabaseSetup,
    pub processes: Count,
    /// Request threads of a process; `None` for as many as come.
    pub threads: Option<Count>,
    pub programs: Vec<Program>,
    pub takes: Vec<Take>,
    pub study: Study,
    pub survey: Option<Survey>,
    pub trial: Trial,
}

/// A number the learner turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knob {
    /// The global that programs see.
    pub name: String,
    pub label: String,
    pub default: i64,
    pub min: i64,
    pub max: i64,
    pub step: i64,
    /// What the number counts: `ms`, `s`, or nothing.
    pub unit: String,
}

/// One variant of a lesson that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Take {
    pub name: String,
    pub title: String,
    /// True for a way that is right, false for one that shows a mistake.
    pub sound: bool,
    /// Its main program, by its place in the lesson's.
    pub program: usize,
    /// What not every server has.
    pub needs: Option<Need>,
    /// Its end tells which newer ways to compare and delete the server has.
    pub looks_at_server: bool,
    pub intro: Prose,
    pub cast: Vec<CastEntry>,
    /// Where knobs stand in this take, when it is not their default.
    pub knobs: BTreeMap<String, i64>,
    /// When the run ends, if not by itself before.
    pub ends: Option<LabTime>,
    pub timeout: Option<Timeout>,
    pub faults: Vec<FaultEntry>,
    pub claims: Vec<Claim>,
    pub beats: Vec<Beat>,
}

/// What a take needs of its server, beyond what all have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    /// A node of a cluster.
    Cluster,
    /// `DELIFEQ`.
    CompareAndDelete,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cluster => "a server in cluster mode",
            Self::CompareAndDelete => "a server with DELIFEQ (Valkey 9.0 and later)",
        })
    }
}

/// Some workers that arrive together or one by one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CastEntry {
    pub count: Count,
    pub role: Role,
    pub program: usize,
    /// They arrive between these two times, drawn from the seed.
    pub arrive: (LabTime, LabTime),
    pub fill: Option<Span>,
    /// They come this far apart, from the first time on.
    pub every: Option<Span>,
    pub patience: Option<Span>,
    pub clock_ahead: Option<Span>,
    /// Each works for another product of the catalogue.
    pub each_product: bool,
}

/// How long `send` waits for a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Timeout {
    Exactly(Span),
    /// What this knob says, in milliseconds.
    Knob(String),
}

/// How many: a number, or what a knob says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    Exactly(u16),
    Knob(String),
}

/// What goes wrong, as the file says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultEntry {
    Crash { worker: WorkerId, when: Moment },
    CrashProcess { process: u16, when: Moment },
    Drop { worker: WorkerId, when: Moment },
    LoseReply { worker: WorkerId, when: Moment },
    Pause { worker: WorkerId, when: Moment, lasts: Span },
    DatabaseFails { when: Moment, lasts: Span },
    RedisDown { when: Moment, lasts: Span },
    RedisSlow { when: Moment, lasts: Span, trip: Span },
    Failover { when: Moment, loses: Vec<Bytes> },
}

/// A sentence that must be true of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub text: Sentence,
    pub when: ClaimTime,
    pub expr: Expr,
}

/// When a claim must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimTime {
    /// After every event.
    Always,
    /// When the run has ended.
    AtEnd,
    /// At one moment at least.
    Once,
}

/// A stretch of a take: it runs until its moment comes, and its prose explains what is on screen then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    pub title: String,
    pub until: Expr,
    /// Asked before the beat runs.
    pub prediction: Option<Prediction>,
    /// Asked after it, before the prose explains.
    pub seen: Option<Seen>,
    pub prose: Prose,
}

/// A question about what the run has just shown; the answer is on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub question: Sentence,
    pub sights: Vec<Sight>,
}

impl Seen {
    /// Which of it is there in `world`, in order.
    pub fn there(&self, world: &World) -> Vec<bool> {
        self.sights.iter().map(|sight| sight.when.holds(world)).collect()
    }

    /// How much of it is there; one thing, in a lesson that is as it is written.
    pub fn count(&self, world: &World) -> usize {
        self.sights.iter().filter(|sight| sight.when.holds(world)).count()
    }
}

/// What may have been there to be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    pub text: Sentence,
    /// True at the end of the beat if it was.
    pub when: Expr,
}

/// A question asked before the run shows the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    pub question: Sentence,
    pub choices: Vec<Choice>,
}

/// A possible answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub text: Sentence,
    pub right: bool,
    /// What must be true at the end of the beat for it to be right: the run decides, not the author.
    pub when: Expr,
    /// Why it is right, or wrong.
    pub because: Sentence,
}

impl Lesson {
    /// The number its name begins with.
    pub fn number(&self) -> u32 {
        let digits: String = self.slug.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    }

    pub fn take(&self, name: &str) -> Option<(usize, &Take)> {
        self.takes.iter().enumerate().find(|(_, take)| take.name == name)
    }

    /// What a take needs of its server.
    pub fn need(&self, take: usize) -> Option<Need> {
        self.takes.get(take)?.needs
    }

    /// Each knob's value in this take when nobody has turned it.
    pub fn setting(&self, take: usize) -> BTreeMap<String, i64> {
        let own = self.takes.get(take).map(|take| &take.knobs);
        let value = |knob: &Knob| own.and_then(|own| own.get(&knob.name)).copied().unwrap_or(knob.default);
        self.knobs.iter().map(|knob| (knob.name.clone(), value(knob))).collect()
    }
}
