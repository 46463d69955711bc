//! The program listing, with worker letters as program counters.

use std::collections::BTreeMap;

use ratatui::layout::Rect;

use super::paint::{Edge, Paint};
use crate::lab::{Phase, Seen, WorkerId};
use crate::tui::scroll::Scroll;
use crate::tui::session::{Pane, Session};
use crate::tui::theme::Tone;

/// Columns for worker letters.
const MARGIN: usize = 3;

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, edge: Edge, session: &Session) {
    let followed = followed(session);
    let member = followed.and_then(|id| session.world.opening.as_ref()?.cast.get(id.index()));
    let index = member.map_or(session.take().program, |member| member.program);
    let Some(program) = session.lesson().programs.get(index) else { return };
    // The learner's own program stands in for the take's main one.
    let repair = session.order.repair.as_deref().filter(|_| index == session.take().program);
    let (name, source) =
        repair.map_or((program.name.as_str(), program.source.as_str()), |repair| ("your repair", repair));
    let right = [(name.to_owned(), Tone::Dim)];
    let inner = paint.pane(area, edge, "program", &right, session.focus == Pane::Program);
    let counters = counters(session, index);
    let mover = session.world.on_the_way().next().map(|(id, _)| id);
    let lines: Vec<&str> = source.lines().collect();
    let busiest = followed.and_then(|id| session.world.workers.get(id.index())).and_then(|seen| seen.line);
    let scroll = scroll(lines.len(), inner.height, busiest, &session.program_scroll);
    for (y, (number, text)) in (inner.y..inner.bottom()).zip((1_u32..).zip(&lines).skip(scroll)) {
        let here = counters.get(&number);
        let moves = here.is_some_and(|workers| mover.is_some_and(|mover| workers.contains(&mover)));
        let letters = here.map(|workers| letters(workers)).unwrap_or_default();
        let tone = here.and_then(|workers| workers.first()).map_or(Tone::Plain, |id| Tone::Owner(id.index()));
        paint.text(inner.x, y, &format!("{letters:>MARGIN$}"), tone, MARGIN as u16);
        let arrow = if moves { paint.glyphs.pick("▸", ">") } else { " " };
        paint.text(inner.x + MARGIN as u16, y, arrow, Tone::Accent, 1);
        paint.text(inner.x + MARGIN as u16 + 1, y, &format!("{number:>2} "), Tone::Dim, 3);
        let (code, comment) = split_comment(text);
        let x = inner.x + MARGIN as u16 + 4;
        let room = inner.right().saturating_sub(x);
        let tone = if moves { Tone::Strong } else { Tone::Code };
        let used = paint.text(x, y, code, tone, room);
        paint.text(x + used, y, comment, Tone::Dim, room.saturating_sub(used));
    }
}

/// Whose program is shown, and whose line is kept in sight: the lock's owner while it works, or else who moves next.
fn followed(session: &Session) -> Option<WorkerId> {
    let world = &session.world;
    let works = |id: &WorkerId| world.workers.get(id.index()).is_some_and(Seen::is_active);
    world.lock.owner().filter(works).or_else(|| world.on_the_way().next().map(|(id, _)| id))
}

/// Who stands on which line of this program.
fn counters(session: &Session, program: usize) -> BTreeMap<u32, Vec<WorkerId>> {
    let world = &session.world;
    let mut counters: BTreeMap<u32, Vec<WorkerId>> = BTreeMap::new();
    let Some(opening) = &world.opening else { return counters };
    for (number, (seen, member)) in (0..).zip(world.workers.iter().zip(&opening.cast)) {
        let stands = seen.is_active() || seen.phase == Phase::Crashed;
        if let Some(line) = seen.line.filter(|_| stands && member.program == program) {
            counters.entry(line).or_default().push(WorkerId(number));
        }
    }
    counters
}

/// `A`, `BC`, or how many.
fn letters(workers: &[WorkerId]) -> String {
    if workers.len() <= 3 && workers.iter().all(|id| id.index() < 26) {
        workers.iter().map(|id| id.letter()).collect()
    } else {
        workers.len().to_string()
    }
}

/// How many lines are scrolled out: what the learner asked for, moved as far as needed to show the busiest line.
fn scroll(lines: usize, height: u16, busiest: Option<u32>, asked: &Scroll) -> usize {
    let out = usize::from(asked.out(lines, height));
    if asked.is_moved() {
        return out;
    }
    let height = usize::from(height);
    let most = lines.saturating_sub(height);
    busiest.map_or(0, |line| (line as usize).saturating_sub(height.saturating_sub(1)).min(most))
}

fn split_comment(line: &str) -> (&str, &str) {
    line.find("--").map_or((line, ""), |at| line.split_at(at))
}
