//! Replies, and how each protocol writes them.

/// The version of RESP that a client asked for by `HELLO`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    #[default]
    Resp2,
    Resp3,
}

/// What a command answers. The types that RESP2 lacks are written in it as Redis does.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    Status(&'static str),
    /// A status that a script made.
    OwnStatus(Vec<u8>),
    Error(Vec<u8>),
    Integer(i64),
    Bulk(Vec<u8>),
    /// Text for people.
    Verbatim(String),
    Null,
    NullArray,
    Array(Vec<Self>),
    Map(Vec<(Self, Self)>),
    Set(Vec<Self>),
    /// Its digits, which each original writes in its own way.
    Double(String),
    Boolean(bool),
    BigNumber(Vec<u8>),
}

impl Reply {
    pub(in crate::server::embedded) const OK: Self = Self::Status("OK");

    pub(in crate::server::embedded) fn bulk(bytes: impl AsRef<[u8]>) -> Self {
        Self::Bulk(bytes.as_ref().to_vec())
    }

    pub(in crate::server::embedded) fn yes(truth: bool) -> Self {
        Self::Integer(i64::from(truth))
    }

    /// A length, a count or a number of keys.
    pub(in crate::server::embedded) fn count(count: usize) -> Self {
        Self::Integer(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// Appends it as it goes on the wire.
    pub fn write(&self, protocol: Protocol, out: &mut Vec<u8>) {
        let old = protocol == Protocol::Resp2;
        match self {
            Self::Status(text) => line(b'+', text.as_bytes(), out),
            Self::OwnStatus(text) => line(b'+', &on_one_line(text), out),
            Self::Error(text) => line(b'-', &on_one_line(text), out),
            Self::Integer(n) => header(b':', *n, out),
            Self::Bulk(bytes) => bulk(b'$', &[bytes], out),
            Self::Verbatim(text) if old => bulk(b'$', &[text.as_bytes()], out),
            Self::Verbatim(text) => bulk(b'=', &[b"txt:", text.as_bytes()], out),
            Self::Null if old => out.extend_from_slice(b"$-1\r\n"),
            Self::NullArray if old => out.extend_from_slice(b"*-1\r\n"),
            Self::Null | Self::NullArray => out.extend_from_slice(b"_\r\n"),
            Self::Array(items) => sequence(b'*', items, protocol, out),
            Self::Set(items) => sequence(if old { b'*' } else { b'~' }, items, protocol, out),
            Self::Map(pairs) => {
                let (sign, length) = if old { (b'*', pairs.len() * 2) } else { (b'%', pairs.len()) };
                header(sign, length, out);
                for (key, value) in pairs {
                    key.write(protocol, out);
                    value.write(protocol, out);
                }
            }
            Self::Double(digits) if old => bulk(b'$', &[digits.as_bytes()], out),
            Self::Double(digits) => line(b',', digits.as_bytes(), out),
            Self::Boolean(truth) if old => header(b':', i64::from(*truth), out),
            Self::Boolean(truth) => line(b'#', if *truth { b"t" } else { b"f" }, out),
            Self::BigNumber(digits) if old => bulk(b'$', &[&on_one_line(digits)], out),
            Self::BigNumber(digits) => line(b'(', &on_one_line(digits), out),
        }
    }
}

fn sequence(sign: u8, items: &[Reply], protocol: Protocol, out: &mut Vec<u8>) {
    header(sign, items.len(), out);
    for item in items {
        item.write(protocol, out);
    }
}

fn line(sign: u8, text: &[u8], out: &mut Vec<u8>) {
    out.push(sign);
    out.extend_from_slice(text);
    out.extend_from_slice(b"\r\n");
}

fn header(sign: u8, number: impl itoa::Integer, out: &mut Vec<u8>) {
    line(sign, itoa::Buffer::new().format(number).as_bytes(), out);
}

fn bulk(sign: u8, parts: &[&[u8]], out: &mut Vec<u8>) {
    header(sign, parts.iter().map(|part| part.len()).sum::<usize>(), out);
    for part in parts {
        out.extend_from_slice(part);
    }
    out.extend_from_slice(b"\r\n");
}

/// A line must not break in the middle.
fn on_one_line(text: &[u8]) -> Vec<u8> {
    text.iter().map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { *byte }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(reply: &Reply, protocol: Protocol) -> String {
        let mut out = Vec::new();
        reply.write(protocol, &mut out);
        out.escape_ascii().to_string()
    }

    #[test]
    fn each_protocol_has_its_own_nothing() {
        assert_eq!(written(&Reply::Null, Protocol::Resp2), r"$-1\r\n");
        assert_eq!(written(&Reply::NullArray, Protocol::Resp2), r"*-1\r\n");
        assert_eq!(written(&Reply::Null, Protocol::Resp3), r"_\r\n");
    }

    #[test]
    fn a_map_is_a_flat_list_in_the_old_protocol() {
        let map = Reply::Map(vec![(Reply::bulk("a"), Reply::Integer(1))]);
        assert_eq!(written(&map, Protocol::Resp2), r"*2\r\n$1\r\na\r\n:1\r\n");
        assert_eq!(written(&map, Protocol::Resp3), r"%1\r\n$1\r\na\r\n:1\r\n");
    }

    #[test]
    fn an_error_stays_on_its_line() {
        assert_eq!(written(&Reply::Error(b"ERR a\r\nb".to_vec()), Protocol::Resp2), r"-ERR a  b\r\n");
    }
}
