//! What all takes of a lesson share: keys, knobs, the database and the application.

use toml::Spanned;

use super::read::Loader;
use crate::lab::{Bytes, DatabaseSetup, Keys};
use crate::lesson::error::LessonError;
use crate::lesson::front::{CountFront, Front};
use crate::lesson::model::{Count, Knob};

/// What programs find under these names already.
const TAKEN: &[&str] = &[
    "and",
    "assert",
    "background",
    "break",
    "catalogue",
    "db",
    "degrade",
    "do",
    "else",
    "elseif",
    "end",
    "error",
    "exponential",
    "extend",
    "fail",
    "false",
    "for",
    "function",
    "if",
    "in",
    "ipairs",
    "jitter",
    "key",
    "local",
    "lock",
    "math",
    "next",
    "nil",
    "not",
    "note",
    "now",
    "or",
    "pairs",
    "pcall",
    "permit",
    "print",
    "release",
    "repeat",
    "replace",
    "return",
    "select",
    "send",
    "serve",
    "setmetatable",
    "settle",
    "singleflight",
    "sleep",
    "stale",
    "string",
    "table",
    "then",
    "token",
    "tonumber",
    "tostring",
    "true",
    "try_send",
    "type",
    "unpack",
    "until",
    "while",
];

impl Loader<'_> {
    pub(super) fn knobs(&self, front: &Front) -> Result<Vec<Knob>, LessonError> {
        let mut knobs = Vec::new();
        for (name, knob) in &front.knobs {
            let default = *knob.default.get_ref();
            let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            if !plain || TAKEN.contains(&name.as_str()) {
                let message = format!("`{name}` cannot be the name of a knob: programs see it as a global");
                return Err(self.at(
                    &knob.default.span(),
                    message,
                    "a name of lower-case letters that nothing else has",
                ));
            }
            if default < knob.min || default > knob.max {
                let expected = format!("a number from {} to {}", knob.min, knob.max);
                return Err(self.at(
                    &knob.default.span(),
                    format!("{default} is outside the knob's own range"),
                    expected,
                ));
            }
            knobs.push(Knob {
                name: name.clone(),
                label: knob.label.clone(),
                default,
                min: knob.min,
                max: knob.max,
                step: knob.step.max(1),
                unit: knob.unit.clone(),
            });
        }
        Ok(knobs)
    }

    pub(super) fn database(&self, front: &Front) -> Result<DatabaseSetup, LessonError> {
        let database = &front.database;
        if *database.pool.get_ref() == 0 {
            return Err(self.at(&database.pool.span(), "a pool needs a connection", "a number from 1 up"));
        }
        let mut setup = DatabaseSetup {
            schema: database.schema.get_ref().clone(),
            truth: None,
            watch: None,
            pool: *database.pool.get_ref(),
            p50: database.p50,
            p99: database.p99,
        };
        let runs = "SQL that SQLite runs";
        setup.check().map_err(|error| self.at(&database.schema.span(), error.to_string(), runs))?;
        if let Some(truth) = &database.truth {
            setup.truth = Some(truth.get_ref().clone());
            let reads = "SQL that reads what the cached value ought to be";
            setup.check().map_err(|error| self.at(&truth.span(), error.to_string(), reads))?;
        }
        if let Some(watch) = &database.watch {
            setup.watch = Some(watch.get_ref().clone());
            let reads = "SQL that reads one number";
            setup.check().map_err(|error| self.at(&watch.span(), error.to_string(), reads))?;
        }
        Ok(setup)
    }

    pub(super) fn keys(&self, front: &Front, knobs: &[String]) -> Result<Keys, LessonError> {
        let mut keys = Keys::new(front.keys.value.as_str(), front.keys.lock.as_deref().map(Bytes::from));
        for (name, key) in &front.keys.also {
            if TAKEN.contains(&name.as_str()) || knobs.contains(name) {
                return Err(LessonError::of_file(
                    self.source.path,
                    format!("`{name}` cannot be the name of a key: programs see it as a global"),
                    "a name under [keys.also] that nothing else has",
                ));
            }
            keys.others.insert(name.clone(), key.as_str().into());
        }
        if let Some(catalogue) = &front.keys.catalogue {
            let name = |number| format!("{}{number}", catalogue.prefix).into();
            keys.catalogue = (1..=catalogue.count).map(name).collect();
        }
        Ok(keys)
    }

    pub(super) fn app(&self, front: &Front, knobs: &[Knob]) -> Result<(Count, Option<Count>), LessonError> {
        let read = |count: &Spanned<CountFront>| self.count(count.get_ref(), &count.span(), knobs);
        let processes = front.app.processes.as_ref().map(read).transpose()?;
        let threads = front.app.threads.as_ref().map(read).transpose()?;
        Ok((processes.unwrap_or(Count::Exactly(1)), threads))
    }
}
