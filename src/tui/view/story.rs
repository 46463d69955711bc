//! The story: the hook, a question, or what happened and why.

use ratatui::layout::Rect;

use super::paint::{Edge, Paint, Piece};
use super::prose::{Line, hang, pieces, prose, ticked, wrap};
use crate::lesson::{Beat, Goal, Prediction, Seen};
use crate::tui::answers::{Answer, Asking, Sighting, Sureness};
use crate::tui::session::{Breach, Motion, Pane, Reached, Session, Trouble};
use crate::tui::theme::Tone;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, edge: Edge, session: &Session) {
    let width = area.width.saturating_sub(if edge == Edge::Box { 4 } else { 2 });
    let (title, mut right, lines) = content(session, width);
    let height = area.height.saturating_sub(if edge == Edge::Box { 2 } else { 1 });
    let out = usize::from(session.story_scroll.out(lines.len(), height));
    right.extend(paint.more(lines.len().saturating_sub(out + usize::from(height))));
    let inner = paint.pane(area, edge, &title, &right, session.focus == Pane::Story);
    for (y, line) in (inner.y..inner.bottom()).zip(lines.iter().skip(out)) {
        paint.pieces(inner.x + 1, y, line, inner.width.saturating_sub(1));
    }
}

/// How many rows the text of the pane takes at this width.
pub(super) fn rows(session: &Session, width: u16) -> u16 {
    content(session, width.saturating_sub(2)).2.len() as u16
}

/// Title, the right end of the title, and the text.
fn content(session: &Session, width: u16) -> (String, Vec<Piece>, Vec<Line>) {
    if let Some(trouble) = &session.trouble {
        let (title, said, hint, keys) = match trouble {
            Trouble::Stopped { message, hint } => (
                "stopped",
                ticked(message, Tone::Bad),
                hint.as_str(),
                "r starts the take again, m goes to the map, q leaves.",
            ),
            Trouble::Lacking { reason } => (
                "not on this server",
                ticked(reason, Tone::Plain),
                "Start with `--server embedded`, or without `--redis`, to see it.",
                "Enter goes on without it, t chooses another take.",
            ),
        };
        let mut lines = wrap(&said, width);
        lines.push(Line::new());
        lines.extend(wrap(&ticked(hint, Tone::Plain), width));
        lines.push(Line::new());
        lines.extend(wrap(&[(keys.to_owned(), Tone::Strong)], width));
        return (title.to_owned(), Vec::new(), lines);
    }
    if let Some((beat, prediction)) = session.asked() {
        let right = vec![(format!("before beat {}", beat + 1), Tone::Dim)];
        return ("predict".to_owned(), right, question(session, prediction, width));
    }
    if let Some((beat, seen)) = session.asked_what_was_seen() {
        let right = vec![(format!("after beat {}", beat + 1), Tone::Dim)];
        return ("what did you see?".to_owned(), right, sights(session, seen, width));
    }
    if let Some(breach) = session.breach.as_ref().filter(|breach| breach.step == session.cursor) {
        return ("a law breaks here".to_owned(), Vec::new(), broken(session, breach, width));
    }
    let told: Vec<_> = session.told_beats().collect();
    let Some((index, last, reached)) = told.last() else {
        let right = vec![(session.take().title.clone(), Tone::Dim)];
        return ("story".to_owned(), right, opening(session, width));
    };
    let mut right = Vec::new();
    if let (Some(_), Some(Some(answer))) = (&last.prediction, session.answers.predicted.get(*index)) {
        right.push(judgement(&reached.came_true, *answer));
    }
    let mut lines = Vec::new();
    for (index, beat, reached) in &told {
        if told.len() > 1 {
            lines.push(vec![(beat.title.clone(), Tone::Strong)]);
        }
        lines.extend(beat_lines(session, *index, beat, reached, width));
        lines.push(Line::new());
    }
    lines.pop();
    lines.extend(going_on(session, width));
    (last.title.clone(), right, lines)
}

