//! A line as one types it into `redis-cli`, cut into words.

use super::bytes::Bytes;

/// Why a line is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    #[error("a quote is not closed, or something follows it without a space")]
    Quotes,
    #[error("there is no command")]
    Empty,
}

/// Cuts a line into words. Double quotes know `\n \r \t \b \a \\ \" \xHH`, single quotes only `\'`.
///
/// # Errors
/// When a quote is not closed or is followed by anything but a space, or nothing is there.
pub(super) fn words(line: &str) -> Result<Vec<Bytes>, LineError> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, after) = word(rest)?;
        words.push(Bytes::from(word));
        rest = after.trim_start();
    }
    if words.is_empty() { Err(LineError::Empty) } else { Ok(words) }
}

/// The word that a line starts with, and what follows it.
fn word(line: &str) -> Result<(Vec<u8>, &str), LineError> {
    let mut chars = line.chars();
    match chars.next() {
        Some('"') => quoted(chars.as_str(), '"', escaped),
        Some('\'') => quoted(chars.as_str(), '\'', only_quotes),
        _ => {
            let end = line.find(char::is_whitespace).unwrap_or(line.len());
            let (word, after) = line.split_at(end);
            Ok((word.as_bytes().to_vec(), after))
        }
    }
}

/// What stands between quotes, and what follows them.
fn quoted(text: &str, quote: char, escape: fn(&str) -> (u8, &str)) -> Result<(Vec<u8>, &str), LineError> {
    let mut word = Vec::new();
    let mut rest = text;
    loop {
        let mut chars = rest.chars();
        let c = chars.next().ok_or(LineError::Quotes)?;
        rest = chars.as_str();
        if c == quote {
            let ends = rest.chars().next().is_none_or(char::is_whitespace);
            return if ends { Ok((word, rest)) } else { Err(LineError::Quotes) };
        } else if c == '\\' && !rest.is_empty() {
            let (byte, after) = escape(rest);
            word.push(byte);
            rest = after;
        } else {
            word.extend(c.encode_utf8(&mut [0; 4]).bytes());
        }
    }
}

/// What follows a backslash between double quotes; the text is not empty.
fn escaped(text: &str) -> (u8, &str) {
    let hex = text.strip_prefix('x').and_then(|rest| Some((rest.get(..2)?, rest.get(2..)?)));
    if let Some((digits, after)) = hex
        && let Ok(byte) = u8::from_str_radix(digits, 16)
    {
        return (byte, after);
    }
    let (first, after) = text.as_bytes().split_first().map_or((b'\\', ""), |(first, _)| {
        // Not a character's first byte only: a backslash before one that is not ASCII stands for itself.
        if first.is_ascii() { (*first, text.get(1..).unwrap_or_default()) } else { (b'\\', text) }
    });
    let byte = match first {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 0x08,
        b'a' => 0x07,
        other => other,
    };
    (byte, after)
}

/// What follows a backslash between single quotes: only a quote is meant.
fn only_quotes(text: &str) -> (u8, &str) {
    text.strip_prefix('\'').map_or((b'\\', text), |after| (b'\'', after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_in_redis_cli() {
        let read =
            |line: &str| words(line).map(|words| words.iter().map(Bytes::to_string).collect::<Vec<_>>());
        assert_eq!(read("  GET   k ").unwrap(), ["GET", "k"]);
        assert_eq!(read(r#"SET k "a \"b\" \\ c""#).unwrap(), ["SET", "k", r#"a "b" \\ c"#]);
        assert_eq!(read(r#"SET k "\x41\x00""#).unwrap(), ["SET", "k", r"A\x00"]);
        assert_eq!(read(r"SET k 'it\'s \n'").unwrap(), ["SET", "k", r"it's \\n"]);
        assert_eq!(read(r#"SET k "" ''"#).unwrap(), ["SET", "k", "", ""]);
        assert_eq!(read("SET k ü").unwrap(), ["SET", "k", "ü"]);
        for wrong in ["GET \"k", "GET 'k", "GET \"k\"x"] {
            assert_eq!(read(wrong), Err(LineError::Quotes), "{wrong}");
        }
        assert_eq!(read("   "), Err(LineError::Empty));
    }
}
