//! The front matter as it is written, before anything is checked against anything else.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::lab::{Moment, Role, Span};

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
    pub(super) takes: Vec<TakeFront>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeysFront {
    pub(super) value: String,
    pub(super) lock: Option<String>,
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
    pub(super) cast: Spanned<Vec<CastFront>>,
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

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OptionFront {
    pub(super) text: Spanned<String>,
    #[serde(default)]
    pub(super) right: bool,
    pub(super) when: Spanned<String>,
    pub(super) because: Spanned<String>,
}
