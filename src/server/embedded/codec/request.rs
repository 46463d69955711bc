//! Requests, read from a stream of bytes as they arrive.

use std::io::{self, Read};
use std::ops::Range;

use super::inline;
use crate::server::embedded::data::number;
use crate::server::embedded::dialect::Dialect;

/// The longest inline command, and the longest line with a count.
const LONGEST_LINE: usize = 64 << 10;

/// How much is read at once; more when a long argument is under way.
const CHUNK: usize = 16 << 10;
const LONG_CHUNK: usize = 1 << 20;

/// The longest argument, as `proto-max-bulk-len` says.
pub(in crate::server::embedded) const LONGEST_ARGUMENT: u64 = 512 << 20;

/// A request that breaks the protocol; the text is what the client is told before the connection is closed.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::server::embedded) struct ProtocolError(pub(in crate::server::embedded) String);

/// What of a request has been read.
#[derive(Debug, Default)]
struct Partial {
    /// How many arguments are still to come; nothing is set aside for them before they have.
    missing: u64,
    /// The declared length of the argument under way.
    length: Option<usize>,
    /// Arguments that are complete, as places in the buffer.
    args: Vec<Range<usize>>,
}

/// A buffer that bytes go into and requests come out of.
#[derive(Debug)]
pub(in crate::server::embedded) struct Requests {
    buffer: Vec<u8>,
    /// Where the next unread byte is.
    at: usize,
    partial: Option<Partial>,
    /// Words of an inline command, which can be shorter than what was typed.
    words: Vec<Vec<u8>>,
    dialect: Dialect,
}

impl Requests {
    pub(in crate::server::embedded) fn new(dialect: Dialect) -> Self {
        Self { buffer: Vec::new(), at: 0, partial: None, words: Vec::new(), dialect }
    }

    /// Reads once, and says how many bytes came; none at the end of the stream.
    pub(in crate::server::embedded) fn fill(&mut self, source: &mut impl Read) -> io::Result<usize> {
        self.forget_what_was_read();
        let awaited = self.partial.as_ref().and_then(|partial| partial.length).unwrap_or_default();
        let missing = awaited.saturating_sub(self.buffer.len() - self.at);
        let room = missing.clamp(CHUNK, LONG_CHUNK);
        let before = self.buffer.len();
        self.buffer.resize(before + room, 0);
        let read = source.read(&mut self.buffer[before..]);
        self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
        read
    }

    /// The next complete request, if there is one. An empty one is passed over.
    pub(in crate::server::embedded) fn next(&mut self) -> Result<Option<Vec<&[u8]>>, ProtocolError> {
        loop {
            if self.partial.is_none() {
                match self.buffer.get(self.at) {
                    None => return Ok(None),
                    Some(b'*') => {
                        let Some(count) = self.count()? else { return Ok(None) };
                        if count > 0 {
                            self.partial = Some(Partial { missing: count, ..Partial::default() });
                        }
                        continue;
                    }
                    Some(_) => {
                        let Some(()) = self.inline()? else { return Ok(None) };
                        if self.words.is_empty() {
                            continue;
                        }
                        return Ok(Some(self.words.iter().map(Vec::as_slice).collect()));
                    }
                }
            }
            return Ok(self.arguments()?.map(|args| args.into_iter().map(|arg| &self.buffer[arg]).collect()));
        }
    }

    /// The number of arguments, from a line like `*3`.
    fn count(&mut self) -> Result<Option<u64>, ProtocolError> {
        let Some(line) = self.line("too big mbulk count string")? else { return Ok(None) };
        let count = number::integer(&self.buffer[line.start + 1..line.end])
            .filter(|count| *count <= i64::from(i32::MAX))
            .ok_or_else(|| broken("invalid multibulk length"))?;
        Ok(Some(u64::try_from(count).unwrap_or(0)))
    }

    /// Goes on with the arguments; they are given back once all are there.
    fn arguments(&mut self) -> Result<Option<Vec<Range<usize>>>, ProtocolError> {
        loop {
            let Some(partial) = &self.partial else { return Ok(None) };
            if partial.missing == 0 {
                return Ok(self.partial.take().map(|partial| partial.args));
            }
            let Some(length) = partial.length.map_or_else(|| self.length(), |length| Ok(Some(length)))?
            else {
                return Ok(None);
            };
            let end = self.at + length;
            let complete = self.buffer.len() >= end + 2;
            if let Some(partial) = &mut self.partial {
                partial.length = Some(length);
            }
            if !complete {
                return Ok(None);
            }
            self.line_end(end)?;
            let Some(partial) = &mut self.partial else { return Ok(None) };
            partial.args.push(self.at..end);
            partial.length = None;
            partial.missing -= 1;
            self.at = end + 2;
        }
    }

    /// The length of the next argument, from a line like `$5`.
    fn length(&mut self) -> Result<Option<usize>, ProtocolError> {
        let Some(line) = self.line("too big bulk count string")? else { return Ok(None) };
        let line = &self.buffer[line];
        match line.first() {
            Some(b'$') => {}
            // The end of the line stands where the sign should.
            other => {
                let found = char::from(*other.unwrap_or(&b'\r'));
                return Err(broken(&format!("expected '$', got '{found}'")));
            }
        }
        number::integer(&line[1..])
            .and_then(|length| u64::try_from(length).ok())
            .filter(|length| *length <= LONGEST_ARGUMENT)
            .and_then(|length| usize::try_from(length).ok())
            .map(Some)
            .ok_or_else(|| broken("invalid bulk length"))
    }

