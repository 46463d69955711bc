//! Numbers as Redis reads and writes them.

use crate::server::embedded::error::CommandError;

/// Reads an integer written the one way that Redis takes: no plus sign, no leading zero, no space.
pub(in crate::server::embedded) fn integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let canonical = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !canonical {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The same, for an argument.
pub(in crate::server::embedded) fn integer_argument(text: &[u8]) -> Result<i64, CommandError> {
    integer(text).ok_or(CommandError::NOT_AN_INTEGER)
}

/// Writes a double the way C's `%.{digits}g` does: Redis and Lua print numbers by it.
pub(in crate::server::embedded) fn general(n: f64, digits: usize) -> String {
    if n.is_nan() {
        return if n.is_sign_negative() { "-nan" } else { "nan" }.to_owned();
    }
    if n.is_infinite() {
        return if n > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{n:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    match usize::try_from(exponent + 4) {
        // From 0.0001 up to as many digits as are asked for it is written out.
        Ok(place) if place < digits + 4 => {
            let decimals = (digits + 3).saturating_sub(place);
            without_trailing_zeros(&format!("{n:.decimals$}")).to_owned()
        }
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.unsigned_abs())
        }
    }
}

/// Writes a double with the fewest digits that say which it is, as Valkey does: whole numbers in full, and others with an
/// exponent when they would be long.
pub(in crate::server::embedded) fn shortest(n: f64) -> String {
    if !n.is_finite() {
        return general(n, 17);
    }
    // A whole number that is not too large for an integer by far is written as one.
    if n.fract() == 0.0 && n.abs() <= (i64::MAX / 2) as f64 {
        return (n as i64).to_string();
    }
    let scientific = format!("{n:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = i32::try_from(mantissa.bytes().filter(u8::is_ascii_digit).count()).unwrap_or(i32::MAX);
    let last = exponent + 1 - digits;
    let short = if last >= 0 { exponent < digits + 7 } else { last > -7 || exponent.abs() < 4 };
    if short {
        return n.to_string();
    }
    format!("{mantissa}e{}{}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

pub(super) fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_canonical_integer_is_one() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-1", Some(-1)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("+1", None),
            ("01", None),
            ("-0", None),
            (" 1", None),
            ("1.0", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(integer(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn doubles_are_written_as_c_does() {
        for (n, expected) in [
            (1.5, "1.5"),
            (0.1, "0.10000000000000001"),
            (1e100, "1e+100"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (1e17, "1e+17"),
            (1e16, "10000000000000000"),
            (0.0001, "0.0001"),
            (0.000_01, "1.0000000000000001e-05"),
            (0.0, "0"),
            (-2.0, "-2"),
        ] {
            assert_eq!(general(n, 17), expected);
        }
    }

    #[test]
    fn doubles_are_written_as_short_as_can_be() {
        for (n, expected) in [
            (0.1, "0.1"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e17, "100000000000000000"),
            (1e100, "1e+100"),
            (1e-7, "1e-7"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(shortest(n), expected);
        }
    }
}
