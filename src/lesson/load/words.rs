//! Expressions, sentences and prose, each with its place in the file.

use std::ops::Range;

use toml::Spanned;

use super::read::{Context, Loader};
use crate::lesson::body::RawBlock;
use crate::lesson::error::LessonError;
use crate::lesson::expr::{self, Expr, Kind};
use crate::lesson::prose::{self, Block, BlockKind, Inline, Names, Prose, Sentence};

impl Loader<'_> {
    /// An error about a span of the TOML that `offset` stands for.
    pub(super) fn at(
        &self,
        span: &Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> LessonError {
        self.source.error(self.offset + span.start..self.offset + span.end, message, expected)
    }

    /// An expression that is true or false.
    pub(super) fn truth(&self, text: &Spanned<String>, context: &Context<'_>) -> Result<Expr, LessonError> {
        let expr = self.expression(text, context)?;
        if expr.kind() != Kind::Truth {
            return Err(self.at(&text.span(), format!("this is {}", expr.kind()), Kind::Truth.to_string()));
        }
        Ok(expr)
    }

    /// An expression of any kind.
    pub(super) fn expression(
        &self,
        text: &Spanned<String>,
        context: &Context<'_>,
    ) -> Result<Expr, LessonError> {
        let start = self.offset + self.text_start(text);
        expr::parse(text.get_ref(), context.knobs, context.cast).map_err(|error| {
            self.source.error(
                start + error.range.start..start + error.range.end,
                error.message,
                error.expected,
            )
        })
    }

    pub(super) fn sentence(
        &self,
        text: &Spanned<String>,
        context: &Context<'_>,
    ) -> Result<Sentence, LessonError> {
        let blanks = text.get_ref().len() - text.get_ref().trim_start().len();
        let start = self.offset + self.text_start(text) + blanks;
        let names = Names { knobs: context.knobs, cast: context.cast };
        prose::sentence(&self.source, start..start, text.get_ref().trim(), names)
    }

    /// Where the characters of a TOML string begin, behind its quotes.
    fn text_start(&self, text: &Spanned<String>) -> usize {
        let start = text.span().start;
        let written = self.source.text.get(self.offset + start..).unwrap_or_default();
        let quotes = if written.starts_with("\"\"\"") || written.starts_with("'''") { 3 } else { 1 };
        // A line break right behind three quotes is not part of the text.
        let newline = usize::from(quotes == 3 && written.get(3..).is_some_and(|rest| rest.starts_with('\n')));
        start + quotes + newline
    }

    pub(super) fn prose(&self, raw: &[RawBlock], context: &Context<'_>) -> Result<Prose, LessonError> {
        let names = Names { knobs: context.knobs, cast: context.cast };
        let mut blocks = Vec::new();
        for block in raw {
            let mut text = Sentence::default();
            for (style, at, words) in &block.pieces {
                if block.kind == BlockKind::Code {
                    // Code stands as it is, braces and all.
                    text.parts.push((*style, Inline::Text(words.clone())));
                    continue;
                }
                prose::inlines(&self.source, at.start, words, *style, names, &mut text)?;
            }
            blocks.push(Block { kind: block.kind, text });
        }
        Ok(Prose { blocks })
    }
}
