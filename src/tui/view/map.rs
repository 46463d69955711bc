//! The lesson map, as a screen and as a pane; the beats of a take.

use ratatui::layout::Rect;

use super::header::mark_of;
use super::paint::{Edge, Paint, Piece};
use super::prose::{Line, hang, prose, wrap};
use super::report::Report;
use super::transport;
use crate::drill::Standing;
use crate::lab::World;
use crate::lesson::{Knobs, Lesson};
use crate::tui::model::Model;
use crate::tui::recall::course;
use crate::tui::session::Session;
use crate::tui::theme::Tone;

/// The whole screen: the lessons on the left, what the chosen one is about on the right or below.
pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, model: &Model, at: usize) {
    let name = [
        (" stampede".to_owned(), Tone::Accent),
        ("   guard an expensive recompute with a Redis mutex".to_owned(), Tone::Dim),
    ];
    paint.pieces(area.x, area.y, &name, area.width);
    let due = match model.learner.due(&model.lessons) {
        0 => " cards".to_owned(),
        1 => " 1 card due".to_owned(),
        due => format!(" {due} cards due"),
    };
    if area.width >= 72 {
        let cards = [("d".to_owned(), Tone::Accent), (due, Tone::Dim)];
        paint.pieces_to(area.right().saturating_sub(1), area.y, &cards, area.width);
    }
    let body = Rect::new(area.x, area.y + 1, area.width, area.height.saturating_sub(2));
    let beside = area.width >= 76;
    let list_height = (model.lessons.len() as u16 + 2).min(body.height);
    let list = if beside {
        Rect::new(body.x, body.y, 36.max(area.width / 3).min(60), body.height)
    } else {
        Rect::new(body.x, body.y, body.width, list_height)
    };
    let about = if beside {
        Rect::new(list.right(), body.y, body.width - list.width, body.height)
    } else {
        Rect::new(body.x, list.bottom(), body.width, body.height - list_height)
    };
    let done = model.lessons.iter().filter(|lesson| model.learner.stand(lesson) == Standing::Done).count();
    let right = [(format!("{done} of {} done", model.lessons.len()), Tone::Dim)];
    let inner = paint.pane(list, Edge::Rule, "lessons", &right, true);
    let first = at.saturating_sub(usize::from(inner.height).saturating_sub(1));
    for (y, (index, lesson)) in (inner.y..inner.bottom()).zip(model.lessons.iter().enumerate().skip(first)) {
        let (mark, tone) = mark_of(model.learner.stand(lesson));
        let chosen = index == at;
        let title_tone = if chosen { Tone::Strong } else { Tone::Plain };
        let pointer = if chosen { "▸ " } else { "  " };
        let pieces: Vec<Piece> = vec![
            (pointer.to_owned(), Tone::Accent),
            (format!("{mark} "), tone),
            (format!("{:>2}  {}", lesson.number(), lesson.title), title_tone),
        ];
        paint.pieces(inner.x, y, &pieces, inner.width);
    }
    if beside && inner.height > model.lessons.len() as u16 + 5 {
        let marks = [
            ("✓", Tone::Good, "predicted and seen"),
            ("o", Tone::Plain, "watched"),
            ("-", Tone::Accent, "begun"),
            ("·", Tone::Dim, "new"),
        ];
        for (y, (mark, tone, meaning)) in (inner.bottom() - 4..).zip(marks) {
            paint.pieces(
                inner.x + 2,
                y,
                &[(format!("{mark}  "), tone), (meaning.to_owned(), Tone::Dim)],
                inner.width,
            );
        }
    }
    if let Some(lesson) = model.lessons.get(at) {
        let right = [(format!("{} min", lesson.minutes), Tone::Dim)];
        let inner = paint.pane(about, Edge::Rule, &lesson.title, &right, false);
        let width = inner.width.saturating_sub(3);
        let mut lines = wrap(&[(lesson.question.clone(), Tone::Strong)], width);
        lines.push(Vec::new());
        for take in &lesson.takes {
            let (mark, tone) = mark_of(model.learner.take_stand(lesson, &take.name));
            let kind = if take.sound {
                ("the right way".to_owned(), Tone::Good)
            } else {
                ("goes wrong".to_owned(), Tone::Dim)
            };
            lines.push(vec![(format!("{mark} "), tone), (format!("{:<22} ", take.title), Tone::Plain), kind]);
        }
        for (index, goal) in lesson.study.goals.iter().enumerate() {
            // Before the run it would tell how the run goes.
            let take = &lesson.takes[goal.take].name;
            let (mark, tone) = match model.learner.has_reached(lesson, index) {
                true => (paint.glyphs.pick("✓ ", "v "), Tone::Good),
                false if model.learner.take_stand(lesson, take) >= Standing::Watched => ("· ", Tone::Dim),
                false => continue,
            };
            let text = [("goal: ".to_owned(), Tone::Dim), (goal.text.clone(), Tone::Plain)];
            lines.extend(hang(mark, tone, &text, width));
        }
        lines.extend(figures(paint, model, lesson, width));
        lines.push(Vec::new());
        let begins = World::before(&lesson.stage(0, &Knobs::new(), model.seed, ""));
        lines.extend(prose(&lesson.hook, &begins, width));
        for (y, line) in (inner.y..inner.bottom()).zip(&lines) {
            paint.pieces(inner.x + 1, y, line, width);
        }
    }
    transport::hints(paint, Rect::new(area.x, area.bottom() - 1, area.width, 1), model);
}

