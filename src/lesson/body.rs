//! The Markdown below the front matter, cut into hook, takes and beats.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use super::error::LessonError;
use super::prose::{BlockKind, Style};
use super::source::Source;

/// The body in pieces, with their places in the file.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) hook: Vec<RawBlock>,
    pub(super) takes: Vec<RawTake>,
}

#[derive(Debug)]
pub(super) struct RawTake {
    pub(super) name: String,
    pub(super) at: Range<usize>,
    pub(super) intro: Vec<RawBlock>,
    pub(super) beats: Vec<RawBeat>,
}

#[derive(Debug)]
pub(super) struct RawBeat {
    pub(super) title: String,
    pub(super) at: Range<usize>,
    pub(super) beat: Option<Range<usize>>,
    pub(super) predict: Option<Range<usize>>,
    pub(super) seen: Option<Range<usize>>,
    pub(super) prose: Vec<RawBlock>,
}

/// A block whose words are not looked into yet.
#[derive(Debug)]
pub(super) struct RawBlock {
    pub(super) kind: BlockKind,
    pub(super) pieces: Vec<(Style, Range<usize>, String)>,
}

/// Cuts the body, which begins at `start` in the file.
pub(super) fn cut(source: &Source<'_>, start: usize) -> Result<Body, LessonError> {
    let text = source.text.get(start..).unwrap_or_default();
    let parser = Parser::new_ext(text, Options::empty()).into_offset_iter();
    let mut cutter = Cutter { source, body: Body::default(), block: None, style: Style::Plain };
    let mut events = TextMergeWithOffset::new(parser);
    while let Some((event, range)) = events.next() {
        let at = range.start + start..range.end + start;
        match event {
            Event::Start(Tag::Heading { level, .. }) => cutter.heading(level, at, &mut events)?,
            Event::Start(Tag::CodeBlock(kind)) => cutter.code(&kind, at, start, &mut events)?,
            other => cutter.inline(other, at)?,
        }
    }
    Ok(cutter.body)
}

struct Cutter<'a> {
    source: &'a Source<'a>,
    body: Body,
    block: Option<RawBlock>,
    style: Style,
}

impl Cutter<'_> {
    /// Where blocks go now.
    fn prose(&mut self) -> &mut Vec<RawBlock> {
        match self.body.takes.last_mut() {
            None => &mut self.body.hook,
            Some(take) => match take.beats.last_mut() {
                None => &mut take.intro,
                Some(beat) => &mut beat.prose,
            },
        }
    }

    fn heading<'t>(
        &mut self,
        level: HeadingLevel,
        at: Range<usize>,
        events: &mut impl Iterator<Item = (Event<'t>, Range<usize>)>,
    ) -> Result<(), LessonError> {
        let mut title = String::new();
        for (event, _) in events.by_ref() {
            match event {
                Event::Text(text) | Event::Code(text) => title.push_str(&text),
                Event::End(TagEnd::Heading(_)) => break,
                _ => {}
            }
        }
        match (level, self.body.takes.last_mut()) {
            (HeadingLevel::H1, _) => {
                self.body.takes.push(RawTake { name: title, at, intro: Vec::new(), beats: Vec::new() });
            }
            (HeadingLevel::H2, Some(take)) => {
                take.beats.push(RawBeat {
                    title,
                    at,
                    beat: None,
                    predict: None,
                    seen: None,
                    prose: Vec::new(),
                });
            }
            (HeadingLevel::H2, None) => {
                return Err(self.source.error(
                    at,
                    "this beat belongs to no take",
                    "`# take-name` before the first `## beat`",
                ));
            }
            _ => {
                return Err(self.source.error(
                    at,
                    "a lesson has no headings of this level",
                    "`# take-name` or `## beat`",
                ));
            }
        }
        Ok(())
    }

    fn code<'t>(
        &mut self,
        kind: &CodeBlockKind<'_>,
        at: Range<usize>,
        start: usize,
        events: &mut impl Iterator<Item = (Event<'t>, Range<usize>)>,
    ) -> Result<(), LessonError> {
        let mut content = at.end..at.end;
        let mut text = String::new();
        for (event, range) in events.by_ref() {
            match event {
                Event::Text(words) => {
                    content = range.start + start..range.end + start;
                    text = words.into_string();
                }
                Event::End(TagEnd::CodeBlock) => break,
                _ => {}
            }
        }
        let label = match kind {
            CodeBlockKind::Fenced(label) => label.to_string(),
            CodeBlockKind::Indented => String::new(),
        };
        let beat = self.body.takes.last_mut().and_then(|take| take.beats.last_mut());
        let slot = match (label.as_str(), beat) {
            ("beat", Some(beat)) => &mut beat.beat,
            ("predict", Some(beat)) => &mut beat.predict,
            ("seen", Some(beat)) => &mut beat.seen,
            ("beat" | "predict" | "seen", None) => {
                return Err(self.source.error(
                    at,
                    format!("this `{label}` block belongs to no beat"),
                    "a `## beat` above it",
                ));
            }
            _ => {
                for line in text.lines() {
                    let pieces = vec![(Style::Code, content.clone(), line.to_owned())];
                    self.prose().push(RawBlock { kind: BlockKind::Code, pieces });
                }
                return Ok(());
            }
        };
        if slot.is_some() {
            return Err(self.source.error(
                at,
                format!("this beat has a `{label}` block already"),
                "one of each",
            ));
        }
        *slot = Some(content);
        Ok(())
    }

    fn inline(&mut self, event: Event<'_>, at: Range<usize>) -> Result<(), LessonError> {
        match event {
            Event::Start(Tag::Paragraph) => {
                self.block.get_or_insert(RawBlock { kind: BlockKind::Paragraph, pieces: Vec::new() });
            }
            Event::Start(Tag::Item) if self.block.is_some() => {
                return Err(self.source.error(at, "a list stands inside a list", "one level of items"));
            }
            Event::Start(Tag::Item) => {
                self.block = Some(RawBlock { kind: BlockKind::Item, pieces: Vec::new() });
            }
            Event::End(TagEnd::Paragraph | TagEnd::Item) => {
                if let Some(block) = self.block.take() {
                    self.prose().push(block);
                }
            }
            Event::Start(Tag::Emphasis) => self.style = Style::Emphasis,
            Event::Start(Tag::Strong) => self.style = Style::Strong,
            Event::End(TagEnd::Emphasis | TagEnd::Strong) => self.style = Style::Plain,
            Event::Text(text) => self.piece(self.style, at, text.into_string()),
            // The words begin behind the backtick.
            Event::Code(text) => self.piece(Style::Code, at.start + 1..at.end, text.into_string()),
            Event::SoftBreak | Event::HardBreak => self.piece(Style::Plain, at, " ".to_owned()),
            Event::Start(Tag::List(_)) | Event::End(TagEnd::List(_)) => {}
            _ => {
                return Err(self.source.error(
                    at,
                    "prose cannot hold this",
                    "paragraphs, lists, `code`, *emphasis*, **strong words**",
                ));
            }
        }
        Ok(())
    }

    fn piece(&mut self, style: Style, at: Range<usize>, text: String) {
        if let Some(block) = &mut self.block {
            block.pieces.push((style, at, text));
        }
    }
}
