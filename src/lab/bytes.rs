//! Binary-safe text: what Redis stores, and what the journal keeps of it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A string of any bytes.
///
/// Written out (on screen and in JSON) it is UTF-8 with `\xNN` for what is not printable and `\\` for a
/// backslash, so that no byte is lost on the way through a journal.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    /// The bytes as text, when they are.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    pub fn eq_ignore_case(&self, text: &str) -> bool {
        self.0.eq_ignore_ascii_case(text.as_bytes())
    }

    pub fn as_integer(&self) -> Option<i64> {
        self.as_str()?.parse().ok()
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<String> for Bytes {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(self.0.len());
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\\' => text.push_str("\\\\"),
                    c if c.is_control() => {
                        let mut buffer = [0; 4];
                        for byte in c.encode_utf8(&mut buffer).bytes() {
                            text.push_str(&format!("\\x{byte:02x}"));
                        }
                    }
                    c => text.push(c),
                }
            }
            for byte in chunk.invalid() {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        f.pad(&text)
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        unescape(&text).ok_or_else(|| serde::de::Error::custom("a backslash must start \\xNN or \\\\"))
    }
}

/// Reads what `Display` wrote.
fn unescape(text: &str) -> Option<Bytes> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            b'\\' => bytes.push(b'\\'),
            b'x' => {
                let high = char::from(rest.next()?).to_digit(16)?;
                let low = char::from(rest.next()?).to_digit(16)?;
                bytes.push((high * 16 + low) as u8);
            }
            _ => return None,
        }
    }
    Some(Bytes(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_byte_is_lost_in_a_journal(raw in proptest::collection::vec(any::<u8>(), 0..64)) {
            let bytes = Bytes::from(raw);
            let json = serde_json::to_string(&bytes).unwrap();
            prop_assert_eq!(serde_json::from_str::<Bytes>(&json).unwrap(), bytes);
        }
    }

    #[test]
    fn ordinary_text_reads_as_itself() {
        assert_eq!(Bytes::from("lock:product:123 é").to_string(), "lock:product:123 é");
        assert_eq!(Bytes::from(vec![0, 255, b'a']).to_string(), "\\x00\\xffa");
    }
}
