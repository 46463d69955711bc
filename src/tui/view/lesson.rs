//! The lesson screen in its layouts.

use ratatui::layout::{Constraint, Layout, Rect};

use super::layout::Class;
use super::paint::{Edge, Paint};
use super::{facts, header, log, map, program, story, timeline, transport};
use crate::tui::model::Model;
use crate::tui::session::{Pane, Session};

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, class: Class, model: &Model, session: &Session) {
    let [top, body, bar, hints] = rows(area, [1, 0, 1, 1]);
    header::draw(paint, top, class, model, session);
    transport::bar(paint, bar, class, model, session);
    transport::hints(paint, hints, model);
    if session.zoomed || class == Class::Tiny {
        return zoomed(paint, body, class, session);
    }
    match class {
        Class::TooSmall | Class::Tiny | Class::Compact => compact(paint, body, session),
        Class::Standard => standard(paint, body, session),
        Class::Wide => wide(paint, body, model, session),
        Class::Huge => huge(paint, body, model, session),
    }
}

/// Splits an area into rows of these heights; 0 takes what is left.
fn rows<const N: usize>(area: Rect, heights: [u16; N]) -> [Rect; N] {
    Layout::vertical(
        heights.map(|height| if height == 0 { Constraint::Fill(1) } else { Constraint::Length(height) }),
    )
    .areas(area)
}

fn columns<const N: usize>(area: Rect, widths: [u16; N]) -> [Rect; N] {
    Layout::horizontal(
        widths.map(|width| if width == 0 { Constraint::Fill(1) } else { Constraint::Length(width) }),
    )
    .areas(area)
}

/// How many lanes a session would like.
fn lanes(session: &Session, most: u16) -> u16 {
    let world = &session.world;
    let workers = world.workers.len() as u16;
    // A crowd has at most four states to draw, or one worker that stands out and three.
    let wanted = if workers > 2 * most { 4 } else { workers };
    wanted.min(most) + 1 + u16::from(world.has_lock())
}

/// One pane over the whole body.
fn zoomed(paint: &mut Paint<'_>, body: Rect, class: Class, session: &Session) {
    match session.focus {
        Pane::Story => story::draw(paint, body, Edge::Rule, session),
        Pane::Program => program::draw(paint, body, Edge::Rule, session),
        Pane::Log => log::draw(paint, body, Edge::Rule, session),
        Pane::Timeline => timeline::draw(paint, body, Edge::Rule, class, session),
    }
}

/// A row for the learner's prediction, which a new question takes back.
fn has_prediction(session: &Session) -> u16 {
    u16::from(timeline::shows_prediction(session))
}

fn compact(paint: &mut Paint<'_>, body: Rect, session: &Session) {
    let most = 3 + body.height.saturating_sub(20) / 6;
    let time = 2 + lanes(session, most) + has_prediction(session);
    let [top, middle] = rows(body, [time.min(body.height / 2), 0]);
    timeline::draw(paint, top, Edge::Rule, Class::Compact, session);
    // A tall narrow screen has room for what a short one shows by turns.
    let facts_height = if middle.height >= 26 { 10 } else { 0 };
    let program_height = if middle.height >= 42 { 16 } else { 0 };
    let [middle, facts_area, program_area, bottom] = Layout::vertical([
        Constraint::Fill(1),
        Constraint::Length(facts_height),
        Constraint::Length(program_height),
        Constraint::Length(if facts_height > 0 { 6 } else { 3 }),
    ])
    .areas(middle);
    match session.focus {
        Pane::Program if program_height == 0 => program::draw(paint, middle, Edge::Rule, session),
        Pane::Timeline if facts_height == 0 => facts::both(paint, middle, Edge::Rule, session),
        _ => story::draw(paint, middle, Edge::Rule, session),
    }
    if facts_height > 0 {
        facts::both(paint, facts_area, Edge::Rule, session);
    }
    if program_height > 0 {
        program::draw(paint, program_area, Edge::Rule, session);
    }
    log::draw(paint, bottom, Edge::Rule, session);
}

fn standard(paint: &mut Paint<'_>, body: Rect, session: &Session) {
    let spare = body.height.saturating_sub(21);
    let time = 2 + lanes(session, 5 + spare / 3) + has_prediction(session);
    let facts_width = 31;
    let middle = match (session.asks(), time) {
        // A question is shown whole, and no more.
        (true, _) => (1 + story::rows(session, body.width - facts_width)).clamp(8, 11),
        (false, 10..) => 8,
        (false, _) => 9,
    } + spare / 3;
    let [top, middle, bottom] = rows(body, [time, middle, 0]);
    timeline::draw(paint, top, Edge::Rule, Class::Standard, session);
    let [left, right] = columns(middle, [0, facts_width]);
    match session.focus {
        Pane::Program => program::draw(paint, left, Edge::Rule, session),
        _ => story::draw(paint, left, Edge::Rule, session),
    }
    facts::both(paint, right, Edge::Rule, session);
    log::draw(paint, bottom, Edge::Rule, session);
}

fn wide(paint: &mut Paint<'_>, body: Rect, model: &Model, session: &Session) {
    let [left, right] = columns(body, [29, 0]);
    side(paint, left, model, session);
    let time = 5 + lanes(session, 6) + has_prediction(session);
    let [top, middle, bottom] = rows(right, [time, 0, 10]);
    timeline::draw(paint, top, Edge::Box, Class::Wide, session);
    let [story_area, program_area] = columns(middle, [0, 51.min(middle.width / 2 + 6)]);
    story::draw(paint, story_area, Edge::Box, session);
    program::draw(paint, program_area, Edge::Box, session);
    log::draw(paint, bottom, Edge::Box, session);
}

fn huge(paint: &mut Paint<'_>, body: Rect, model: &Model, session: &Session) {
    let [left, middle, right] = columns(body, [34, 0, 62]);
    side(paint, left, model, session);
    let time = 5 + lanes(session, 12) + has_prediction(session);
    let [top, below] = rows(middle, [time, 0]);
    timeline::draw(paint, top, Edge::Box, Class::Huge, session);
    let [story_area, log_area] = rows(below, [18.min(below.height / 2), 0]);
    story::draw(paint, story_area, Edge::Box, session);
    log::draw(paint, log_area, Edge::Box, session);
    let program_height = session
        .lesson()
        .programs
        .get(session.take().program)
        .map_or(10, |p| p.source.lines().count() as u16 + 2);
    let [program_area, map_area] = rows(right, [program_height.min(right.height / 2), 0]);
    program::draw(paint, program_area, Edge::Box, session);
    map::beats(paint, map_area, Edge::Box, session);
}

/// The column with lessons and facts.
fn side(paint: &mut Paint<'_>, area: Rect, model: &Model, session: &Session) {
    let lessons = (model.lessons.len() as u16 + session.take().beats.len() as u16 + 4).min(area.height / 2);
    let lock = if session.world.has_lock() { 11 } else { 0 };
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(lessons), Constraint::Length(lock), Constraint::Fill(1)])
            .areas(area);
    map::side(paint, top, Edge::Box, model, session);
    if lock > 0 {
        facts::lock_pane(paint, middle, Edge::Box, session);
    }
    facts::database_pane(paint, bottom, Edge::Box, session);
}
