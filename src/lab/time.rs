//! Time in the lab: whole microseconds since the run began, and spans of it.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment of a run, in microseconds since it began.
///
/// In JSON it is a number of milliseconds with at most three decimals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LabTime(u64);

impl LabTime {
    /// The moment a run begins.
    pub const START: Self = Self(0);

    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    pub const fn as_micros(self) -> u64 {
        self.0
    }

    /// The span from `earlier` to here; zero when `earlier` is later.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Span> for LabTime {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

/// The way the screens write a moment: `2.600 s`, `1:00:00.0`.
impl fmt::Display for LabTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / 1_000_000;
        let millis = self.0 / 1000 % 1000;
        if seconds < 600 {
            f.pad(&format!("{seconds}.{millis:03} s"))
        } else {
            f.pad(&format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60))
        }
    }
}

impl Serialize for LabTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Span(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LabTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Span::deserialize(deserializer).map(|span| Self(span.0))
    }
}

/// A length of lab time, in whole microseconds.
///
/// Lesson files write it as a number with a unit (`"400ms"`, `"7s"`, `"1h"`); JSON carries milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(u64);

impl Span {
    pub const ZERO: Self = Self(0);

    pub const fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1000))
    }

    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    pub const fn as_micros(self) -> u64 {
        self.0
    }

    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Whole milliseconds, rounded up: what Redis must be told so that a key does not end early.
    pub const fn as_millis_up(self) -> u64 {
        self.0.div_ceil(1000)
    }

    /// To the microsecond, as lesson files have it: `7s`, `400ms`, `1500us`.
    pub fn written(self) -> String {
        match self.0 {
            micros if !micros.is_multiple_of(1000) => format!("{micros}us"),
            micros if !micros.is_multiple_of(1_000_000) => format!("{}ms", micros / 1000),
            micros => format!("{}s", micros / 1_000_000),
        }
    }

    #[must_use]
    pub const fn half(self) -> Self {
        Self(self.0 / 2)
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Span {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// The way the screens write a span: `400 ms`, `7.00 s`, `1 h 0 min`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0 / 1000;
        let text = match millis {
            0 if self.0 > 0 => format!("{:.1} ms", self.as_millis_f64()),
            0..1000 => format!("{millis} ms"),
            1000..120_000 => format!("{}.{:02} s", millis / 1000, millis / 10 % 100),
            120_000..3_600_000 => format!("{} min {} s", millis / 60_000, millis / 1000 % 60),
            _ => format!("{} h {} min", millis / 3_600_000, millis / 60_000 % 60),
        };
        f.pad(&text)
    }
}

/// Why a text is not a span.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a span of time; expected a number and a unit, like 400ms, 7s, 10min or 1h")]
pub struct SpanError(String);

impl FromStr for Span {
    type Err = SpanError;

    fn from_str(text: &str) -> Result<Self, SpanError> {
        let wrong = || SpanError(text.to_owned());
        let trimmed = text.trim();
        let unit_at = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (number, unit) = trimmed.split_at(unit_at);
        let micros = match unit.trim() {
            "us" => 1.0,
            "ms" => 1e3,
            "s" => 1e6,
            "min" => 6e7,
            "h" => 3.6e9,
            _ => return Err(wrong()),
        };
        let number: f64 = number.parse().map_err(|_| wrong())?;
        Ok(Self((number * micros).round() as u64))
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(1000) {
            serializer.serialize_u64(self.0 / 1000)
        } else {
            serializer.serialize_f64(self.as_millis_f64())
        }
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a span of time like \"400ms\", \"7s\" or \"1h\"")]
        enum Written {
            Text(String),
            Millis(f64),
        }
        match Written::deserialize(deserializer)? {
            Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
            Written::Millis(millis) => Ok(Self((millis * 1000.0).round() as u64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_what_lessons_write() {
        assert_eq!("400ms".parse::<Span>().unwrap(), Span::from_millis(400));
        assert_eq!("1.5 s".parse::<Span>().unwrap(), Span::from_millis(1500));
        assert_eq!("1h".parse::<Span>().unwrap(), Span::from_secs(3600));
        let error = "5 parsecs".parse::<Span>().unwrap_err().to_string();
        assert!(error.contains("5 parsecs") && error.contains("400ms"), "{error}");
        assert!("12".parse::<Span>().is_err(), "a unit is required");
    }

    #[test]
    fn moments_survive_json_to_the_microsecond() {
        for micros in [0, 1, 500, 999, 1000, 2_600_500, 3_600_000_001] {
            let json = serde_json::to_string(&LabTime(micros)).unwrap();
            assert_eq!(serde_json::from_str::<LabTime>(&json).unwrap(), LabTime(micros), "{json}");
        }
    }

    #[test]
    fn people_read_moments_at_every_scale() {
        assert_eq!(LabTime(2_600_000).to_string(), "2.600 s");
        assert_eq!(LabTime(3_600_000_000).to_string(), "1:00:00");
        assert_eq!(Span::from_millis(400).to_string(), "400 ms");
        assert_eq!(Span::from_secs(7).to_string(), "7.00 s");
        assert_eq!(Span::from_secs(3600).to_string(), "1 h 0 min");
    }
}
