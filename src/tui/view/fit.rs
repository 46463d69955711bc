//! Whether a lesson's prose fits the panel it is read in.

use super::prose::prose;
use crate::lab::World;
use crate::lesson::Lesson;

/// How wide the story is on a screen of 80x24.
const COLUMNS: u16 = 47;

/// It is eight rows high there; one key shows the other half of so many.
const ROWS: usize = 16;

/// The beats whose prose takes more rows than can be read at 80x24 without losing the thread, as complaints.
pub fn crowded(lesson: &Lesson) -> Vec<String> {
    let world = World::default();
    let mut complaints = Vec::new();
    for take in &lesson.takes {
        for beat in &take.beats {
            let rows = prose(&beat.prose, &world, COLUMNS).len();
            if rows > ROWS {
                complaints.push(format!(
                    "beat “{}” of `{}` takes {rows} rows of {COLUMNS} columns; {ROWS} fit the story at 80x24",
                    beat.title, take.name
                ));
            }
        }
    }
    complaints
}