/// How well the lesson went so far.
fn figures(paint: &Paint<'_>, model: &Model, lesson: &Lesson, width: u16) -> Vec<Line> {
    let progress = &model.learner.progress;
    let deck = course(&model.lessons, progress).unwrap_or_default();
    let (now, glyphs) = (model.learner.now, paint.glyphs);
    Report { lessons: &model.lessons, deck: &deck, progress, now, glyphs }.lesson(lesson, width)
}

/// The lessons and the beats of the take being played, beside a lesson.
pub(super) fn side(paint: &mut Paint<'_>, area: Rect, edge: Edge, model: &Model, session: &Session) {
    let done = model.lessons.iter().filter(|lesson| model.learner.stand(lesson) == Standing::Done).count();
    let right = [(format!("{done}/{}", model.lessons.len()), Tone::Dim)];
    let inner = paint.pane(area, edge, "lessons", &right, false);
    let here = model.lesson_index();
    let mut rows: Vec<Vec<Piece>> = Vec::new();
    for (index, lesson) in model.lessons.iter().enumerate() {
        let (mark, tone) = mark_of(model.learner.stand(lesson));
        let chosen = here == Some(index);
        let tone_of_title = if chosen { Tone::Strong } else { Tone::Dim };
        rows.push(vec![
            (format!(" {} ", if chosen { "▸" } else { mark }), if chosen { Tone::Accent } else { tone }),
            (format!("{:>2} {}", lesson.number(), lesson.title), tone_of_title),
        ]);
    }
    rows.push(Vec::new());
    rows.extend(beat_rows(session));
    for (y, row) in (inner.y..inner.bottom()).zip(&rows) {
        paint.pieces(inner.x, y, row, inner.width);
    }
}

fn beat_rows(session: &Session) -> Vec<Vec<Piece>> {
    let reached = session.beats_reached();
    let mark = |index: usize| match index.cmp(&reached) {
        std::cmp::Ordering::Less => ("✓", Tone::Good),
        std::cmp::Ordering::Equal => ("▸", Tone::Accent),
        std::cmp::Ordering::Greater => ("·", Tone::Dim),
    };
    let beats = session.take().beats.iter().enumerate();
    beats
        .map(|(index, beat)| {
            let (mark, tone) = mark(index);
            let asks = if beat.prediction.is_some() { " ?" } else { "" };
            let title = if index == reached { Tone::Plain } else { Tone::Dim };
            vec![(format!(" {mark} "), tone), (beat.title.clone(), title), (asks.to_owned(), Tone::Accent)]
        })
        .collect()
}

/// Takes, knobs and claims of the lesson, for screens with room to spare.
pub(super) fn beats(paint: &mut Paint<'_>, area: Rect, edge: Edge, session: &Session) {
    let inner = paint.pane(area, edge, "this take claims", &[], false);
    let width = inner.width.saturating_sub(2);
    let mut lines = Vec::new();
    if session.keeps_a_secret() {
        let kept = "Told when its questions are answered.".to_owned();
        lines.extend(wrap(&[(kept, Tone::Dim)], width));
    } else {
        for claim in &session.take().claims {
            let text = super::prose::pieces(&claim.text, &session.world, Tone::Plain);
            lines.extend(hang("• ", Tone::Dim, &text, width));
        }
    }
    lines.push(Vec::new());
    lines.push(vec![("takes".to_owned(), Tone::Strong), ("   t chooses another".to_owned(), Tone::Dim)]);
    for (index, take) in session.lesson().takes.iter().enumerate() {
        let here = index == session.order.take;
        let pointer = if here { "▸ " } else { "  " };
        let tone = if here { Tone::Strong } else { Tone::Plain };
        lines.push(vec![(pointer.to_owned(), Tone::Accent), (take.title.clone(), tone)]);
    }
    if !session.lesson().knobs.is_empty() {
        lines.push(Vec::new());
        lines.push(vec![("knobs".to_owned(), Tone::Strong), ("   e turns them".to_owned(), Tone::Dim)]);
        let knobs = session.knobs();
        for knob in &session.lesson().knobs {
            let value = knobs.get(&knob.name).copied().unwrap_or(knob.default);
            lines.push(vec![(format!("  {:<20} {value} {}", knob.label, knob.unit), Tone::Plain)]);
        }
    }
    for (y, line) in (inner.y..inner.bottom()).zip(&lines) {
        paint.pieces(inner.x + 1, y, line, width);
    }
}
