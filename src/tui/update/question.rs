//! Answering, or asking just to be shown.

use crate::tui::answers::{Answer, Asking, Sighting, Sureness};
use crate::tui::effect::Effect;
use crate::tui::scroll::Scroll;
use crate::tui::session::{Motion, Session};

pub(super) fn answer(session: &mut Session, digit: u8) -> Vec<Effect> {
    if let Some((beat, seen)) = session.asked_what_was_seen() {
        let chosen = usize::from(digit).checked_sub(1).filter(|chosen| *chosen < seen.sights.len());
        return saw(session, beat, chosen.map(Sighting::Chosen));
    }
    let Some((beat, prediction)) = session.asked() else { return Vec::new() };
    let choices = prediction.choices.len();
    match session.asking {
        Asking::Choosing if (1..=choices).contains(&usize::from(digit)) => {
            session.asking = Asking::Sure(usize::from(digit) - 1);
        }
        Asking::Sure(choice) => {
            let sureness = match digit {
                1 => Sureness::Guess,
                2 => Sureness::ThinkSo,
                3 => Sureness::Certain,
                _ => return Vec::new(),
            };
            session.answers.predicted[beat] = Some(Answer::Chosen(choice, sureness));
            session.asking = Asking::No;
            session.motion = Motion::Playing;
        }
        _ => {}
    }
    Vec::new()
}

pub(super) fn pass_over(session: &mut Session) -> Vec<Effect> {
    if let Some((beat, _)) = session.asked_what_was_seen() {
        return saw(session, beat, Some(Sighting::PassedOver));
    }
    if let Some((beat, _)) = session.asked() {
        session.answers.predicted[beat] = Some(Answer::PassedOver);
        session.asking = Asking::No;
        session.motion = Motion::Playing;
    }
    Vec::new()
}

/// The text of the beat may be read now.
fn saw(session: &mut Session, beat: usize, sighting: Option<Sighting>) -> Vec<Effect> {
    session.answers.seen[beat] = sighting;
    session.story_scroll = Scroll::default();
    Vec::new()
}
