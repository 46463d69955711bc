//! The lanes of the timeline.

use super::axis::Axis;
use crate::lab::{LabTime, Life, Mark, Phase, Seen, Sign, Span, Turn, Wait, WorkerId, World};
use crate::tui::glyphs::Glyph;
use crate::tui::theme::Tone;

/// One column of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub glyph: Glyph,
    pub tone: Tone,
}

/// A lane: its name, its cells, and what it says at the right end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub label: String,
    pub tone: Tone,
    pub cells: Vec<Cell>,
    /// The line of the program, or a number.
    pub line: String,
    /// In words, for wide screens.
    pub state: String,
    pub moves_next: bool,
}

impl Lane {
    fn new(label: impl Into<String>, tone: Tone) -> Self {
        Self {
            label: label.into(),
            tone,
            cells: Vec::new(),
            line: String::new(),
            state: String::new(),
            moves_next: false,
        }
    }
}

/// Where drawing stops: nothing is known after `now`, and what follows an open question is hidden.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) axis: &'a Axis,
    pub(super) now: LabTime,
    pub(super) width: usize,
    /// How many columns after now are hidden.
    pub(super) hidden: usize,
}

impl Frame<'_> {
    /// Builds a lane's cells from what each column's time gives.
    fn cells(&self, mut cell: impl FnMut(LabTime, LabTime) -> Cell) -> Vec<Cell> {
        let until = self.axis.column(self.now).unwrap_or(self.width);
        (0..self.width)
            .map(|column| {
                if column > until {
                    let hidden = column <= until + self.hidden;
                    let glyph = if hidden { Glyph::Hidden } else { Glyph::Blank };
                    return Cell { glyph, tone: Tone::Dim };
                }
                match self.axis.span(column) {
                    Some((from, to)) => cell(from, to),
                    None => Cell { glyph: Glyph::Fold, tone: Tone::Dim },
                }
            })
            .collect()
    }
}

/// Who holds the lock, by letter.
pub(super) fn lock(world: &World, frame: Frame<'_>) -> Lane {
    let mut lane = Lane::new("lock", Tone::Plain);
    lane.cells = frame.cells(|from, to| {
        // The last moment of the column that is not after now.
        let at = LabTime::from_micros(to.as_micros() - 1).min(frame.now.max(from));
        let life =
            world.lock.lives.iter().rev().find(|life| life.from <= at && life.deadline_at(at).is_some());
        match life {
            None => Cell { glyph: Glyph::Absent, tone: Tone::Dim },
            Some(life) => {
                let tone = life.owner.map_or(Tone::Accent, |owner| Tone::Owner(owner.index()));
                let glyph = match life.deadline_at(at) {
                    Some(None) => Glyph::Endless,
                    _ => Glyph::Letter(life.owner.map_or('?', WorkerId::letter)),
                };
                Cell { glyph, tone }
            }
        }
    });
    lane.line = world.lock.owner().map_or_else(|| "-".to_owned(), |owner| owner.to_string());
    lane.state = match world.lock.current() {
        None => "free".to_owned(),
        Some(life) => match life.deadline() {
            None => "never ends".to_owned(),
            Some(deadline) => format!("{} left", deadline.since(frame.now)),
        },
    };
    lane
}

/// How many queries run, as digits or, for large pools, as bars.
pub(super) fn database(world: &World, frame: Frame<'_>) -> Lane {
    let mut lane = Lane::new("db", Tone::Plain);
    let history = &world.database.history;
    let most = world.pool().max(1);
    lane.cells = frame.cells(|from, to| {
        let after = history.partition_point(|(at, _)| *at < to.as_micros());
        let before = history.partition_point(|(at, _)| *at <= from.as_micros());
        let start = before.checked_sub(1).map_or(0, |index| history[index].1);
        let peak = history[before.min(after)..after]
            .iter()
            .map(|(_, count)| *count)
            .max()
            .unwrap_or(start)
            .max(start);
        let tone = if peak > 1 { Tone::Bad } else { Tone::Plain };
        let glyph = match peak {
            0 => return Cell { glyph: Glyph::Absent, tone: Tone::Dim },
            peak if most <= 9 => Glyph::Digit(peak as u8),
            peak => Glyph::Level(level(peak, most)),
        };
        Cell { glyph, tone }
    });
    lane.line = world.database.in_flight.to_string();
    lane.state = format!("of pool {}", world.pool());
    lane
}

/// One worker's path.
pub(super) fn worker(world: &World, id: WorkerId, frame: Frame<'_>) -> Lane {
    let mut lane = Lane::new(id.to_string(), Tone::Owner(id.index()));
    let Some(seen) = world.workers.get(id.index()) else { return lane };
    let own = Tone::Owner(id.index());
    lane.cells = frame.cells(|from, to| match strongest(&seen.marks, from, to) {
        // Who waits looks again and again; the waiting says it better.
        Some(Sign::Miss) if seen.phase_at(from) == Phase::Waiting => {
            phase_cell(world, id, Phase::Waiting, from, own)
        }
        Some(sign) => Cell { glyph: glyph_of(sign), tone: if sign >= Sign::Stole { Tone::Bad } else { own } },
        None => phase_cell(world, id, seen.phase_at(from), from, own),
    });
    lane.line = match seen.phase {
        Phase::NotYet | Phase::Done | Phase::Crashed => String::new(),
        _ => seen.line.map(|line| line.to_string()).unwrap_or_default(),
    };
    lane.state = state(world, id, seen, frame.now);
    lane.moves_next = world.on_the_way().next().is_some_and(|(next, _)| next == id);
    lane
}

