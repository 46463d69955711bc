//! Drawing: a model in, cells out. Nothing here changes anything or waits for anything.

mod facts;
mod header;
mod help;
mod layout;
mod lesson;
mod log;
mod map;
mod paint;
mod popup;
mod program;
mod prose;
mod story;
mod timeline;
mod transport;

use ratatui::Frame;

use super::model::{Ground, Model, Popup};
use layout::Class;

/// Draws the whole screen.
pub fn draw(model: &Model, frame: &mut Frame<'_>) {
    let area = frame.area();
    let mut paint = paint::Paint { buffer: frame.buffer_mut(), theme: &model.theme, glyphs: model.glyphs };
    let class = Class::of(area.width, area.height);
    if class == Class::TooSmall {
        return too_small(&mut paint, area);
    }
    match (&model.ground, &model.session) {
        (Ground::Lesson, Some(session)) => lesson::draw(&mut paint, area, class, model, session),
        (Ground::Map(at), _) => map::draw(&mut paint, area, model, *at),
        (Ground::Lesson, None) => map::draw(&mut paint, area, model, 0),
    }
    match (&model.popup, &model.session) {
        (Some(Popup::Help(scroll)), _) => help::draw(&mut paint, area, model, *scroll),
        (Some(Popup::Takes(at)), Some(session)) => popup::takes(&mut paint, area, model, session, *at),
        (Some(Popup::Knobs(at, values)), Some(session)) => popup::knobs(&mut paint, area, session, *at, values),
        _ => {}
    }
}

/// What stands on a screen that has no room for anything else.
fn too_small(paint: &mut paint::Paint<'_>, area: ratatui::layout::Rect) {
    use super::theme::Tone;
    let (width, height) = layout::SMALLEST;
    let lines = [
        (format!("{}x{} is too small", area.width, area.height), Tone::Strong),
        (format!("needed: {width}x{height}"), Tone::Plain),
        ("q quits".to_owned(), Tone::Dim),
    ];
    for (row, (text, tone)) in (area.y..area.bottom()).zip(lines) {
        paint.text(area.x, row, &text, tone, area.width);
    }
}
