//! Patterns of `KEYS`, `SCAN` and `CONFIG GET`: `*`, `?`, `[a-c]`, `[^a]` and `\` before what is meant literally.
//!
//! A star that does not fit is tried one byte further on, and only the last star is: an earlier one can always have
//! taken less. So no pattern takes longer than its length times the text's.

/// True when all of `text` fits the pattern.
pub(in crate::server::embedded) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (pattern, text);
    // What to come back to when something does not fit: after the last star, and what it has not taken yet.
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        if let [b'*', rest @ ..] = p {
            star = Some((rest, t));
            p = rest;
            continue;
        }
        let step = match (p, t) {
            ([], []) => return true,
            (_, []) | ([], _) => None,
            (_, [byte, rest @ ..]) => one(p, *byte).map(|p| (p, rest)),
        };
        if let Some(next) = step {
            (p, t) = next;
            continue;
        }
        let Some((after, [_, rest @ ..])) = star else { return false };
        star = Some((after, rest));
        (p, t) = (after, rest);
    }
}

/// What of the pattern is left when its first part fits this byte.
fn one(pattern: &[u8], byte: u8) -> Option<&[u8]> {
    match pattern {
        [b'?', rest @ ..] => Some(rest),
        [b'[', rest @ ..] => {
            let (fits, rest) = class(rest, byte);
            fits.then_some(rest)
        }
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => (*literal == byte).then_some(rest),
        [] => None,
    }
}

/// Reads a class up to its bracket, or to the end where there is none.
fn class(mut rest: &[u8], byte: u8) -> (bool, &[u8]) {
    let negated = rest.first() == Some(&b'^');
    if negated {
        rest = &rest[1..];
    }
    let mut fits = false;
    loop {
        rest = match rest {
            [] => break,
            [b'\\', literal, after @ ..] => {
                fits |= *literal == byte;
                after
            }
            [b']', after @ ..] => {
                rest = after;
                break;
            }
            [first, b'-', last, after @ ..] => {
                fits |= (*first.min(last)..=*first.max(last)).contains(&byte);
                after
            }
            [literal, after @ ..] => {
                fits |= *literal == byte;
                after
            }
        };
    }
    (fits != negated, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_redis() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("*", "anything", true),
            ("h?llo", "hello", true),
            ("h[ae]llo", "hallo", true),
            ("h[^e]llo", "hello", false),
            ("h[a-c]llo", "hbllo", true),
            ("h[c-a]llo", "hbllo", true),
            ("lock:*:1", "lock:a:b:1", true),
            ("lock:*:1", "lock:a:b:2", false),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("[a", "a", true),
            ("a", "ab", false),
            ("", "", true),
            ("**a**", "bab", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn no_pattern_takes_for_ever() {
        let pattern = "a*".repeat(60) + "b";
        assert!(!matches(pattern.as_bytes(), "a".repeat(2000).as_bytes()));
    }
}
