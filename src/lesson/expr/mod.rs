//! Expressions over the world: when a beat ends, what a claim says, and numbers inside prose.
//!
//! ```text
//!   db.in_flight == 3 and not lock.held        A.line >= 7 or time > 2s
//! ```
//!
//! Small on purpose: numbers, spans of time, texts and truth, compared and combined, over a closed list of
//! [names](Name). Types are checked when a lesson is loaded, so that an expression cannot fail while it runs.

mod name;
mod parse;
mod token;
mod tree;
mod value;

pub use name::{Name, vocabulary};
pub use parse::{ExprError, parse};
pub use tree::Expr;
pub use value::{Kind, Value};
