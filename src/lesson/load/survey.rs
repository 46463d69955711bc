//! The survey of a lesson.

use toml::Spanned;

use super::read::{Context, Loader};
use super::take::most;
use crate::lesson::error::{LessonError, did_you_mean};
use crate::lesson::expr::{Expr, Kind};
use crate::lesson::front::{CurveFront, SurveyFront};
use crate::lesson::model::{Knob, Take};
use crate::lesson::survey::{Curve, Survey};

impl Loader<'_> {
    pub(super) fn survey(
        &self,
        front: &SurveyFront,
        takes: &[Take],
        knobs: &[Knob],
    ) -> Result<Survey, LessonError> {
        let name = front.knob.get_ref();
        let Some(knob) = knobs.iter().find(|knob| knob.name == *name) else {
            let hint = did_you_mean(name, knobs.iter().map(|knob| knob.name.as_str()));
            return Err(self.at(&front.knob.span(), format!("there is no knob `{name}`"), hint));
        };
        let values = front.values.get_ref();
        if values.len() < 2 || values.iter().any(|value| *value < knob.min || *value > knob.max) {
            let expected = format!("two numbers or more from {} to {}", knob.min, knob.max);
            return Err(self.at(
                &front.values.span(),
                "these are no values to turn the knob through",
                expected,
            ));
        }
        let curve = |curve: &CurveFront| self.curve(curve, takes, knobs);
        Ok(Survey {
            knob: name.clone(),
            values: values.clone(),
            seeds: front.seeds.max(1),
            fills: self.take_named(&front.fills, takes)?,
            curves: front.curves.iter().map(curve).collect::<Result<_, _>>()?,
        })
    }

    fn curve(&self, front: &CurveFront, takes: &[Take], knobs: &[Knob]) -> Result<Curve, LessonError> {
        let take = self.take_named(&front.take, takes)?;
        let names: Vec<String> = knobs.iter().map(|knob| knob.name.clone()).collect();
        let cast = takes[take].cast.iter().map(|entry| most(&entry.count, knobs)).sum();
        let context = Context { knobs: &names, cast };
        let of = front.of.as_ref().map(|of| self.figure(of, &[Kind::Number], &context)).transpose()?;
        let kinds: &[Kind] = if of.is_some() { &[Kind::Number] } else { &[Kind::Time] };
        let value = self.figure(&front.value, kinds, &context)?;
        Ok(Curve { label: front.label.clone(), take, value, of, seeds: front.seeds })
    }

    fn figure(
        &self,
        text: &Spanned<String>,
        kinds: &[Kind],
        context: &Context<'_>,
    ) -> Result<Expr, LessonError> {
        let expr = self.expression(text, context)?;
        if kinds.contains(&expr.kind()) {
            return Ok(expr);
        }
        let expected = kinds.iter().map(Kind::to_string).collect::<Vec<_>>().join(" or ");
        Err(self.at(&text.span(), format!("this is {}", expr.kind()), expected))
    }
}
