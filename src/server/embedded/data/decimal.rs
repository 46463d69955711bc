//! The numbers of `INCRBYFLOAT`: Redis adds them as the 80-bit floats of x86, with 64 bits of mantissa.
//!
//! Replies show 17 decimals, and a double has too few bits to agree with them (10.5 + 0.1 is 10.6 in one and
//! 10.59999999999999964 in the other). So the same rounding is done here on big integers.

use num_bigint::{BigInt, BigUint, Sign};

/// Bits of mantissa.
const PRECISION: i64 = 64;

/// The largest exponent: a number reaches 2^16384 nowhere.
const LARGEST: i64 = 16_384;

/// The smallest number is 2^-16445.
const SMALLEST: i64 = -16_445;

/// The longest text that is read as a number.
const LONGEST: usize = 5 * 1024;

/// `mantissa × 2^exponent`, or an infinity.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::server::embedded) enum Decimal {
    Finite { mantissa: BigInt, exponent: i64 },
    Infinite,
}

impl Decimal {
    pub(in crate::server::embedded) const fn zero() -> Self {
        Self::Finite { mantissa: BigInt::ZERO, exponent: 0 }
    }

    /// Reads what C's `strtold` reads in full, hexadecimal aside. `None` when it is no number, or none that fits.
    pub(in crate::server::embedded) fn parse(text: &[u8]) -> Option<Self> {
        if text.is_empty() || text.len() >= LONGEST {
            return None;
        }
        let (sign, text) = match text {
            [b'-', rest @ ..] => (Sign::Minus, rest),
            [b'+', rest @ ..] => (Sign::Plus, rest),
            _ => (Sign::Plus, text),
        };
        if text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity") {
            return Some(Self::Infinite);
        }
        let text = std::str::from_utf8(text).ok()?;
        let (number, power) = match text.split_once(['e', 'E']) {
            Some((number, power)) => (number, exponent(power)?),
            None => (text, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let power = power.saturating_sub(i64::try_from(fraction.len()).ok()?);
        let digits = BigUint::parse_bytes(digits.as_bytes(), 10)?;
        if digits == BigUint::ZERO {
            return Some(Self::zero());
        }
        // Beyond this the number cannot fit, however many digits it has.
        if power.unsigned_abs() > 20_000 {
            return None;
        }
        let ten = BigUint::from(10_u8).pow(u32::try_from(power.unsigned_abs()).ok()?);
        let (numerator, denominator) =
            if power >= 0 { (digits * ten, BigUint::from(1_u8)) } else { (digits, ten) };
        rounded(sign, &numerator, &denominator, 0)
    }

    /// The sum, rounded once. `None` when it is infinite or no number.
    pub(in crate::server::embedded) fn plus(&self, other: &Self) -> Option<Self> {
        let (Self::Finite { mantissa: a, exponent: ea }, Self::Finite { mantissa: b, exponent: eb }) =
            (self, other)
        else {
            return None;
        };
        let exponent = *ea.min(eb);
        let aligned = |mantissa: &BigInt, from: i64| mantissa << u64::try_from(from - exponent).unwrap_or(0);
        let sum = aligned(a, *ea) + aligned(b, *eb);
        let (sign, magnitude) = sum.into_parts();
        rounded(sign, &magnitude, &BigUint::from(1_u8), exponent)
    }
}

/// With up to 17 decimals, and none that say nothing.
impl std::fmt::Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Finite { mantissa, exponent } = self else { return f.write_str("inf") };
        let scaled = mantissa.magnitude() * BigUint::from(10_u8).pow(17);
        let scaled = match u64::try_from(*exponent) {
            Ok(up) => scaled << up,
            Err(_) => halved(&scaled, &(BigUint::from(1_u8) << exponent.unsigned_abs())),
        };
        let digits = format!("{scaled:0>18}");
        let (whole, fraction) = digits.split_at(digits.len() - 17);
        let text = format!("{whole}.{fraction}");
        let text = super::number::without_trailing_zeros(&text);
        let negative = mantissa.sign() == Sign::Minus && text != "0";
        write!(f, "{}{text}", if negative { "-" } else { "" })
    }
}

fn exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // More digits than an i64 has say nothing but "too large", and that is found out by the caller.
    Some(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 }))
}

/// The quotient, rounded to the nearest, and to even between two.
fn halved(numerator: &BigUint, denominator: &BigUint) -> BigUint {
    let quotient = numerator / denominator;
    let rest = (numerator - &quotient * denominator) * 2_u8;
    let up = rest > *denominator || (rest == *denominator && quotient.bit(0));
    quotient + u8::from(up)
}

/// `numerator / denominator × 2^exponent` with at most 64 bits of mantissa, and fewer near the smallest number.
fn rounded(sign: Sign, numerator: &BigUint, denominator: &BigUint, exponent: i64) -> Option<Decimal> {
    if *numerator == BigUint::ZERO {
        return Some(Decimal::zero());
    }
    // Shifted so that the quotient has just the bits that are kept, or one more.
    let bits = |n: &BigUint| i64::try_from(n.bits()).unwrap_or(i64::MAX);
    let size = bits(numerator) - bits(denominator);
    let drop = (size - PRECISION).max(SMALLEST - exponent);
    let shifted = |drop: i64| match u64::try_from(drop) {
        Ok(down) => halved(numerator, &(denominator << down)),
        Err(_) => halved(&(numerator << drop.unsigned_abs()), denominator),
    };
    let (mut mantissa, mut dropped) = (shifted(drop), drop);
    if bits(&mantissa) > PRECISION {
        dropped = drop + 1;
        mantissa = shifted(dropped);
    }
    let exponent = exponent + dropped;
    let top = exponent + bits(&mantissa);
    if mantissa == BigUint::ZERO || top > LARGEST {
        return None;
    }
    Some(Decimal::Finite { mantissa: BigInt::from_biguint(sign, mantissa), exponent })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(a: &str, b: &str) -> String {
        let read = |text: &str| Decimal::parse(text.as_bytes()).expect("a number");
        read(a).plus(&read(b)).map_or_else(|| "none".to_owned(), |sum| sum.to_string())
    }

    #[test]
    fn sums_are_those_of_the_x87() {
        assert_eq!(sum("10.5", "0.1"), "10.6");
        assert_eq!(sum("3.0e3", "200"), "3200");
        assert_eq!(sum("0.1", "0.2"), "0.3");
        assert_eq!(sum("1", "-1"), "0");
        assert_eq!(sum("-0.5", "0.25"), "-0.25");
        assert_eq!(sum("1e-20", "0"), "0");
        assert_eq!(sum("18446744073709551615", "1"), "18446744073709551616");
        assert_eq!(sum("inf", "1"), "none");
    }

    #[test]
    fn what_does_not_fit_is_no_number() {
        assert_eq!(Decimal::parse(b"1e5000"), None);
        assert_eq!(Decimal::parse(b"1e-5000"), None);
        assert_eq!(Decimal::parse(b"1e99999999999999999999"), None);
        for text in ["", "a", "1a", " 1", "1 ", ".", "e1", "1e", "nan"] {
            assert_eq!(Decimal::parse(text.as_bytes()), None, "{text:?}");
        }
    }
}
