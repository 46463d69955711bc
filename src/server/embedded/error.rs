//! What a command answers when it can't be done.

use std::borrow::Cow;

use super::codec::Reply;

/// An error reply: a code in capitals, a space, and a text. It may repeat what a client sent, so it need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandError(Cow<'static, [u8]>);

impl CommandError {
    /// An error with the text exactly as it goes on the wire, code included.
    pub(super) const fn new(text: &'static str) -> Self {
        Self(Cow::Borrowed(text.as_bytes()))
    }

    /// The same, put together at run time.
    pub(super) fn owned(text: impl Into<Vec<u8>>) -> Self {
        Self(Cow::Owned(text.into()))
    }

    /// The same, with a word of a client's in the middle. Redis puts it in as C does: up to a zero byte.
    pub(super) fn about(before: &str, word: &[u8], after: &str) -> Self {
        Self::owned([before.as_bytes(), c_string(word), after.as_bytes()].concat())
    }

    pub(super) const NO_MULTI_TO_DISCARD: Self = Self::new("ERR DISCARD without MULTI");
    pub(super) const SYNTAX: Self = Self::new("ERR syntax error");
    pub(super) const NOT_AN_INTEGER: Self = Self::new("ERR value is not an integer or out of range");
    pub(super) const NOT_A_FLOAT: Self = Self::new("ERR value is not a valid float");
    pub(super) const NO_SUCH_KEY: Self = Self::new("ERR no such key");
    pub(super) const OVERFLOW: Self = Self::new("ERR increment or decrement would overflow");
    pub(super) const NOT_FINITE: Self = Self::new("ERR increment would produce NaN or Infinity");
    pub(super) const TOO_LONG: Self =
        Self::new("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    pub(super) const WRONG_TYPE: Self =
        Self::new("WRONGTYPE Operation against a key holding the wrong kind of value");
    pub(super) const CROSS_SLOT: Self = Self::new("CROSSSLOT Keys in request don't hash to the same slot");
    pub(super) const DB_OUT_OF_RANGE: Self = Self::new("ERR DB index is out of range");

    pub(super) fn wrong_arity(full_name: &str) -> Self {
        Self::owned(format!("ERR wrong number of arguments for '{full_name}' command"))
    }

    pub(super) fn invalid_expire(command: &str) -> Self {
        Self::owned(format!("ERR invalid expire time in '{command}' command"))
    }

    /// The same error with more to say.
    pub(super) fn with(self, more: &str) -> Self {
        Self::owned([&*self.0, b" ", more.as_bytes()].concat())
    }

    pub(super) fn into_text(self) -> Vec<u8> {
        self.0.into_owned()
    }

    pub(super) fn into_reply(self) -> Reply {
        Reply::Error(self.0.into_owned())
    }
}

/// The part of a word that C takes for a string.
pub(super) fn c_string(word: &[u8]) -> &[u8] {
    word.split(|byte| *byte == 0).next().unwrap_or_default()
}
