//! The terminal app.
//!
//! ```text
//! key ─▶ Message ─▶ update ─▶ Effect ─▶ runtime ─▶ host (the lab's thread)
//!                     │                               │ events
//!                   Model: cursor over a Tape ◀───────┘
//!                     │
//!                   scene (what a screen shows, as data) ─▶ view ─▶ Buffer
//! ```
//!
//! Laws: only `runtime` and `host` wait; `update` alone changes the model; drawing reads and nothing else. Scrubbing
//! moves a cursor over what is recorded, so that looking back never sends anything to Redis.

mod answers;
mod app;
mod drilling;
mod editor;
mod effect;
mod files;
mod glyphs;
mod headless;
mod host;
mod interviewing;
mod keys;
mod learner;
mod levers;
mod manual;
mod message;
mod model;
mod notebook;
mod prompt;
mod recall;
mod runtime;
mod scene;
mod scroll;
mod session;
mod tape;
mod terminal;
mod theme;
mod update;
mod view;
mod watch;
mod workbench;

pub use app::{App, Opening};
pub use drilling::Sitting;
pub use glyphs::Glyphs;
pub use headless::Headless;
pub use host::{Bench, Connect, NoLine, ServerCard};
pub use keys::{Binding, Place, TABLE};
pub use notebook::Notebook;
pub use recall::{Expected, Posed, course, pose};
pub use runtime::AppError;
pub use scene::still;
pub use theme::ThemeName;
pub use view::{crowded, report};
