//! Answering, or asking just to be shown.

use crate::tui::effect::Effect;
use crate::tui::session::{Answer, Asking, Motion, Session, Sureness};

pub(super) fn answer(session: &mut Session, digit: u8) -> Vec<Effect> {
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
            session.answers[beat] = Some(Answer::Chosen(choice, sureness));
            session.asking = Asking::No;
            session.motion = Motion::Playing;
        }
        _ => {}
    }
    Vec::new()
}

pub(super) fn pass_over(session: &mut Session) -> Vec<Effect> {
    if let Some((beat, _)) = session.asked() {
        session.answers[beat] = Some(Answer::PassedOver);
        session.asking = Asking::No;
        session.motion = Motion::Playing;
    }
    Vec::new()
}
