//! An author's error: where it is, what it is, and what was expected.

use std::fmt;

/// A mistake in a lesson's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonError {
    pub path: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The line as it stands in the file; empty when the error is about a whole file.
    pub source_line: String,
    /// How many characters the caret underlines.
    pub width: usize,
    pub message: String,
    /// What was expected instead; empty when the message says it all.
    pub expected: String,
}

impl LessonError {
    /// An error about a file as a whole.
    pub fn of_file(path: impl Into<String>, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line: 1,
            column: 1,
            source_line: String::new(),
            width: 0,
            message: message.into(),
            expected: expected.into(),
        }
    }
}

impl std::error::Error for LessonError {}

impl fmt::Display for LessonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  --> {}:{}:{}", self.message, self.path, self.line, self.column)?;
        if !self.source_line.is_empty() {
            let number = self.line.to_string();
            let margin = " ".repeat(number.len());
            let indent: String = self
                .source_line
                .chars()
                .take(self.column - 1)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let carets = "^".repeat(self.width.max(1));
            write!(f, "\n {margin} |\n {number} | {}\n {margin} | {indent}{carets}", self.source_line)?;
        }
        if !self.expected.is_empty() {
            write!(f, "\n   = expected: {}", self.expected)?;
        }
        Ok(())
    }
}

/// The nearest of `known` to a word that is none of them, as a question to append; empty when nothing is near.
pub(super) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .filter(|(distance, name)| *distance <= 2.max(name.len() / 4))
        .min()
        .map_or_else(String::new, |(_, name)| format!("did you mean `{name}`?"))
}
