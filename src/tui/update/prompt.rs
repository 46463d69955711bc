//! Messages while the learner types a command.

use super::dispatch::pause;
use super::levers::{NOT_IN_THE_PAST, pull};
use super::typing;
use crate::lab::{Bytes, Command, Lever};
use crate::tui::effect::Effect;
use crate::tui::manual;
use crate::tui::message::Message;
use crate::tui::model::{Model, Popup};
use crate::tui::prompt::Prompt;

pub(super) fn open_prompt(model: &mut Model) -> Vec<Effect> {
    pause(model);
    let Some(session) = &model.session else { return Vec::new() };
    if session.is_live() {
        model.popup = Some(Popup::Prompt(Box::default()));
    } else {
        model.notice = Some(NOT_IN_THE_PAST.to_owned());
    }
    Vec::new()
}

pub(super) fn in_prompt(model: &mut Model, message: &Message) -> Vec<Effect> {
    let keys = keys(model);
    let Some(Popup::Prompt(prompt)) = &mut model.popup else { return Vec::new() };
    match message {
        Message::Up | Message::Down => prompt.recall(&model.typed, matches!(message, Message::Up)),
        Message::Complete => {
            let names: Vec<String> = keys.iter().map(Bytes::to_string).collect();
            prompt.complete(&names);
        }
        Message::Accept => return enter(model, &keys),
        message => {
            if let Some(request) = typing::request(message) {
                prompt.edit(request);
            }
        }
    }
    Vec::new()
}

/// The lesson's keys, as this run has them.
fn keys(model: &Model) -> Vec<Bytes> {
    let opening = model.session.as_ref().and_then(|session| session.world.opening.as_ref());
    opening.map_or_else(Vec::new, |opening| opening.keys.all())
}

fn enter(model: &mut Model, keys: &[Bytes]) -> Vec<Effect> {
    let private = model.server.as_ref().is_none_or(|server| server.private);
    let Some(Popup::Prompt(prompt)) = &mut model.popup else { return Vec::new() };
    let line = prompt.input.value().trim().to_owned();
    if line.is_empty() {
        return Vec::new();
    }
    **prompt = Prompt::default();
    if model.typed.last() != Some(&line) {
        model.typed.push(line.clone());
    }
    if let Some(wanted) = line.split_whitespace().next().filter(|word| word.eq_ignore_ascii_case("help")) {
        prompt.told = help(line.get(wanted.len()..).unwrap_or_default().trim());
        return Vec::new();
    }
    let command = match line.parse::<Command>() {
        Ok(command) => command,
        Err(error) => {
            prompt.told = vec![error.to_string()];
            prompt.set(&line);
            return Vec::new();
        }
    };
    if let Err(refusal) = command.check_typed(keys, private) {
        prompt.told = vec![refusal.to_string()];
        return Vec::new();
    }
    pull(model, Lever::Type(command))
}

/// What `help` answers.
fn help(wanted: &str) -> Vec<String> {
    if wanted.is_empty() {
        let names: Vec<_> = manual::entries().iter().map(|entry| entry.name.as_str()).collect();
        return vec!["help COMMAND tells of a command; these are known here:".to_owned(), names.join(" ")];
    }
    match manual::entry(wanted) {
        Some(entry) => {
            vec![entry.syntax.clone(), entry.does.clone(), format!("since {}, {}", entry.since, entry.cost)]
        }
        None => {
            vec![format!("nothing is known here of {}; it can be sent all the same", wanted.to_uppercase())]
        }
    }
}