    /// Reads a line that ends in CR LF, without its end.
    fn line(&mut self, too_long: &str) -> Result<Option<Range<usize>>, ProtocolError> {
        let unread = &self.buffer[self.at..];
        let Some(end) = unread.iter().position(|byte| *byte == b'\r') else {
            return if unread.len() > LONGEST_LINE { Err(broken(too_long)) } else { Ok(None) };
        };
        if unread.len() < end + 2 {
            return Ok(None);
        }
        let line = self.at..self.at + end;
        self.line_end(line.end)?;
        self.at += end + 2;
        Ok(Some(line))
    }

    /// Valkey looks whether a line or an argument ends as it should; Redis 7.0 passes over any two bytes.
    fn line_end(&self, at: usize) -> Result<(), ProtocolError> {
        if self.dialect == Dialect::Valkey && self.buffer.get(at..at + 2) != Some(b"\r\n") {
            return Err(broken("invalid CRLF in request"));
        }
        Ok(())
    }

    /// Reads a line of words.
    fn inline(&mut self) -> Result<Option<()>, ProtocolError> {
        let unread = &self.buffer[self.at..];
        let Some(end) = unread.iter().position(|byte| *byte == b'\n') else {
            return if unread.len() > LONGEST_LINE {
                Err(broken("too big inline request"))
            } else {
                Ok(None)
            };
        };
        let line = unread[..end].strip_suffix(b"\r").unwrap_or(&unread[..end]);
        self.words =
            inline::split(line, self.dialect).ok_or_else(|| broken("unbalanced quotes in request"))?;
        self.at += end + 1;
        Ok(Some(()))
    }

    /// Drops the bytes of requests that were answered. What a request under way has gathered moves with it.
    fn forget_what_was_read(&mut self) {
        let kept = self.partial.as_ref().and_then(|partial| partial.args.first());
        let start = kept.map_or(self.at, |first| first.start);
        if start == 0 {
            return;
        }
        self.buffer.drain(..start);
        // A client that once sent much need not keep the room for it.
        if self.buffer.is_empty() && self.buffer.capacity() > LONG_CHUNK {
            self.buffer = Vec::new();
        }
        self.at -= start;
        if let Some(partial) = &mut self.partial {
            for arg in &mut partial.args {
                *arg = arg.start - start..arg.end - start;
            }
        }
    }
}

fn broken(what: &str) -> ProtocolError {
    ProtocolError(format!("ERR Protocol error: {what}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read_all(bytes: &[u8], piece: usize) -> (Vec<Vec<Vec<u8>>>, Option<ProtocolError>) {
        let mut requests = Requests::new(Dialect::Redis);
        let mut found = Vec::new();
        for piece in bytes.chunks(piece) {
            let mut piece = piece;
            while requests.fill(&mut piece).unwrap() > 0 {
                loop {
                    match requests.next() {
                        Ok(Some(args)) => found.push(args.into_iter().map(<[u8]>::to_vec).collect()),
                        Ok(None) => break,
                        Err(error) => return (found, Some(error)),
                    }
                }
            }
        }
        (found, None)
    }

    fn one(bytes: &[u8]) -> Vec<String> {
        let (found, error) = read_all(bytes, 1 << 20);
        assert_eq!(error, None);
        found.first().expect("a request").iter().map(|arg| arg.escape_ascii().to_string()).collect()
    }

    #[test]
    fn arguments_are_counted_not_terminated() {
        assert_eq!(one(b"*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n"), ["GET", r"a\r\nb"]);
        assert_eq!(one(b"*1\r\n$0\r\n\r\n"), [""]);
        assert_eq!(one(b"*0\r\n\r\n*-1\r\nPING\r\n"), ["PING"], "empty requests are passed over");
    }

    #[test]
    fn a_malformed_request_is_told_what_was_expected() {
        let error = |bytes: &[u8]| read_all(bytes, 1 << 20).1.expect("an error").0;
        assert!(error(b"*1\r\n!3\r\nGET\r\n").ends_with("expected '$', got '!'"));
        assert!(error(b"*01\r\n").ends_with("invalid multibulk length"));
        assert!(error(b"*1\r\n$536870913\r\n").ends_with("invalid bulk length"));
        assert!(error(b"get \"k\r\n").ends_with("unbalanced quotes in request"));
        assert!(error(&vec![b'a'; LONGEST_LINE + 1]).ends_with("too big inline request"));
    }

    proptest! {
        #[test]
        fn how_the_bytes_are_cut_does_not_matter(
            requests in proptest::collection::vec(
                proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..20), 1..4), 1..6),
            piece in 1_usize..40,
        ) {
            let mut bytes = Vec::new();
            for request in &requests {
                bytes.extend(format!("*{}\r\n", request.len()).bytes());
                for arg in request {
                    bytes.extend(format!("${}\r\n", arg.len()).bytes());
                    bytes.extend(arg);
                    bytes.extend(b"\r\n");
                }
            }
            prop_assert_eq!(read_all(&bytes, piece), (requests, None));
        }

        #[test]
        fn no_bytes_do_harm(bytes in proptest::collection::vec(
            prop_oneof![any::<u8>(), proptest::sample::select(b"*$\r\n0123456789-\"' ".to_vec())], 0..300),
            piece in 1_usize..300)
        {
            let whole = read_all(&bytes, bytes.len().max(1));
            prop_assert_eq!(read_all(&bytes, piece), whole);
        }
    }
}
