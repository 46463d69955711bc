//! Takes of one lesson side by side: the numbers in which they differ.

use crate::lab::{Span, World};

/// A column of the table: its head, and what it says of a run that has ended.
type Column = (&'static str, fn(&World) -> Figure);

/// A figure: as it is shown, and whether it says anything at all.
struct Figure {
    text: String,
    says_something: bool,
}

impl Figure {
    fn count(n: usize) -> Self {
        Self { text: n.to_string(), says_something: n > 0 }
    }

    fn time(span: Option<Span>) -> Self {
        Self {
            text: span.map_or_else(|| "-".to_owned(), |span| span.to_string()),
            says_something: span.is_some(),
        }
    }
}

const COLUMNS: &[Column] = &[
    ("hits", |w| Figure::count(w.database.hits)),
    ("peak", |w| Figure::count(w.database.peak)),
    ("p50", |w| Figure::time(w.outcomes.percentile(50))),
    ("p99", |w| Figure::time(w.outcomes.percentile(99))),
    ("fresh", |w| Figure::count(w.outcomes.fresh)),
    ("stale", |w| Figure::count(w.outcomes.stale)),
    ("less", |w| Figure::count(w.outcomes.degraded)),
    ("failed", |w| Figure::count(w.outcomes.failed)),
    ("none", |w| Figure::count(w.outcomes.unanswered)),
    ("wrong", |w| Figure::count(w.outcomes.outdated)),
    ("thread", |w| Figure::count(if w.thread_count().is_some() { w.threads.peak } else { 0 })),
    ("health", |w| Figure::count(w.probes.failed)),
    ("stolen", |w| Figure::count(w.lock_tally.of_others)),
    ("lapsed", |w| Figure::count(w.lock_tally.expired)),
];

/// What the heads mean, for those that do not say it themselves.
pub const LEGEND: &str = "hits: queries   peak: at once   less: a placeholder   none: no answer   wrong: from before the change\n\
                          thread: the most busy at once   health: checks that failed   stolen: others' locks released   \
                          lapsed: leases";

/// Heads and rows of the runs that have ended, in order; columns in which nobody has anything to say are left away.
pub fn table(worlds: &[&World]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let says = |(_, read): &&Column| worlds.iter().any(|world| read(world).says_something);
    let columns: Vec<&Column> = COLUMNS.iter().filter(says).collect();
    let heads = columns.iter().map(|(head, _)| *head).collect();
    let row = |world: &&World| columns.iter().map(|(_, read)| read(world).text).collect();
    (heads, worlds.iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_without_anything_to_say_are_left_away() {
        let mut world = World::default();
        world.database.hits = 3;
        let (heads, rows) = table(&[&world, &World::default()]);
        assert_eq!(heads, ["hits"]);
        assert_eq!(rows, [["3"], ["0"]]);
    }
}
