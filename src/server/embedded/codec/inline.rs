//! Inline commands: a line of words, as one types them into a plain socket.

use crate::server::embedded::dialect::Dialect;

/// Splits a line into words. Double quotes know `\n \r \t \b \a \xHH` and `\"`, single quotes only `\'`.
///
/// `None` when a quote is not closed, or, in Redis, is followed by anything but a space.
pub(super) fn split(line: &[u8], dialect: Dialect) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        let blank = rest.iter().take_while(|byte| is_space(**byte)).count();
        rest = rest.get(blank..)?;
        if rest.is_empty() {
            return Some(words);
        }
        let (word, after) = word(rest, dialect)?;
        words.push(word);
        rest = after;
    }
}

/// The word that a line starts with, and what follows it.
fn word(mut rest: &[u8], dialect: Dialect) -> Option<(Vec<u8>, &[u8])> {
    let mut word = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        rest = match byte {
            b'"' => double_quoted(after, &mut word)?,
            b'\'' => single_quoted(after, &mut word)?,
            byte if is_space(byte) || byte == 0 => return Some((word, after)),
            byte => {
                word.push(byte);
                after
            }
        };
        if dialect == Dialect::Redis && matches!(byte, b'"' | b'\'') {
            return rest.first().is_none_or(|next| is_space(*next)).then_some((word, rest));
        }
    }
    Some((word, rest))
}

fn double_quoted<'a>(mut rest: &'a [u8], word: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        rest = match rest {
            [b'"', after @ ..] => return Some(after),
            [b'\\', b'x', high, low, after @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                word.push(hex(*high) * 16 + hex(*low));
                after
            }
            [b'\\', escaped, after @ ..] => {
                word.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => *other,
                });
                after
            }
            [byte, after @ ..] => {
                word.push(*byte);
                after
            }
            [] => return None,
        };
    }
}

fn single_quoted<'a>(mut rest: &'a [u8], word: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        rest = match rest {
            [b'\'', after @ ..] => return Some(after),
            [b'\\', b'\'', after @ ..] => {
                word.push(b'\'');
                after
            }
            [byte, after @ ..] => {
                word.push(*byte);
                after
            }
            [] => return None,
        };
    }
}

/// What C's `isspace` takes for one.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

fn hex(digit: u8) -> u8 {
    char::from(digit).to_digit(16).map_or(0, |value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes_are_read_as_redis_cli_reads_them() {
        let words = |line: &str| {
            split(line.as_bytes(), Dialect::Redis)
                .map(|words| words.iter().map(|word| word.escape_ascii().to_string()).collect::<Vec<_>>())
        };
        assert_eq!(words("  set  k \"a b\" "), Some(vec!["set".into(), "k".into(), "a b".into()]));
        assert_eq!(words(r#"x "\x00\n\q""#), Some(vec!["x".into(), r"\x00\nq".into()]));
        assert_eq!(words(r"x 'it\'s'"), Some(vec!["x".into(), r"it\'s".into()]));
        assert_eq!(words("\"open"), None);
        assert_eq!(words("\"a\"b"), None);
        assert_eq!(words(""), Some(vec![]));
    }
}
