//! Many runs of one lesson while a knob is turned.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::order::{Order, run};
use crate::lab::{Fact, Span, Wire, World};
use crate::lesson::{Curve, Knobs, Lesson, Survey, Value};

/// What a survey found at one of its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub value: i64,
    /// By curve: a share from 0 to 1, or a mean in milliseconds.
    pub figures: Vec<f64>,
    /// How long the fills took, shortest first.
    pub fills: Vec<Span>,
}

/// Runs everything that one value needs. `wire` gives a line for each run.
///
/// # Errors
/// What stopped a run, in words.
pub fn survey(
    lesson: &Arc<Lesson>,
    survey: &Survey,
    value: i64,
    mut wire: impl FnMut(usize) -> Result<Box<dyn Wire>, String>,
) -> Result<Point, String> {
    let mut worlds: BTreeMap<usize, Vec<World>> = BTreeMap::new();
    let mut fills = Vec::new();
    let mut takes = BTreeMap::from([(survey.fills, survey.seeds)]);
    for curve in &survey.curves {
        let seeds = takes.entry(curve.take).or_default();
        *seeds = (*seeds).max(curve.seeds.unwrap_or(survey.seeds));
    }
    for (take, seeds) in takes {
        for seed in 1..=seeds {
            let knobs = Knobs::from([(survey.knob.clone(), value)]);
            let order = Order { knobs, ..Order::new(Arc::clone(lesson), take, seed) };
            let verdict =
                run(order, wire(take)?, &AtomicBool::new(false)).map_err(|error| error.to_string())?;
            if take == survey.fills {
                fills.extend(verdict.journal.iter().filter_map(|event| match event.fact {
                    Fact::QueryStarted { takes, .. } => Some(takes),
                    _ => None,
                }));
            }
            worlds.entry(take).or_default().push(World::after(&verdict.journal));
        }
    }
    fills.sort_unstable();
    let figures = survey.curves.iter().map(|curve| figure(curve, &worlds[&curve.take])).collect();
    Ok(Point { value, figures, fills })
}

fn figure(curve: &Curve, worlds: &[World]) -> f64 {
    let number = |value: Value| match value {
        Value::Number(n) => n as f64,
        Value::Time(micros) => micros as f64 / 1000.0,
        _ => 0.0,
    };
    let sum: f64 = worlds.iter().map(|world| number(curve.value.value(world))).sum();
    let whole: f64 = match &curve.of {
        Some(of) => worlds.iter().map(|world| number(of.value(world))).sum(),
        None => worlds.len() as f64,
    };
    sum / whole.max(1.0)
}
