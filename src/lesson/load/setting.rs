//! What all takes of a lesson share: knobs and the database.

use super::read::Loader;
use crate::lab::DatabaseSetup;
use crate::lesson::error::LessonError;
use crate::lesson::front::Front;
use crate::lesson::model::Knob;

impl Loader<'_> {
    pub(super) fn knobs(&self, front: &Front) -> Result<Vec<Knob>, LessonError> {
        let mut knobs = Vec::new();
        for (name, knob) in &front.knobs {
            let default = *knob.default.get_ref();
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
        let setup = DatabaseSetup {
            schema: database.schema.get_ref().clone(),
            pool: *database.pool.get_ref(),
            p50: database.p50,
            p99: database.p99,
        };
        match setup.check() {
            Ok(()) => Ok(setup),
            Err(error) => Err(self.at(&database.schema.span(), error.to_string(), "SQL that SQLite runs")),
        }
    }
}
