//! Prose in lines: words wrapped to a width, each in its tone.

use unicode_width::UnicodeWidthStr;

use super::paint::Piece;
use crate::lab::World;
use crate::lesson::{BlockKind, Inline, Prose, Sentence, Style};
use crate::tui::theme::Tone;

/// A line of pieces.
pub(super) type Line = Vec<Piece>;

/// A whole text, with an empty line between paragraphs.
pub(super) fn prose(prose: &Prose, world: &World, width: u16) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut before = None;
    for block in &prose.blocks {
        let apart = before.is_some_and(|kind| kind != block.kind || block.kind == BlockKind::Paragraph);
        if apart {
            lines.push(Line::new());
        }
        before = Some(block.kind);
        match block.kind {
            BlockKind::Paragraph => lines.extend(wrap(&pieces(&block.text, world, Tone::Plain), width)),
            BlockKind::Item => {
                lines.extend(hang("• ", Tone::Dim, &pieces(&block.text, world, Tone::Plain), width));
            }
            BlockKind::Code => {
                lines.extend(hang("  ", Tone::Plain, &pieces(&block.text, world, Tone::Code), width));
            }
        }
    }
    lines
}

/// A sentence's pieces, with values filled in.
pub(super) fn pieces(sentence: &Sentence, world: &World, plain: Tone) -> Vec<Piece> {
    sentence
        .parts
        .iter()
        .map(|(style, inline)| {
            let tone = match (style, inline) {
                (_, Inline::Value(_)) | (Style::Strong | Style::Emphasis, _) => Tone::Strong,
                (Style::Code, _) => Tone::Code,
                (Style::Plain, _) => plain,
            };
            (inline.text(world), tone)
        })
        .collect()
}

/// A text whose words in backticks are code.
pub(super) fn ticked(text: &str, tone: Tone) -> Vec<Piece> {
    let part =
        |(index, part): (usize, &str)| (part.to_owned(), if index % 2 == 1 { Tone::Code } else { tone });
    text.split('`').enumerate().map(part).collect()
}

/// Wraps with a marker before the first line and room for it before the others.
pub(super) fn hang(marker: &str, tone: Tone, pieces: &[Piece], width: u16) -> Vec<Line> {
    let indent = marker.width() as u16;
    let mut lines = wrap(pieces, width.saturating_sub(indent));
    for (index, line) in lines.iter_mut().enumerate() {
        let lead = if index == 0 { marker.to_owned() } else { " ".repeat(usize::from(indent)) };
        line.insert(0, (lead, tone));
    }
    lines
}

/// Breaks pieces into lines at blanks. Pieces that touch without a blank stay together; a word longer than a line is
/// broken.
pub(super) fn wrap(pieces: &[Piece], width: u16) -> Vec<Line> {
    let width = usize::from(width.max(1));
    let mut lines = vec![Line::new()];
    let mut used = 0;
    for word in words(pieces) {
        let length: usize = word.iter().map(|(text, _)| text.width()).sum();
        let gap = usize::from(used > 0);
        if used + gap + length > width && used > 0 {
            lines.push(Line::new());
            used = 0;
        }
        let line = lines.last_mut().expect("there is always a line");
        if used > 0 {
            add(line, " ", word.first().map_or(Tone::Plain, |(_, tone)| gap_tone(line, *tone)));
            used += 1;
        }
        for (text, tone) in word {
            for c in text.chars() {
                if used >= width {
                    lines.push(Line::new());
                    used = 0;
                }
                let line = lines.last_mut().expect("there is always a line");
                add(line, c.encode_utf8(&mut [0; 4]), tone);
                used += 1;
            }
        }
    }
    lines
}

/// The blank between two words takes their tone only when they share it.
fn gap_tone(line: &Line, next: Tone) -> Tone {
    match line.last() {
        Some((_, tone)) if *tone == next => next,
        _ => Tone::Plain,
    }
}

fn add(line: &mut Line, text: &str, tone: Tone) {
    match line.last_mut() {
        Some((last, same)) if *same == tone => last.push_str(text),
        _ => line.push((text.to_owned(), tone)),
    }
}

/// The words, each in the pieces it is made of.
fn words(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let mut words: Vec<Vec<Piece>> = Vec::new();
    let mut open = false;
    for (text, tone) in pieces {
        for (index, part) in text.split(' ').enumerate() {
            if index > 0 {
                open = false;
            }
            if part.is_empty() {
                continue;
            }
            if !open {
                words.push(Vec::new());
                open = true;
            }
            if let Some(word) = words.last_mut() {
                word.push((part.to_owned(), *tone));
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(|(text, _)| text.as_str()).collect()).collect()
    }

    #[test]
    fn lines_break_at_blanks_and_keep_joined_pieces_together() {
        let pieces = [
            ("see ".to_owned(), Tone::Plain),
            ("code".to_owned(), Tone::Code),
            (", then go".to_owned(), Tone::Plain),
        ];
        assert_eq!(plain(&wrap(&pieces, 9)), ["see code,", "then go"]);
        assert_eq!(plain(&wrap(&pieces, 8)), ["see", "code,", "then go"]);
    }

    #[test]
    fn a_word_longer_than_the_line_is_broken() {
        assert_eq!(plain(&wrap(&[("abcdefgh".to_owned(), Tone::Plain)], 3)), ["abc", "def", "gh"]);
    }
}
