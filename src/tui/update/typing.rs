//! What the keys of a line being typed do to it.

use tui_input::InputRequest;

use crate::tui::message::Message;

/// The change that a message asks of a line.
pub(super) fn request(message: &Message) -> Option<InputRequest> {
    Some(match message {
        Message::Insert(c) => InputRequest::InsertChar(*c),
        Message::Erase => InputRequest::DeletePrevChar,
        Message::EraseNext => InputRequest::DeleteNextChar,
        Message::EraseWord => InputRequest::DeletePrevWord,
        Message::EraseLine => InputRequest::DeleteLine,
        Message::LineStart => InputRequest::GoToStart,
        Message::LineEnd => InputRequest::GoToEnd,
        Message::Less => InputRequest::GoToPrevChar,
        Message::More => InputRequest::GoToNextChar,
        _ => return None,
    })
}
