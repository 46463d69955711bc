//! A card made ready to be asked.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::drill::{Card, Kind, shuffled};
use crate::judge::{self, Order, Playthrough};
use crate::lab::{Command, World};
use crate::lesson::{Lesson, expr};
use crate::tui::glyphs::Glyphs;
use crate::tui::host::Bench;
use crate::tui::scene::{reply_lines, toned};
use crate::tui::theme::Tone;

/// A card with everything that is shown of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posed {
    pub id: String,
    pub deck: String,
    /// What kind of question it is.
    pub kind: &'static str,
    /// A timeline, a program, what was typed so far.
    pub(in crate::tui) picture: Vec<Vec<(String, Tone)>>,
    pub ask: String,
    /// What there is to choose from, or to put in order.
    pub options: Vec<String>,
    pub expected: Expected,
}

impl Posed {
    /// The picture in lines of plain text.
    pub fn picture(&self) -> impl Iterator<Item = String> {
        self.picture.iter().map(|line| line.iter().map(|(text, _)| text.as_str()).collect())
    }
}

/// A line of a program, or of a conversation with a server.
fn code(line: &str) -> Vec<(String, Tone)> {
    vec![(line.to_owned(), Tone::Code)]
}

/// What the answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Said aloud, and compared with this by the learner.
    Spoken(String),
    /// One of the options, from 0, and why.
    Choice { right: usize, because: String },
    /// The options in this order, from 0.
    Order(Vec<usize>),
}

/// The seed of runs that are read.
const SEED: u64 = 7;

/// Columns and lanes of a timeline.
const WIDTH: usize = 70;
const LANES: usize = 8;

/// Makes a card ready; runs and commands go to a server of their own.
///
/// # Errors
/// When its run or its commands fail; the sentence says how.
pub fn pose(card: &Card, lessons: &[Arc<Lesson>], bench: &Bench, glyphs: Glyphs) -> Result<Posed, String> {
    let mut posed = Posed {
        id: card.id.clone(),
        deck: card.deck.clone(),
        kind: card.kind.name(),
        picture: Vec::new(),
        ask: card.kind.ask().to_owned(),
        options: Vec::new(),
        expected: Expected::Spoken(String::new()),
    };
    match &card.kind {
        Kind::Recall { tell, .. } => posed.expected = Expected::Spoken(tell.clone()),
        Kind::RedFlag { said, fine, because } => {
            posed.ask = format!("“{said}” Fine, or does it lose the question?");
            posed.options = vec!["fine".to_owned(), "it loses the question".to_owned()];
            posed.expected = Expected::Choice { right: usize::from(!fine), because: because.clone() };
        }
        Kind::Order { steps, .. } => {
            let shown = shuffled(&card.id, steps.len());
            posed.options = shown.iter().map(|step| steps[*step].clone()).collect();
            let place = |step: usize| shown.iter().position(|shown| *shown == step).unwrap_or(0);
            posed.expected = Expected::Order((0..steps.len()).map(place).collect());
        }
        Kind::Choice { program, options, right, because, .. } => {
            posed.picture = program.trim().lines().map(code).collect();
            posed.options.clone_from(options);
            posed.expected = Expected::Choice { right: *right, because: because.clone() };
        }
        Kind::Reading { lesson, take, beat, answer, .. } => {
            let missing = || not_there(lesson, take, *beat);
            let (lesson, index) = find(lessons, lesson, take).ok_or_else(missing)?;
            let world = world_at(lesson, index, *beat, bench)?.ok_or_else(missing)?;
            let knobs: Vec<String> = lesson.knobs.iter().map(|knob| knob.name.clone()).collect();
            let told = expr::parse(answer, &knobs, world.workers.len()).map_err(|error| error.message)?;
            posed.picture = toned(&world, WIDTH, LANES, glyphs);
            posed.expected = Expected::Spoken(told.value(&world).to_string());
        }
        Kind::Reply { before, command, .. } => {
            let (picture, reply) = replies(before, command, bench)?;
            posed.picture = picture.iter().map(|line| code(line)).collect();
            posed.expected = Expected::Spoken(reply);
        }
        Kind::Prediction { lesson, take, beat, .. } => {
            let missing = || not_there(lesson, take, *beat);
            let (lesson, index) = find(lessons, lesson, take).ok_or_else(missing)?;
            let about = &lesson.takes[index];
            let beat = beat.checked_sub(1).and_then(|index| about.beats.get(index));
            let prediction = beat.and_then(|beat| beat.prediction.as_ref()).ok_or_else(missing)?;
            let right = prediction.choices.iter().position(|choice| choice.right).ok_or_else(missing)?;
            let world = at_the_start(lesson, index, bench)?;
            posed.ask = format!("{}: {}", about.title, prediction.question.text(&world));
            posed.options = prediction.choices.iter().map(|choice| choice.text.text(&world)).collect();
            let because = prediction.choices[right].because.text(&world);
            posed.expected = Expected::Choice { right, because };
        }
    }
    Ok(posed)
}

fn find<'a>(lessons: &'a [Arc<Lesson>], slug: &str, take: &str) -> Option<(&'a Arc<Lesson>, usize)> {
    let lesson = lessons.iter().find(|known| known.slug == slug)?;
    Some((lesson, lesson.take(take)?.0))
}

fn not_there(lesson: &str, take: &str, beat: usize) -> String {
    format!("beat {beat} of `{take}` in {lesson} is not there")
}

/// The world of a take before anything has happened.
fn at_the_start(lesson: &Arc<Lesson>, take: usize, bench: &Bench) -> Result<World, String> {
    // The server lives as long as who makes lines to it.
    let connect = bench();
    let (wire, _) = connect(lesson.need(take)).map_err(|error| error.to_string())?;
    let order = Order::new(Arc::clone(lesson), take, SEED);
    let play = Playthrough::begin(order, wire).map_err(|error| error.to_string())?;
    Ok(play.world().clone())
}

/// The world of a take at the end of a beat, from 1; `None` where there is no such beat.
fn world_at(lesson: &Arc<Lesson>, take: usize, beat: usize, bench: &Bench) -> Result<Option<World>, String> {
    let connect = bench();
    let (wire, _) = connect(lesson.need(take)).map_err(|error| error.to_string())?;
    let order = Order::new(Arc::clone(lesson), take, SEED);
    let verdict = judge::run(order, wire, &AtomicBool::new(false)).map_err(|error| error.to_string())?;
    let worlds = judge::told(&lesson.takes[take], &verdict.journal);
    Ok(beat.checked_sub(1).and_then(|index| worlds.into_iter().nth(index)))
}

/// Runs commands on an empty server; what is shown before the last one is answered, and its reply.
fn replies(before: &[String], command: &str, bench: &Bench) -> Result<(Vec<String>, String), String> {
    let read = |line: &String| line.parse::<Command>().map_err(|error| format!("`{line}`: {error}"));
    let typed = command.to_owned();
    let batch = before.iter().chain([&typed]).map(read).collect::<Result<Vec<_>, _>>()?;
    let connect = bench();
    let (mut wire, _) = connect(None).map_err(|error| error.to_string())?;
    let replies = wire.exchange(&batch).map_err(|error| error.to_string())?;
    let (last, earlier) = replies.split_last().ok_or("there is no command")?;
    let mut picture = Vec::new();
    for (line, reply) in before.iter().zip(earlier) {
        picture.push(format!("redis> {line}"));
        picture.extend(reply_lines(reply));
    }
    picture.push(format!("redis> {command}"));
    Ok((picture, reply_lines(last).join("\n")))
}
