//! Lab time on columns.
//!
//! The scale is the finest round one at which everything so far fits. Long stretches in which nothing happened are
//! folded to a few columns, so that an hour of waiting does not squeeze the second that matters.

use crate::lab::{LabTime, Span};

/// A stretch without a step longer than this is folded.
const FOLD_AFTER: Span = Span::from_secs(20);

/// The width of a fold.
const FOLD_WIDTH: usize = 5;

/// The part of the width that time so far may fill; the rest is left for what comes.
const FILL: f64 = 0.86;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    from: LabTime,
    to: LabTime,
    /// The column where it begins, before the window is moved.
    column: usize,
    folded: bool,
}

/// A mapping between moments and columns.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    segments: Vec<Segment>,
    per_column: Span,
    width: usize,
    /// How many columns have been scrolled out on the left.
    offset: usize,
}

impl Axis {
    /// An axis for what happened at `times` (in order) until `now`.
    pub(crate) fn new(
        times: impl Iterator<Item = LabTime>,
        now: LabTime,
        width: usize,
        magnified: u8,
    ) -> Self {
        let stretches = stretches(times, now);
        let folds = stretches.iter().filter(|(_, _, folded)| *folded).count();
        let open: u64 = stretches
            .iter()
            .filter(|(_, _, folded)| !folded)
            .map(|(from, to, _)| to.since(*from).as_micros())
            .sum();
        let room =
            ((width as f64 * FILL) as usize).saturating_sub(folds * FOLD_WIDTH + stretches.len()).max(1);
        let mut per_column = round_up(open / room as u64);
        for _ in 0..magnified {
            per_column = round_up(per_column / 4);
        }
        let per_column = Span::from_micros(per_column);
        let mut column = 0;
        let mut segments = Vec::new();
        for (from, to, folded) in stretches {
            segments.push(Segment { from, to, column, folded });
            column += if folded {
                FOLD_WIDTH
            } else {
                (to.since(from).as_micros() / per_column.as_micros()) as usize + 1
            };
        }
        let mut axis = Self { segments, per_column, width, offset: 0 };
        let limit = (width as f64 * FILL) as usize;
        axis.offset = axis.place(now).saturating_sub(limit);
        axis
    }

    pub(crate) fn per_column(&self) -> Span {
        self.per_column
    }

    fn place(&self, at: LabTime) -> usize {
        let index = self.segments.partition_point(|segment| segment.from <= at).saturating_sub(1);
        let Some(segment) = self.segments.get(index) else { return 0 };
        let into = at.since(segment.from).as_micros();
        let length = segment.to.since(segment.from).as_micros().max(1);
        segment.column
            + if segment.folded {
                (into * FOLD_WIDTH as u64 / length) as usize
            } else {
                (into / self.per_column.as_micros()) as usize
            }
    }

    /// The column of a moment, if it is in the window.
    pub(crate) fn column(&self, at: LabTime) -> Option<usize> {
        self.place(at).checked_sub(self.offset).filter(|column| *column < self.width)
    }

    /// The time that a column stands for; `None` inside a fold.
    pub(crate) fn span(&self, column: usize) -> Option<(LabTime, LabTime)> {
        let column = column + self.offset;
        let index = self.segments.partition_point(|segment| segment.column <= column).saturating_sub(1);
        let segment = self.segments.get(index)?;
        if segment.folded {
            return None;
        }
        let micros = self.per_column.as_micros();
        let from = segment.from.as_micros() + (column - segment.column) as u64 * micros;
        Some((LabTime::from_micros(from), LabTime::from_micros(from + micros)))
    }

