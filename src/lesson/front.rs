//! The front matter as it is written, before anything is checked against anything else.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::model::Need;
use super::trial::{Binds, Trouble};
use crate::lab::{Intervention, Moment, Role, Span};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Front {
    pub(super) title: String,
    pub(super) question: String,
    pub(super) minutes: u32,
    pub(super) keys: KeysFront,
    #[serde(default)]
    pub(super) knobs: BTreeMap<String, KnobFront>,
    pub(super) database: DatabaseFront,
    #[serde(default)]
    pub(super) app: AppFront,
    pub(super) survey: Option<SurveyFront>,
    pub(super) takes: Vec<TakeFront>,
}

/// Runs over a range of a knob's values.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SurveyFront {
    pub(super) knob: Spanned<String>,
    pub(super) values: Spanned<Vec<i64>>,
    pub(super) seeds: u64,
    /// The take whose queries are counted by how long they took.
    pub(super) fills: Spanned<String>,
    pub(super) curves: Vec<CurveFront>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CurveFront {
    pub(super) label: String,
    pub(super) take: Spanned<String>,
    pub(super) value: Spanned<String>,
    pub(super) of: Option<Spanned<String>>,
    pub(super) seeds: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeysFront {
    pub(super) value: String,
    pub(super) lock: Option<String>,
    /// Many products, for lessons about many keys.
    pub(super) catalogue: Option<CatalogueFront>,
    /// Further keys, by the names that programs have for them.
    #[serde(default)]
    pub(super) also: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CatalogueFront {
    pub(super) prefix: String,
    pub(super) count: u16,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AppFront {
    pub(super) processes: Option<Spanned<CountFront>>,
    pub(super) threads: Option<Spanned<CountFront>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnobFront {
    pub(super) label: String,
    pub(super) default: Spanned<i64>,
    pub(super) min: i64,
    pub(super) max: i64,
    #[serde(default = "one")]
    pub(super) step: i64,
    #[serde(default)]
    pub(super) unit: String,
}

fn one() -> i64 {
    1
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DatabaseFront {
    pub(super) schema: Spanned<String>,
    #[serde(default)]
    pub(super) truth: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) watch: Option<Spanned<String>>,
    pub(super) pool: Spanned<usize>,
    pub(super) p50: Span,
    pub(super) p99: Span,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TakeFront {
    pub(super) name: Spanned<String>,
    pub(super) title: String,
    pub(super) sound: bool,
    pub(super) program: Spanned<String>,
    pub(super) needs: Option<Need>,
    /// Its end tells which newer ways to compare and delete the server has.
    #[serde(default)]
    pub(super) looks_at_server: bool,
    pub(super) cast: Spanned<Vec<CastFront>>,
    /// Knobs that stand elsewhere in this take than in the others.
    #[serde(default)]
    pub(super) knobs: BTreeMap<String, Spanned<i64>>,
    /// When the run ends, if not by itself before.
    pub(super) ends: Option<Span>,
    /// How long `send` waits: a span, or a knob that gives milliseconds.
    pub(super) timeout: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) faults: Vec<Spanned<FaultFront>>,
    pub(super) claims: Spanned<Vec<Spanned<ClaimFront>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CastFront {
    #[serde(default = "one_worker")]
    pub(super) count: CountFront,
    #[serde(default)]
    pub(super) role: Role,
    /// Its own program instead of the take's.
    pub(super) program: Option<Spanned<String>>,
    pub(super) at: Spanned<String>,
    pub(super) fill: Option<Span>,
    /// They come one by one, this far apart.
    pub(super) every: Option<Span>,
    pub(super) patience: Option<Span>,
    pub(super) clock_ahead: Option<Span>,
    /// Each works for another product of the catalogue.
    #[serde(default)]
    pub(super) each_product: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a number of workers, or the name of a knob")]
pub(super) enum CountFront {
    Exactly(u16),
    Knob(String),
}

fn one_worker() -> CountFront {
    CountFront::Exactly(1)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultFront {
    pub(super) worker: Option<Spanned<String>>,
    pub(super) crash: Option<Moment>,
    pub(super) drop_connection: Option<Moment>,
    pub(super) lose_reply: Option<Moment>,
    pub(super) pause: Option<Moment>,
    pub(super) database_fails: Option<Moment>,
    pub(super) crash_process: Option<Moment>,
    /// Which one, from 1.
    pub(super) process: Option<u16>,
    pub(super) redis_down: Option<Moment>,
    pub(super) redis_slow: Option<Moment>,
    /// How long a command then takes to the server and back.
    pub(super) trip: Option<Span>,
    pub(super) failover: Option<Moment>,
    /// What the new server has not heard of: `value`, `lock`, or a name of `also`.
    #[serde(default)]
    pub(super) loses: Vec<Spanned<String>>,
    pub(super) lasts: Option<Span>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimFront {
    pub(super) text: Spanned<String>,
    pub(super) always: Option<Spanned<String>>,
    pub(super) end: Option<Spanned<String>>,
    pub(super) once: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeatFront {
    pub(super) until: Spanned<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PredictFront {
    pub(super) question: Spanned<String>,
    pub(super) options: Spanned<Vec<OptionFront>>,
}

/// What was there to be seen.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SeenFront {
    pub(super) question: Spanned<String>,
    pub(super) options: Spanned<Vec<SightFront>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SightFront {
    pub(super) text: Spanned<String>,
    pub(super) when: Spanned<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionFront {
    pub(super) text: Spanned<String>,
    #[serde(default)]
    pub(super) right: bool,
    pub(super) when: Spanned<String>,
    pub(super) because: Spanned<String>,
}

/// `study.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StudyFront {
    pub(super) say: Option<SayFront>,
    #[serde(default)]
    pub(super) cards: Vec<CardFront>,
    #[serde(default)]
    pub(super) goals: Vec<GoalFront>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SayFront {
    pub(super) question: String,
    pub(super) points: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CardFront {
    pub(super) id: Spanned<String>,
    pub(super) ask: String,
    pub(super) tell: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoalFront {
    pub(super) text: String,
    pub(super) take: Spanned<String>,
    pub(super) when: Spanned<String>,
    #[serde(default)]
    pub(super) by: BTreeMap<String, Spanned<i64>>,
    #[serde(default)]
    pub(super) hand: Vec<Intervention>,
}

/// `trial.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrialFront {
    #[serde(default)]
    pub(super) laws: Vec<Spanned<LawFront>>,
    #[serde(default)]
    pub(super) breaks: Vec<BreakFront>,
    pub(super) workers: Option<usize>,
    #[serde(default)]
    pub(super) setting: BTreeMap<String, Spanned<i64>>,
    #[serde(default)]
    pub(super) spared: Vec<Trouble>,
    pub(super) repair: Option<RepairFront>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LawFront {
    #[serde(default)]
    pub(super) binds: Binds,
    pub(super) text: Spanned<String>,
    pub(super) always: Option<Spanned<String>>,
    pub(super) end: Option<Spanned<String>>,
}

/// How many things must go wrong before a take breaks a law.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BreakFront {
    pub(super) take: Spanned<String>,
    pub(super) by: usize,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RepairFront {
    pub(super) task: String,
    pub(super) take: Spanned<String>,
    pub(super) program: Spanned<String>,
    pub(super) solution: Spanned<String>,
    pub(super) hints: Spanned<Vec<String>>,
}
