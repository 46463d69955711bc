//! Prose: paragraphs and items of styled words, with numbers that the lab measures.
//!
//! `{db.hits}` in a sentence is an expression; a screen puts the value in that the world at its cursor gives. `{{`
//! is a brace. Lines of code stand as they are.

use std::ops::Range;

use super::error::LessonError;
use super::expr::{self, Expr};
use super::source::Source;
use crate::lab::World;

/// A text in blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prose {
    pub blocks: Vec<Block>,
}

/// A paragraph, a list item, or a line of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub kind: BlockKind,
    pub text: Sentence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Paragraph,
    Item,
    Code,
}

/// Words in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    pub parts: Vec<(Style, Inline)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    #[default]
    Plain,
    Code,
    Emphasis,
    Strong,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    Text(String),
    Value(Expr),
}

impl Prose {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }
}

impl Sentence {
    pub fn plain(text: impl Into<String>) -> Self {
        Self { parts: vec![(Style::Plain, Inline::Text(text.into()))] }
    }

    /// The sentence with its values as they are in `world`.
    pub fn text(&self, world: &World) -> String {
        self.parts.iter().map(|(_, inline)| inline.text(world)).collect()
    }
}

impl Inline {
    pub fn text(&self, world: &World) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Value(expr) => expr.value(world).to_string(),
        }
    }
}

/// What expressions in prose may name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub(super) knobs: &'a [String],
    pub(super) cast: usize,
}

/// Splits `text`, which stands at `at` in its file, into words, `code` and values.
pub(super) fn sentence(
    source: &Source<'_>,
    at: Range<usize>,
    text: &str,
    names: Names<'_>,
) -> Result<Sentence, LessonError> {
    let mut sentence = Sentence::default();
    let mut start = at.start;
    for (index, part) in text.split('`').enumerate() {
        let style = if index % 2 == 1 { Style::Code } else { Style::Plain };
        inlines(source, start, part, style, names, &mut sentence)?;
        start += part.len() + 1;
    }
    Ok(sentence)
}

/// Adds `text` in one style to a sentence.
pub(super) fn inlines(
    source: &Source<'_>,
    at: usize,
    text: &str,
    style: Style,
    names: Names<'_>,
    to: &mut Sentence,
) -> Result<(), LessonError> {
    let mut words = String::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        if c != '{' {
            words.push(c);
            continue;
        }
        if rest.next_if(|(_, next)| *next == '{').is_some() {
            words.push('{');
            continue;
        }
        let inner = text.get(start + 1..).unwrap_or_default();
        let Some(end) = inner.find('}') else {
            let range = at + start..at + start + 1;
            return Err(source.error(
                range,
                "this brace is never closed",
                "`}` after the expression, or `{{` for a brace",
            ));
        };
        let expr =
            expr::parse(inner.get(..end).unwrap_or_default(), names.knobs, names.cast).map_err(|error| {
                let base = at + start + 1;
                source.error(base + error.range.start..base + error.range.end, error.message, error.expected)
            })?;
        if !words.is_empty() {
            to.parts.push((style, Inline::Text(std::mem::take(&mut words))));
        }
        to.parts.push((style, Inline::Value(expr)));
        while rest.next_if(|(index, _)| *index <= start + 1 + end).is_some() {}
    }
    if !words.is_empty() {
        to.parts.push((style, Inline::Text(words)));
    }
    Ok(())
}
