//! Lessons that were changed while one of them was being played.

use std::sync::Arc;

use super::runs::begin_at;
use crate::judge::Order;
use crate::tui::effect::Effect;
use crate::tui::model::{Model, Popup};
use crate::tui::watch::Reloaded;

/// Takes the lessons as they are now, and plays the take on the screen from its start up to the step that was shown. With a
/// mistake in them all stays as it is, and the mistake is shown until it is mended.
pub(super) fn reload(model: &mut Model, lessons: Reloaded) -> Vec<Effect> {
    let lessons = match lessons {
        Ok(lessons) => lessons,
        Err(mistake) => {
            model.popup = Some(Popup::Mistake(mistake));
            return Vec::new();
        }
    };
    if matches!(model.popup, Some(Popup::Mistake(_))) {
        model.popup = None;
    }
    model.lessons = lessons;
    let Some(session) = &model.session else { return Vec::new() };
    let found = model.lessons.iter().find(|lesson| lesson.slug == session.lesson().slug);
    let Some(lesson) = found.cloned() else { return Vec::new() };
    let take = lesson.take(&session.take().name).map_or(0, |(take, _)| take);
    let mut knobs = session.order.knobs.clone();
    knobs.retain(|name, value| {
        lesson.knobs.iter().any(|knob| knob.name == *name && (knob.min..=knob.max).contains(value))
    });
    let order = Order { lesson: Arc::clone(&lesson), take, knobs, ..session.order.clone() };
    let (step, answers) = (session.cursor, session.answers.clone());
    let ground = model.ground;
    let effects = begin_at(model, order, step, &answers);
    model.ground = ground;
    model.notice = Some("read again".to_owned());
    effects
}