fn phase_cell(world: &World, id: WorkerId, phase: Phase, at: LabTime, own: Tone) -> Cell {
    match phase {
        Phase::NotYet | Phase::Done | Phase::Crashed => Cell::default(),
        Phase::Reading | Phase::Working => Cell { glyph: Glyph::Busy, tone: Tone::Dim },
        Phase::Waiting | Phase::Queued => Cell { glyph: Glyph::Waiting, tone: Tone::Dim },
        Phase::Paused => Cell { glyph: Glyph::Paused, tone: Tone::Accent },
        Phase::Querying if !world.has_lock() || owned_at(world, id, at) => {
            Cell { glyph: Glyph::Owned, tone: own }
        }
        Phase::Querying => Cell { glyph: Glyph::Unowned, tone: own },
    }
}

fn owned_at(world: &World, id: WorkerId, at: LabTime) -> bool {
    let holds =
        |life: &Life| life.owner == Some(id) && life.from <= at && life.end.is_none_or(|(end, _)| at < end);
    world.lock.lives.iter().rev().any(holds)
}

fn strongest(marks: &[Mark], from: LabTime, to: LabTime) -> Option<Sign> {
    let first = marks.partition_point(|mark| mark.at < from);
    marks[first..].iter().take_while(|mark| mark.at < to).map(|mark| mark.sign).max()
}

fn glyph_of(sign: Sign) -> Glyph {
    match sign {
        Sign::Miss => Glyph::Miss,
        Sign::Hit => Glyph::Hit,
        Sign::Acquired => Glyph::Acquired,
        Sign::Wrote => Glyph::Wrote,
        Sign::Renewed => Glyph::Renewed,
        Sign::Released | Sign::Stole => Glyph::Released,
        Sign::ReleaseRefused => Glyph::Refused,
        Sign::Cut => Glyph::Cut,
        Sign::Crashed => Glyph::Crashed,
    }
}

fn state(world: &World, id: WorkerId, seen: &Seen, now: LabTime) -> String {
    let left = |until: LabTime| until.since(now);
    match (seen.phase, &seen.waits) {
        (Phase::NotYet, _) => String::new(),
        (Phase::Crashed, _) => "crashed".to_owned(),
        (Phase::Done, _) => match (&seen.error, seen.served) {
            (Some(_), _) => "failed".to_owned(),
            (None, Some((_, quality))) => format!("{quality:?}").to_ascii_lowercase(),
            (None, None) => "done".to_owned(),
        },
        (Phase::Paused, _) => "stands still".to_owned(),
        (_, Some(Wait::Reply(name))) => {
            let on_the_way = world.on_the_way().any(|(worker, _)| worker == id);
            if on_the_way { format!("about to {name}") } else { format!("{name} answered") }
        }
        (_, Some(Wait::Sleep(until))) => {
            format!("next try {}", Span::from_millis(left(*until).as_millis_up()))
        }
        (_, Some(Wait::Query(until))) => format!("query {}", left(*until)),
        (_, Some(Wait::Pool)) => "queued".to_owned(),
        (_, Some(Wait::Turn(Turn::Thread))) => "no thread free".to_owned(),
        (_, Some(Wait::Turn(Turn::Flight))) => "waits for a load".to_owned(),
        (_, Some(Wait::Turn(Turn::Permit))) => "no permit free".to_owned(),
        _ => String::new(),
    }
}

/// Which workers a lane may show when there are too many for one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crowd {
    Waiting,
    Queued,
    Querying,
    Done,
}

impl Crowd {
    fn label(self) -> &'static str {
        match self {
            Self::Waiting => "wait",
            Self::Queued => "queue",
            Self::Querying => "query",
            Self::Done => "done",
        }
    }

    fn has(self, phase: Phase) -> bool {
        match self {
            Self::Waiting => phase == Phase::Waiting,
            Self::Queued => phase == Phase::Queued,
            Self::Querying => phase == Phase::Querying,
            Self::Done => phase == Phase::Done,
        }
    }

    /// True when one of these workers has been so.
    pub(super) fn occurs(self, world: &World, among: &[WorkerId]) -> bool {
        among
            .iter()
            .filter_map(|id| world.workers.get(id.index()))
            .any(|seen| seen.path.iter().any(|s| self.has(s.phase)))
    }
}

/// How many of a crowd are in one state, as bars that reach their full height when all are.
pub(super) fn crowd(world: &World, which: Crowd, among: &[WorkerId], frame: Frame<'_>) -> Lane {
    let mut lane = Lane::new(which.label(), Tone::Plain);
    let all = among.len().max(1);
    let seen: Vec<&Seen> = among.iter().filter_map(|id| world.workers.get(id.index())).collect();
    let count = |at: LabTime| seen.iter().filter(|seen| which.has(seen.phase_at(at))).count();
    lane.cells = frame.cells(|from, to| {
        let at = LabTime::from_micros(to.as_micros() - 1).min(frame.now.max(from));
        match count(at) {
            0 => Cell { glyph: Glyph::Absent, tone: Tone::Dim },
            n => Cell {
                glyph: Glyph::Level(level(n, all)),
                tone: if which == Crowd::Done { Tone::Good } else { Tone::Plain },
            },
        }
    });
    lane.line = seen.iter().filter(|seen| which.has(seen.phase)).count().to_string();
    lane.state = format!("of {all}");
    lane
}

/// `count` of `most` in eighths, never nothing.
fn level(count: usize, most: usize) -> u8 {
    ((count * 8).div_ceil(most.max(1))).clamp(1, 8) as u8
}
