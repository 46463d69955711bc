//! Rules of good lessons, beyond what loading insists on.

use super::model::{Lesson, Prediction, Take};
use super::prose::{Inline, Sentence};
use crate::lab::World;

/// The longest line of a program that its panel shows at 80x24.
const PROGRAM_WIDTH: usize = 41;

/// The longest option that fits two lines of the question panel at 80x24.
const OPTION_WIDTH: usize = 60;

/// How many points the rubric of an answer has.
const POINTS: std::ops::RangeInclusive<usize> = 3..=5;

/// How many cards a lesson leaves behind.
const CARDS: std::ops::RangeInclusive<usize> = 3..=5;

/// One fact: the most characters of a side.
const CARD_WIDTH: usize = 120;

/// The longest law that is read in a breath.
const LAW_WIDTH: usize = 110;

/// The most characters of an exercise's task that leave room for its laws.
const TASK_LIMIT: usize = 300;

/// The most characters of a hint.
const HINT_LIMIT: usize = 160;

/// What could be better; empty for a lesson that may ship.
pub fn lint(lesson: &Lesson) -> Vec<String> {
    let mut complaints = Vec::new();
    if lesson.hook.is_empty() {
        complaints
            .push("the hook is missing: say what broke, and for whom, before the first `# take`".to_owned());
    }
    let repair = lesson.trial.repair.iter().flat_map(|repair| [&repair.program, &repair.solution]);
    for program in lesson.programs.iter().chain(repair) {
        for (number, line) in (1..).zip(program.source.lines()) {
            if line.chars().count() > PROGRAM_WIDTH {
                complaints.push(format!(
                    "{}:{number} is {} characters wide; {PROGRAM_WIDTH} fit the panel",
                    program.name,
                    line.chars().count()
                ));
            }
        }
    }
    for take in &lesson.takes {
        lint_take(take, &mut complaints);
    }
    if !lesson.takes.iter().flat_map(|take| &take.beats).any(|beat| beat.seen.is_some()) {
        complaints.push("no beat has a ```seen block: what was there to be seen in the run?".to_owned());
    }
    lint_study(lesson, &mut complaints);
    lint_trial(lesson, &mut complaints);
    complaints
}

/// What is left of a lesson when it is over.
fn lint_study(lesson: &Lesson, complaints: &mut Vec<String>) {
    let study = &lesson.study;
    match &study.say {
        None => complaints.push("study.toml has no `[say]`: the question to answer aloud".to_owned()),
        Some(say) if !POINTS.contains(&say.points.len()) => {
            let (points, least, most) = (say.points.len(), POINTS.start(), POINTS.end());
            complaints.push(format!("`[say]` has {points} points; a minute has room for {least} to {most}"));
        }
        Some(_) => {}
    }
    if study.goals.is_empty() {
        complaints.push("study.toml has no `[[goals]]`: what is to be brought about?".to_owned());
    }
    if !CARDS.contains(&study.cards.len()) {
        let (cards, least, most) = (study.cards.len(), CARDS.start(), CARDS.end());
        complaints.push(format!("study.toml has {cards} cards; {least} to {most} are a lesson's worth"));
    }
    for card in &study.cards {
        let longest = card.ask.chars().count().max(card.tell.chars().count());
        if longest > CARD_WIDTH {
            complaints
                .push(format!("card `{}` has {longest} characters on a side; {CARD_WIDTH} fit", card.id));
        }
    }
}

/// What it is tried by, and what is to be repaired.
fn lint_trial(lesson: &Lesson, complaints: &mut Vec<String>) {
    let trial = &lesson.trial;
    if trial.laws.is_empty() {
        complaints.push("trial.toml has no `[[laws]]`: what must hold, whatever goes wrong?".to_owned());
    }
    for law in &trial.laws {
        if width(&law.claim.text) > LAW_WIDTH {
            let text = law.claim.text.text(&World::default());
            complaints.push(format!("the law “{text}” is longer than {LAW_WIDTH} characters"));
        }
    }
    let unsaid = |(index, take): &(usize, &Take)| !take.sound && !trial.breaks.contains_key(index);
    for (_, take) in lesson.takes.iter().enumerate().filter(unsaid) {
        let name = &take.name;
        complaints.push(format!(
            "take `{name}` shows a mistake: say in `[[breaks]]` how little breaks a law with it"
        ));
    }
    let Some(repair) = &trial.repair else {
        return complaints.push("trial.toml has no `[repair]`: the exercise".to_owned());
    };
    let task = repair.task.chars().count();
    if task > TASK_LIMIT {
        complaints.push(format!("the task of the repair has {task} characters; {TASK_LIMIT} fit"));
    }
    for (number, hint) in (1..).zip(&repair.hints) {
        let length = hint.chars().count();
        if length > HINT_LIMIT {
            complaints.push(format!("hint {number} has {length} characters; {HINT_LIMIT} fit"));
        }
    }
}

fn lint_take(take: &Take, complaints: &mut Vec<String>) {
    let name = &take.name;
    if take.beats.is_empty() {
        complaints.push(format!("take `{name}` has no beats: nothing stops the run or explains it"));
    }
    if !take.beats.iter().any(|beat| beat.prediction.is_some()) && !take.beats.is_empty() {
        complaints
            .push(format!("take `{name}` asks nothing: a prediction before the decisive run teaches most"));
    }
    for beat in &take.beats {
        if beat.prose.is_empty() {
            complaints.push(format!("beat “{}” of `{name}` explains nothing", beat.title));
        }
        if let Some(prediction) = &beat.prediction {
            lint_prediction(prediction, &beat.title, complaints);
        }
        let sights = beat.seen.iter().flat_map(|seen| &seen.sights);
        lint_options(sights.map(|sight| &sight.text), &beat.title, complaints);
    }
}

fn lint_prediction(prediction: &Prediction, beat: &str, complaints: &mut Vec<String>) {
    lint_options(prediction.choices.iter().map(|choice| &choice.text), beat, complaints);
    for (number, choice) in (1..).zip(&prediction.choices) {
        if choice.because.parts.is_empty() {
            complaints.push(format!("option {number} of “{beat}” does not say why"));
        }
    }
}

fn lint_options<'a>(texts: impl Iterator<Item = &'a Sentence>, beat: &str, complaints: &mut Vec<String>) {
    for (number, _) in (1..).zip(texts).filter(|(_, text)| width(text) > OPTION_WIDTH) {
        complaints.push(format!("option {number} of “{beat}” is longer than {OPTION_WIDTH} characters"));
    }
}

/// The characters of a sentence; a value counts as a short number.
fn width(sentence: &Sentence) -> usize {
    let part = |inline: &Inline| match inline {
        Inline::Text(text) => text.chars().count(),
        Inline::Value(_) => 3,
    };
    sentence.parts.iter().map(|(_, inline)| part(inline)).sum()
}
