//! A file of a lesson, able to say where in it something is wrong.

use std::ops::Range;

use serde::de::DeserializeOwned;

use super::error::{LessonError, did_you_mean};

/// A file's path and text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
}

impl Source<'_> {
    /// An error about the bytes in `range`.
    pub(super) fn error(
        &self,
        range: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> LessonError {
        let start = floor(self.text, range.start);
        let before = self.text.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = self.text.get(line_start..).unwrap_or_default();
        let source_line = rest.lines().next().unwrap_or_default();
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        let end = floor(self.text, range.end.min(line_start + source_line.len()));
        let width = self.text.get(start..end).map_or(1, |text| text.chars().count());
        LessonError {
            path: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
            column,
            source_line: source_line.to_owned(),
            width,
            message: message.into(),
            expected: expected.into(),
        }
    }

    /// Reads the TOML that stands in `range` of this file.
    pub(super) fn toml<T: DeserializeOwned>(&self, range: Range<usize>) -> Result<T, LessonError> {
        let text = self.text.get(range.clone()).unwrap_or_default();
        toml::from_str(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let (message, expected) = match error.message().split_once(", expected ") {
                Some((message, expected)) => (message.to_owned(), expected.to_owned()),
                None => (error.message().to_owned(), String::new()),
            };
            let expected = match suggestion(&message, &expected) {
                hint if hint.is_empty() => expected,
                hint => format!("{expected}; {hint}"),
            };
            self.error(range.start + span.start..range.start + span.end, message, expected)
        })
    }
}

/// For "unknown field `x`" and a list of known ones: the nearest.
fn suggestion(message: &str, expected: &str) -> String {
    let Some(word) = message.strip_prefix("unknown ").and_then(|rest| rest.split('`').nth(1)) else {
        return String::new();
    };
    did_you_mean(word, expected.split('`').skip(1).step_by(2))
}

/// The nearest character boundary at or below `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_points_at_its_line_and_column() {
        let source = Source { path: "l.md", text: "one\n  two é three\nfour" };
        let at = source.text.find("three").unwrap();
        let error = source.error(at..at + 5, "too many", "two");
        assert_eq!((error.line, error.column, error.width), (2, 9, 5));
        let shown = error.to_string();
        assert!(
            shown.contains("--> l.md:2:9") && shown.contains("2 |   two é three\n   |         ^^^^^"),
            "{shown}"
        );
    }
}
