//! The story: the hook, a question, or what happened and why.

use ratatui::layout::Rect;

use super::paint::{Edge, Paint, Piece};
use super::prose::{Line, hang, pieces, prose, wrap};
use crate::lesson::Prediction;
use crate::tui::session::{Answer, Asking, Motion, Pane, Session, Sureness};
use crate::tui::theme::Tone;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, edge: Edge, session: &Session) {
    let width = area.width.saturating_sub(if edge == Edge::Box { 4 } else { 2 });
    let (title, mut right, lines) = content(session, width);
    let height = area.height.saturating_sub(if edge == Edge::Box { 2 } else { 1 });
    let most = (lines.len() as u16).saturating_sub(height);
    let scroll = session.story_scroll.min(most);
    if scroll < most {
        right.push((format!("  j{}{}", paint.glyphs.pick("▾", "v"), most - scroll), Tone::Accent));
    }
    let inner = paint.pane(area, edge, &title, &right, session.focus == Pane::Story);
    for (y, line) in (inner.y..inner.bottom()).zip(lines.iter().skip(usize::from(scroll))) {
        paint.pieces(inner.x + 1, y, line, inner.width.saturating_sub(1));
    }
}

/// Title, the right end of the title, and the text.
fn content(session: &Session, width: u16) -> (String, Vec<Piece>, Vec<Line>) {
    if let Some(trouble) = &session.trouble {
        let mut lines = wrap(&[(trouble.message.clone(), Tone::Bad)], width);
        lines.push(Line::new());
        lines.extend(wrap(&[(trouble.hint.clone(), Tone::Plain)], width));
        lines.push(Line::new());
        lines.extend(wrap(
            &[("r starts the take again, m goes to the map, q leaves.".to_owned(), Tone::Strong)],
            width,
        ));
        return ("stopped".to_owned(), Vec::new(), lines);
    }
    if let Some((beat, prediction)) = session.asked() {
        let right = vec![(format!("before beat {}", beat + 1), Tone::Dim)];
        return ("predict".to_owned(), right, question(session, prediction, width));
    }
    match session.told_beat() {
        None => {
            ("story".to_owned(), vec![(session.take().title.clone(), Tone::Dim)], opening(session, width))
        }
        Some((index, beat)) => {
            let mut lines = Vec::new();
            let mut right = Vec::new();
            if let (Some(prediction), Some(Some(answer))) = (&beat.prediction, session.answers.get(index)) {
                let (near, far) = order(prediction, *answer);
                right.push(judgement(prediction, *answer));
                lines.extend(reasons(session, prediction, &near, width));
                lines.push(Line::new());
                lines.extend(prose(&beat.prose, &session.world, width));
                lines.push(Line::new());
                lines.extend(reasons(session, prediction, &far, width));
            } else {
                lines.extend(prose(&beat.prose, &session.world, width));
            }
            lines.extend(going_on(session, width));
            (beat.title.clone(), right, lines)
        }
    }
}

fn opening(session: &Session, width: u16) -> Vec<Line> {
    let mut lines = Vec::new();
    if session.order.take == 0 {
        lines.extend(prose(&session.lesson().hook, &session.world, width));
    }
    if !session.take().intro.is_empty() {
        if !lines.is_empty() {
            lines.push(Line::new());
        }
        lines.extend(prose(&session.take().intro, &session.world, width));
    }
    lines.extend(going_on(session, width));
    lines
}

/// The last line: what the learner can do now.
fn going_on(session: &Session, width: u16) -> Vec<Line> {
    if !session.is_live() || session.motion != Motion::Paused {
        return Vec::new();
    }
    let takes = session.lesson().takes.len();
    let text = match (session.open_question(), session.tape.newest().ended) {
        (Some(_), _) => "Enter: a question first.",
        (None, false) => "Enter or Space: go on.",
        (None, true) if session.order.take + 1 < takes => "Enter: the next take.",
        (None, true) => "Enter: the next lesson.",
    };
    let mut lines = vec![Line::new()];
    lines.extend(wrap(&[(text.to_owned(), Tone::Accent)], width));
    lines
}

fn question(session: &Session, prediction: &Prediction, width: u16) -> Vec<Line> {
    let chosen = match session.asking {
        Asking::Sure(choice) => Some(choice),
        _ => None,
    };
    let mut lines = wrap(&pieces(&prediction.question, &session.world, Tone::Strong), width);
    for (index, choice) in prediction.choices.iter().enumerate() {
        let picked = chosen == Some(index);
        let marker = format!("{} {}  ", if picked { "▸" } else { " " }, index + 1);
        let tone = if picked { Tone::Accent } else { Tone::Plain };
        lines.extend(hang(&marker, Tone::Accent, &pieces(&choice.text, &session.world, tone), width));
    }
    match chosen {
        None => lines.extend(wrap(&[("1-4 answers, s: just show me".to_owned(), Tone::Dim)], width)),
        Some(_) => lines.push(vec![
            ("sure?  ".to_owned(), Tone::Strong),
            ("1".to_owned(), Tone::Accent),
            (" guess  ".to_owned(), Tone::Plain),
            ("2".to_owned(), Tone::Accent),
            (" think so  ".to_owned(), Tone::Plain),
            ("3".to_owned(), Tone::Accent),
            (" certain".to_owned(), Tone::Plain),
        ]),
    }
    lines
}

fn judgement(prediction: &Prediction, answer: Answer) -> Piece {
    match answer {
        Answer::PassedOver => ("watched".to_owned(), Tone::Dim),
        Answer::Chosen(choice, _) if choice == prediction.right() => ("right".to_owned(), Tone::Good),
        Answer::Chosen(_, Sureness::Certain) => ("certain, not so".to_owned(), Tone::Bad),
        Answer::Chosen(..) => ("not so".to_owned(), Tone::Bad),
    }
}

/// Which reasons come before the story, the learner's own choice first, and which after it.
fn order(prediction: &Prediction, answer: Answer) -> (Vec<usize>, Vec<usize>) {
    let right = prediction.right();
    let mut near = match answer {
        Answer::Chosen(choice, _) => vec![choice],
        Answer::PassedOver => Vec::new(),
    };
    near.extend([right].into_iter().filter(|right| !near.contains(right)).collect::<Vec<_>>());
    let far = (0..prediction.choices.len()).filter(|index| !near.contains(index)).collect();
    (near, far)
}

/// Why each of these choices is right or wrong.
fn reasons(session: &Session, prediction: &Prediction, which: &[usize], width: u16) -> Vec<Line> {
    let right = prediction.right();
    let mut lines = Vec::new();
    for index in which {
        let Some(choice) = prediction.choices.get(*index) else { continue };
        let (mark, tone) = if *index == right { ("✓", Tone::Good) } else { ("✗", Tone::Dim) };
        let marker = format!("{mark} {}  ", index + 1);
        lines.extend(hang(&marker, tone, &pieces(&choice.because, &session.world, Tone::Plain), width));
    }
    lines
}