/// The law that this run was found to break, and what had to go wrong for it.
fn broken(session: &Session, breach: &Breach, width: u16) -> Vec<Line> {
    let mut lines = wrap(&[(format!("BROKEN: {}", breach.law), Tone::Bad)], width);
    lines.push(Line::new());
    let schedule = &session.order.schedule;
    let how = if schedule.is_empty() {
        "Nothing more had to go wrong for it."
    } else {
        "What went wrong for it, too:"
    };
    lines.extend(wrap(&[(how.to_owned(), Tone::Plain)], width));
    for one in schedule {
        lines.extend(hang("  ", Tone::Plain, &[(one.to_string(), Tone::Strong)], width));
    }
    lines.push(Line::new());
    let keys = "← steps back through how it came, E goes back to your program.".to_owned();
    lines.extend(wrap(&[(keys, Tone::Dim)], width));
    lines
}

/// What a beat has to say: the reasons nearest to the learner's answer, the story, the other reasons.
fn beat_lines(session: &Session, index: usize, beat: &Beat, reached: &Reached, width: u16) -> Vec<Line> {
    let mut lines = sighted(session, index, beat, reached, width);
    let story = prose(&beat.prose, &session.world, width);
    let (Some(prediction), Some(Some(answer))) = (&beat.prediction, session.answers.predicted.get(index))
    else {
        lines.extend(story);
        return lines;
    };
    let (near, far) = order(&reached.came_true, *answer);
    if !reached.came_true.contains(&true) {
        let text = "With these knobs none of the options came true.".to_owned();
        lines.extend(wrap(&[(text, Tone::Accent)], width));
    }
    lines.extend(reasons(session, prediction, &reached.came_true, &near, width));
    lines.push(Line::new());
    lines.extend(story);
    lines.push(Line::new());
    lines.extend(reasons(session, prediction, &reached.came_true, &far, width));
    lines
}

/// The question about what was seen, and what may have been.
fn sights(session: &Session, seen: &Seen, width: u16) -> Vec<Line> {
    let mut lines = wrap(&pieces(&seen.question, &session.world, Tone::Strong), width);
    for (index, sight) in seen.sights.iter().enumerate() {
        let text = pieces(&sight.text, &session.world, Tone::Plain);
        lines.extend(hang(&format!("  {}  ", index + 1), Tone::Accent, &text, width));
    }
    let keys = "Look at the timeline and the log. 1-4 answers, s shows".to_owned();
    lines.extend(wrap(&[(keys, Tone::Dim)], width));
    lines
}

/// What was there to be seen, once the learner has said.
fn sighted(session: &Session, index: usize, beat: &Beat, reached: &Reached, width: u16) -> Vec<Line> {
    let (Some(seen), Some(Some(Sighting::Chosen(chosen)))) = (&beat.seen, session.answers.seen.get(index))
    else {
        return Vec::new();
    };
    let there = seen.sights.iter().zip(&reached.there).filter(|(_, there)| **there);
    let (mark, tone, said) = if reached.there.get(*chosen) == Some(&true) {
        ("✓ ", Tone::Good, "Well seen: ")
    } else {
        ("✗ ", Tone::Bad, "Not so. It was: ")
    };
    let mut text = vec![(said.to_owned(), tone)];
    for (number, (sight, _)) in there.enumerate() {
        text.extend((number > 0).then(|| ("; ".to_owned(), Tone::Plain)));
        text.extend(pieces(&sight.text, &session.world, Tone::Strong));
    }
    let mut lines = hang(mark, tone, &text, width);
    lines.push(Line::new());
    lines
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
    let ended = session.tape.newest().ended;
    let missed = session.take().beats.get(session.reached.len()).filter(|_| ended);
    let says = session.lesson().study.say.is_some();
    let text = match (session.open_question(), ended) {
        (_, true) if session.order.take + 1 < takes => "Enter: the next take.",
        (_, true) if says => "Enter: now say it yourself, then the next lesson.",
        (_, true) => "Enter: the next lesson.",
        (Some(_), false) => "Enter: a question first.",
        (None, false) => "Enter or Space: go on.",
    };
    let mut lines = vec![Line::new()];
    if let Some(beat) = missed {
        let why = format!("The run is over, and with these knobs it never came to “{}”.", beat.title);
        lines.extend(wrap(&[(why, Tone::Plain)], width));
        lines.push(Line::new());
    }
    if ended {
        lines.extend(server_has(session, width));
        lines.extend(goals(session, width));
    }
    lines.extend(wrap(&[(text.to_owned(), Tone::Accent)], width));
    lines
}

