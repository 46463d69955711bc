//! The top line: where we are, and whether it is live.

use ratatui::layout::Rect;

use super::layout::Class;
use super::paint::{Paint, Piece};
use crate::drill::Standing;
use crate::tui::model::Model;
use crate::tui::session::Session;
use crate::tui::theme::Tone;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, class: Class, model: &Model, session: &Session) {
    let mut right: Vec<Piece> = vec![badge(model, session, class)];
    right.push((format!("   seed {}", session.order.seed), Tone::Dim));
    if class >= Class::Standard {
        right.push(("   ".to_owned(), Tone::Plain));
        right.extend(marks(model));
    }
    if class == Class::Huge
        && let Some(server) = &model.server
    {
        right.insert(0, (format!("{}   ", server.reach), Tone::Dim));
    }
    right.push((" ".to_owned(), Tone::Plain));
    let taken: u16 = right.iter().map(|(text, _)| paint.width(text)).sum();
    let room = area.width.saturating_sub(taken + 1);
    let lesson = session.lesson();
    let place = model.lesson_index().map_or(0, |index| index + 1);
    let mut left: Vec<Piece> = Vec::new();
    if class >= Class::Standard {
        left.push((" stampede ".to_owned(), Tone::Accent));
    }
    left.push((format!(" {place}/{}  ", model.lessons.len()), Tone::Dim));
    left.push((lesson.title.clone(), Tone::Strong));
    if class >= Class::Wide {
        left.push((format!("   take: {}", session.take().title), Tone::Plain));
    }
    paint.pieces(area.x, area.y, &left, room);
    paint.pieces_to(area.right(), area.y, &right, taken);
}

/// `LIVE redis 7.0.15`, or how far back the cursor is.
fn badge(model: &Model, session: &Session, class: Class) -> Piece {
    let name = model.server.as_ref().map_or("…", |server| server.name.as_str());
    if session.trouble.is_some() {
        return ("STOPPED".to_owned(), Tone::Bad);
    }
    if session.tape.events().is_empty() {
        return ("starting".to_owned(), Tone::Dim);
    }
    if !session.is_live() {
        let newest = session.tape.newest_step();
        let past = if session.cursor == newest {
            format!("PAST by {}", session.head.since(session.now))
        } else {
            format!("PAST {} of {newest}", session.cursor)
        };
        return (past, Tone::Accent);
    }
    let name = match (class, session.tape.newest().touched_from_outside) {
        (Class::TooSmall | Class::Tiny | Class::Compact, _) => String::new(),
        // The name would leave the lesson's title no room.
        (Class::Standard, true) => " (changed by hand)".to_owned(),
        (_, true) => format!(" {name} (changed by hand)"),
        (_, false) => format!(" {name}"),
    };
    (format!("LIVE{name}"), Tone::Good)
}

/// One mark a lesson.
pub(super) fn marks(model: &Model) -> Vec<Piece> {
    let here = model.lesson_index();
    let mark = |(index, lesson)| {
        let stand = model.learner.stand(lesson);
        let (text, tone) = mark_of(stand);
        if here == Some(index) && stand < Standing::Watched {
            ("▸".to_owned(), Tone::Accent)
        } else {
            (text.to_owned(), tone)
        }
    };
    model.lessons.iter().map(std::convert::AsRef::as_ref).enumerate().map(mark).collect()
}

/// How a lesson's or take's stand is drawn.
pub(super) fn mark_of(stand: Standing) -> (&'static str, Tone) {
    match stand {
        Standing::New => ("·", Tone::Dim),
        Standing::Begun => ("-", Tone::Accent),
        Standing::Watched => ("o", Tone::Plain),
        Standing::Done => ("✓", Tone::Good),
    }
}
