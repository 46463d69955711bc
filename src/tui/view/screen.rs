//! Which screen is drawn, and what lies on top of it.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::layout::{Class, SMALLEST};
use super::paint::Paint;
use super::{
    compare, details, drill, glossary, help, interview, lesson, levers, map, mistake, popup, progress,
    prompt, repair, runs, say, survey,
};
use crate::tui::model::{Ground, Model, Popup};
use crate::tui::scene;
use crate::tui::theme::Tone;

/// Draws the whole screen.
pub(in crate::tui) fn draw(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut paint = Paint { buffer: frame.buffer_mut(), theme: &model.theme, glyphs: model.glyphs };
    let class = Class::of(area.width, area.height);
    if class == Class::TooSmall {
        return too_small(&mut paint, area);
    }
    match (&model.ground, &model.session) {
        (Ground::Lesson, Some(session)) => lesson::draw(&mut paint, area, class, model, session),
        (Ground::Map(at), _) => map::draw(&mut paint, area, model, *at),
        (Ground::Drill, _) => match &model.drilling {
            Some(drilling) => drill::draw(&mut paint, area, model, drilling),
            None => map::draw(&mut paint, area, model, 0),
        },
        (Ground::Interview, _) => match &model.interviewing {
            Some(interviewing) => interview::draw(&mut paint, area, model, interviewing),
            None => map::draw(&mut paint, area, model, 0),
        },
        (Ground::Lesson, None) => map::draw(&mut paint, area, model, 0),
    }
    match (&model.popup, &model.session) {
        (Some(Popup::Help(scroll)), _) => help::draw(&mut paint, area, model, scroll),
        (Some(Popup::Takes(at)), Some(session)) => popup::takes(&mut paint, area, model, session, *at),
        (Some(Popup::Knobs(at, values)), Some(session)) => {
            popup::knobs(&mut paint, area, session, *at, values);
        }
        (Some(Popup::Words(at)), _) => glossary::draw(&mut paint, area, *at),
        (Some(Popup::Progress(scroll)), _) => progress::draw(&mut paint, area, model, scroll),
        (Some(Popup::Survey), _) => {
            if let Some(surveying) = &model.surveying {
                survey::draw(&mut paint, area, surveying);
            }
        }
        (Some(Popup::Compare), _) => {
            if let Some(comparison) = &model.comparison {
                compare::draw(&mut paint, area, comparison);
            }
        }
        (Some(Popup::Details), Some(session)) => {
            if let Some(row) = scene::details(session) {
                details::draw(&mut paint, area, &row);
            }
        }
        (Some(Popup::Prompt(typing)), Some(session)) => prompt::draw(&mut paint, area, session, typing),
        (Some(Popup::Levers(worker, at)), Some(session)) => {
            levers::draw(&mut paint, area, session, *worker, *at);
        }
        (Some(Popup::Mistake(mistake)), _) => mistake::draw(&mut paint, area, mistake),
        (Some(Popup::Runs(at)), _) => runs::draw(&mut paint, area, &model.kept, *at),
        (Some(Popup::Repair), _) => {
            if let Some(bench) = &model.workbench {
                repair::draw(&mut paint, area, model, bench);
            }
        }
        (Some(Popup::Say(saying)), Some(session)) => {
            if let Some(question) = &session.lesson().study.say {
                say::draw(&mut paint, area, question, saying);
            }
        }
        _ => {}
    }
}

/// What stands on a screen that has no room for anything else.
fn too_small(paint: &mut Paint<'_>, area: Rect) {
    let (width, height) = SMALLEST;
    let lines = [
        (format!("{}x{} is too small", area.width, area.height), Tone::Strong),
        (format!("needed: {width}x{height}"), Tone::Plain),
        ("q quits".to_owned(), Tone::Dim),
    ];
    for (row, (text, tone)) in (area.y..area.bottom()).zip(lines) {
        paint.text(area.x, row, &text, tone, area.width);
    }
}