    /// The labels of the axis: columns and texts at round times, not touching one another. Where time goes on after a
    /// fold its first moment has a label before others do.
    pub(crate) fn ticks(&self) -> Vec<(usize, String)> {
        let every = round_up(self.per_column.as_micros() * 10).max(1);
        let mut ticks: Vec<(usize, String)> = Vec::new();
        let mut add = |column: usize, label: String| {
            let end = column + label.chars().count() + 2;
            let apart = |(at, text): &(usize, String)| end <= *at || at + text.chars().count() + 2 <= column;
            if end <= self.width + 1 && ticks.iter().all(apart) {
                ticks.push((column, label));
            }
        };
        for segment in self.segments.iter().filter(|segment| !segment.folded) {
            if let Some(column) = segment.column.checked_sub(self.offset) {
                add(column, label(segment.from.as_micros(), every));
            }
        }
        for column in 0..self.width {
            let Some((from, to)) = self.span(column) else { continue };
            let next = from.as_micros().div_ceil(every) * every;
            if next < to.as_micros() {
                add(column, label(next, every));
            }
        }
        ticks.sort_unstable();
        ticks
    }
}

/// Splits time until `now` where nothing happened for long.
fn stretches(times: impl Iterator<Item = LabTime>, now: LabTime) -> Vec<(LabTime, LabTime, bool)> {
    let mut stretches = Vec::new();
    let mut begun = LabTime::START;
    let mut last = LabTime::START;
    for at in times.filter(|at| *at <= now).chain([now]) {
        if at.since(last) > FOLD_AFTER {
            stretches.push((begun, last, false));
            stretches.push((last + Span::from_micros(1), at, true));
            begun = at;
        }
        last = at;
    }
    stretches.push((begun, last, false));
    stretches
}

/// The next number of the form 1, 2 or 5 times a power of ten, from 100 up.
fn round_up(micros: u64) -> u64 {
    let mut power = 100;
    loop {
        for factor in [1, 2, 5] {
            if power * factor >= micros {
                return power * factor;
            }
        }
        power *= 10;
    }
}

fn label(micros: u64, every: u64) -> String {
    let seconds = micros as f64 / 1e6;
    if micros >= 120_000_000 {
        let (hours, minutes, rest) =
            (micros / 3_600_000_000, micros / 60_000_000 % 60, micros / 1_000_000 % 60);
        return if hours > 0 {
            format!("{hours}:{minutes:02}:{rest:02}")
        } else {
            format!("{minutes}:{rest:02}")
        };
    }
    match every {
        ..1000 => format!("{:.1} ms", micros as f64 / 1e3),
        1000..1_000_000 if micros < 1_000_000 => format!("{} ms", micros / 1000),
        1000..100_000 => format!("{seconds:.2} s"),
        100_000..1_000_000 => format!("{seconds:.1} s"),
        _ => format!("{seconds:.0} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> LabTime {
        LabTime::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn everything_so_far_fits_on_a_round_scale() {
        let axis = Axis::new((0..8).map(at), at(7), 60, 0);
        assert_eq!(axis.per_column(), Span::from_millis(200));
        assert_eq!(axis.column(at(0)), Some(0));
        assert_eq!(axis.column(at(7)), Some(35));
        assert_eq!(axis.span(35), Some((at(7), LabTime::from_micros(7_200_000))));
    }

    #[test]
    fn an_hour_of_nothing_is_folded() {
        let axis = Axis::new([at(0), at(1), at(3600), at(3601)].into_iter(), at(3601), 60, 0);
        let (first, second) = (axis.column(at(1)).unwrap(), axis.column(at(3600)).unwrap());
        assert!(second - first <= FOLD_WIDTH + 1, "{first} {second}");
        assert!(axis.span(first + 2).is_none(), "a fold has no time of its own");
        assert!(axis.column(at(3601)).unwrap() > second);
    }

    #[test]
    fn columns_and_times_agree_in_every_window() {
        for magnified in 0..4 {
            let axis = Axis::new((0..40).map(at), at(39), 80, magnified);
            for column in 0..80 {
                let (from, to) = axis.span(column).expect("nothing is folded here");
                assert!(from < to);
                if from <= at(39) {
                    assert_eq!(axis.column(from), Some(column));
                }
            }
            assert!(axis.column(at(39)).is_some(), "now is always in the window");
        }
    }
}
