//! Cards on a screen: the deck of the course, and each card made ready to be asked.
//!
//! What a card says that only a run or a server knows (a timeline, a reply, a number in a question) is not written anywhere:
//! it is run when the card comes up.

mod course;
mod pose;

pub use course::course;
pub use pose::{Expected, Posed, pose};