/// Which of the ways the lesson speaks of this very server would take.
fn server_has(session: &Session, width: u16) -> Vec<Line> {
    let Some(server) = session.server.as_ref().filter(|_| session.take().looks_at_server) else {
        return Vec::new();
    };
    let listed = |wanted: bool| {
        let names = server.compares_by.iter().filter(|(_, has)| *has == wanted).map(|(name, _)| *name);
        let names: Vec<_> = names.collect();
        if names.is_empty() { "none of them".to_owned() } else { names.join(", ") }
    };
    let text = vec![
        (format!("This server, {}, takes the script and: ", server.name), Tone::Plain),
        (listed(true), Tone::Good),
        (". It has not: ".to_owned(), Tone::Plain),
        (format!("{}.", listed(false)), Tone::Dim),
    ];
    let mut lines = wrap(&text, width);
    lines.push(Line::new());
    lines
}

/// What the learner may try with the knobs, and whether this run has reached it.
fn goals(session: &Session, width: u16) -> Vec<Line> {
    let here = |goal: &&Goal| goal.take == session.order.take;
    let mut lines = Vec::new();
    for goal in session.lesson().study.goals.iter().filter(here) {
        let (mark, tone, end) = if goal.when.holds(&session.world) {
            ("✓ ", Tone::Good, "Reached.")
        } else {
            ("▸ ", Tone::Accent, by_which(goal))
        };
        let text = vec![(format!("{} ", goal.text), Tone::Plain), (end.to_owned(), tone)];
        lines.extend(hang(mark, tone, &text, width));
        lines.push(Line::new());
    }
    lines
}

/// The keys with which a goal is reached.
fn by_which(goal: &Goal) -> &'static str {
    match (goal.by.is_empty(), goal.hand.is_empty()) {
        (false, true) => "e turns the knobs.",
        (true, false) => "By hand: r runs it again, ; is the prompt, ! the faults.",
        _ => "e turns the knobs; by hand: ; is the prompt, ! the faults.",
    }
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

fn judgement(came_true: &[bool], answer: Answer) -> Piece {
    match answer {
        Answer::PassedOver => ("watched".to_owned(), Tone::Dim),
        Answer::Chosen(choice, _) if came_true.get(choice) == Some(&true) => ("right".to_owned(), Tone::Good),
        Answer::Chosen(_, Sureness::Certain) => ("certain, not so".to_owned(), Tone::Bad),
        Answer::Chosen(..) => ("not so".to_owned(), Tone::Bad),
    }
}

/// Which reasons come before the story, the learner's own choice first, and which after it.
fn order(came_true: &[bool], answer: Answer) -> (Vec<usize>, Vec<usize>) {
    let mut near = match answer {
        Answer::Chosen(choice, _) => vec![choice],
        Answer::PassedOver => Vec::new(),
    };
    let all = 0..came_true.len();
    let also: Vec<usize> = all.clone().filter(|index| came_true[*index] && !near.contains(index)).collect();
    near.extend(also);
    let far = all.filter(|index| !near.contains(index)).collect();
    (near, far)
}

/// Why each of these choices is right or wrong.
fn reasons(
    session: &Session,
    prediction: &Prediction,
    came_true: &[bool],
    which: &[usize],
    width: u16,
) -> Vec<Line> {
    let mut lines = Vec::new();
    for index in which {
        let Some(choice) = prediction.choices.get(*index) else { continue };
        let true_now = came_true.get(*index) == Some(&true);
        let (mark, tone) = if true_now { ("✓", Tone::Good) } else { ("✗", Tone::Dim) };
        let marker = format!("{mark} {}  ", index + 1);
        // With other knobs an option may come true that the lesson explains as wrong; its reason would mislead.
        let because = if true_now == choice.right {
            pieces(&choice.because, &session.world, Tone::Plain)
        } else {
            let so = if true_now { "With these knobs it did." } else { "With these knobs it did not." };
            vec![(so.to_owned(), Tone::Accent)]
        };
        lines.extend(hang(&marker, tone, &because, width));
    }
    lines
}
