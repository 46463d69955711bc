//! Text of more than one line while it is typed.

use unicode_width::UnicodeWidthChar;

/// A text in lines that fit, and where its cursor is in them: column and row.
pub(super) struct Folded {
    pub lines: Vec<String>,
    pub cursor: (u16, u16),
}

/// Folds a text at blanks, and keeps every one of them; a word longer than a line is broken. `at` is the cursor's place, in
/// characters.
pub(super) fn fold(text: &str, at: usize, width: u16) -> Folded {
    let width = usize::from(width.max(2));
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    for c in text.chars() {
        let line = lines.last_mut().expect("there is always a line");
        line.push(c);
        let used: usize = line.iter().map(|c| c.width().unwrap_or(0)).sum();
        if used < width {
            continue;
        }
        let rest = match line.iter().rposition(|c| *c == ' ') {
            Some(blank) => line.split_off(blank + 1),
            None => Vec::new(),
        };
        lines.push(rest);
    }
    let (mut row, mut column) = (0, at);
    while row + 1 < lines.len() && column >= lines[row].len() {
        column -= lines[row].len();
        row += 1;
    }
    let before: usize = lines[row].iter().take(column).map(|c| c.width().unwrap_or(0)).sum();
    Folded {
        lines: lines.into_iter().map(|line| line.into_iter().collect()).collect(),
        cursor: (before as u16, row as u16),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_folds_at_blanks_and_the_cursor_goes_along() {
        let folded = |at| fold("set the lock, then query", at, 10);
        assert_eq!(folded(0).lines, ["set the ", "lock, ", "then ", "query"]);
        assert_eq!(folded(0).cursor, (0, 0));
        assert_eq!(folded(8).cursor, (0, 1), "what is typed next stands there");
        assert_eq!(folded(24).cursor, (5, 3));
        assert_eq!(fold("abcdefgh", 8, 4).lines, ["abcd", "efgh", ""]);
        assert_eq!(fold("", 0, 10).cursor, (0, 0));
    }
}
