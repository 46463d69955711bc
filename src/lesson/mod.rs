//! Lesson files and what they mean.
//!
//! A lesson is a folder: `lesson.md` (TOML front matter between `+++` lines, then Markdown) and one Lua file per
//! program. [`Shelf`] finds lessons, [`load()`] reads one, [`Lesson::stage`] turns a take, knobs and a seed into the
//! lab's [`Setup`](crate::lab::Setup).
//!
//! ```text
//!   lesson.md ──front──▶ keys, knobs, database, takes (cast, faults, claims)
//!       └─────body────▶ hook, then `# take`, then `## beat` with its prose and its prediction
//! ```
//!
//! Every error is a [`LessonError`]: file, line, column, the line itself with a caret, and what was expected.
//! It leaves to others: running ([`lab`](crate::lab)), verdicts (`judge`), drawing (`tui`).

mod body;
mod error;
pub mod expr;
mod front;
mod glossary;
mod lint;
mod load;
mod model;
mod prose;
mod shelf;
mod source;
mod stage;
mod study;
mod survey;
mod trial;

pub use error::LessonError;
pub use expr::Value;
pub use glossary::{Term, glossary};
pub use lint::lint;
pub use load::{Folder, load};
pub use model::{
    Beat, CastEntry, Choice, Claim, ClaimTime, Count, FaultEntry, Knob, Lesson, Need, Prediction, Seen,
    Sight, Take,
};
pub use prose::{Block, BlockKind, Inline, Prose, Sentence, Style};
pub use shelf::{Shelf, ShelfError, folders};
pub use stage::{Knobs, StageError};
pub use study::{Card, Goal, Say, Study};
pub use survey::{Curve, Survey};
pub use trial::{Binds, Law, Repair, Trial, Trouble};
