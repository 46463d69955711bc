//! Words of an expression, each with its place.

use std::ops::Range;

use super::parse::ExprError;
use crate::lab::Span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Number(i64),
    /// Microseconds.
    Time(i64),
    Text(String),
    /// A name, or one of `and`, `or`, `not`, `true`, `false`.
    Word(String),
    /// An operator or a parenthesis.
    Sign(&'static str),
}

const SIGNS: &[&str] = &["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "(", ")"];

pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, ExprError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        let (token, length) = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '0'..='9' => number(rest, at)?,
            '\'' => quoted(rest, at)?,
            c if c.is_ascii_alphabetic() || c == '_' => {
                let word = leading(rest, |c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
                (Token::Word(word.to_owned()), word.len())
            }
            c => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => {
                    return Err(ExprError::new(
                        at..at + c.len_utf8(),
                        format!("`{c}` has no meaning here"),
                        "a name, a number, a time like 5s, or one of == != < <= > >= + - * and or not ( )",
                    ));
                }
            },
        };
        found.push((token, at..at + length));
        at += length;
    }
    Ok(found)
}

fn leading(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    text.find(|c| !belongs(c)).and_then(|end| text.get(..end)).unwrap_or(text)
}

fn number(rest: &str, at: usize) -> Result<(Token, usize), ExprError> {
    let word = leading(rest, |c| c.is_ascii_alphanumeric() || c == '.');
    let wrong = |expected| {
        ExprError::new(at..at + word.len(), format!("`{word}` is neither a number nor a time"), expected)
    };
    if let Ok(n) = word.parse() {
        return Ok((Token::Number(n), word.len()));
    }
    let span: Span =
        word.parse().map_err(|_| wrong("a whole number, or a time with a unit: us, ms, s, min or h"))?;
    Ok((Token::Time(span.as_micros().cast_signed()), word.len()))
}

fn quoted(rest: &str, at: usize) -> Result<(Token, usize), ExprError> {
    let inner = rest.get(1..).unwrap_or_default();
    match inner.find('\'') {
        Some(end) => Ok((Token::Text(inner.get(..end).unwrap_or_default().to_owned()), end + 2)),
        None => Err(ExprError::new(at..at + rest.len(), "this text has no end", "a closing '")),
    }
}
