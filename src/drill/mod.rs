//! Recall: cards, when they are due, and progress that is never lost.
//!
//! ```text
//!   an answer ─▶ Entry ─▶ Store ──appends──▶ answers.jsonl      (the truth; only ever grows)
//!                           │ folds
//!                           ▼
//!                        Progress ──now and then──▶ progress.json (so that a start need not read everything)
//!                           │
//!          Deck ──────────▶ queue: what is due now, what tomorrow
//! ```
//!
//! Law: everything that was answered is in the log before the next question is asked, or waits in memory and is told of; and
//! nothing that stands in the log is ever changed. It knows no lessons and no screens: lessons are names here, and whoever shows cards hands them in.

mod card;
mod deck;
mod entry;
mod interview;
mod memory;
mod outcome;
mod progress;
mod queue;
mod records;
mod retention;
mod snapshot;
mod store;
mod time;

pub use card::{Card, Kind, shuffled};
pub use deck::{Deck, DeckError, INTERVIEW};
pub use entry::{Confidence, Did, Entry, Grade};
pub use interview::{Flag, Interview, Level, Point, Question};
pub use memory::{Memory, Phase};
pub use outcome::{Outcome, red_flags};
pub use progress::{Progress, question_of};
pub use queue::{Limits, Queue, forecast, queue};
pub use records::{Before, CardRecord, DayRecord, InterviewRecord, LessonRecord, Standing};
pub use retention::Retention;
pub use store::{Store, StoreError};
pub use time::{At, Calendar, Day, spoken};
