//! A client that keeps the bytes of replies as they came.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use stampede::server::embedded::Protocol;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Client {
    stream: BufReader<UnixStream>,
    /// Commands that go out with the next one.
    waiting: Vec<u8>,
    owed: usize,
}

impl Client {
    pub(crate) fn connect(socket: &Path, protocol: Protocol) -> Self {
        let stream = UnixStream::connect(socket).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("sockets take timeouts");
        let mut client = Self { stream: BufReader::new(stream), waiting: Vec::new(), owed: 0 };
        if protocol == Protocol::Resp3 {
            client.command(&[b"HELLO".to_vec(), b"3".to_vec()]);
        }
        client
    }

    /// Keeps a command for the next send.
    pub(crate) fn pipeline(&mut self, words: &[Vec<u8>]) {
        self.waiting.extend(packed(words));
        self.owed += 1;
    }

    pub(crate) fn send(&mut self, words: &[Vec<u8>]) {
        self.pipeline(words);
        self.flush();
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        self.waiting.extend(bytes);
        self.owed += 1;
        self.flush();
    }

    fn flush(&mut self) {
        // A server that has closed the connection shows it when the reply is read.
        let _ = self.stream.get_mut().write_all(&self.waiting);
        self.waiting.clear();
    }

    /// Sends a command, and gives back all replies that are owed.
    pub(crate) fn command(&mut self, words: &[Vec<u8>]) -> Vec<u8> {
        self.send(words);
        self.replies()
    }

    pub(crate) fn replies(&mut self) -> Vec<u8> {
        let mut replies = Vec::new();
        for _ in 0..std::mem::take(&mut self.owed) {
            self.reply(&mut replies);
        }
        replies
    }

    pub(crate) fn is_closed(&mut self) -> bool {
        match self.stream.fill_buf() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => panic!("it neither answers nor closes"),
            Ok(rest) => rest.is_empty(),
            Err(_) => true,
        }
    }

    /// Reads one reply with all that is inside it.
    fn reply(&mut self, out: &mut Vec<u8>) {
        let start = out.len();
        match self.stream.read_until(b'\n', out) {
            Ok(1..) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => panic!("no reply within {PATIENCE:?}"),
            // The other side has gone, the one way or the other.
            Ok(0) | Err(_) => {
                out.extend(b"(closed)");
                return;
            }
        }
        let line = String::from_utf8_lossy(&out[start..]).into_owned();
        let count = line.get(1..).and_then(|count| count.trim().parse::<i64>().ok()).unwrap_or(0);
        let count = usize::try_from(count).unwrap_or(0);
        match line.as_bytes().first() {
            Some(b'$' | b'=' | b'!') if !line.starts_with("$-1") => {
                let from = out.len();
                out.resize(from + count + 2, 0);
                self.stream.read_exact(&mut out[from..]).expect("the rest of a text");
            }
            Some(b'*' | b'~' | b'>') => (0..count).for_each(|_| self.reply(out)),
            Some(b'%') => (0..count * 2).for_each(|_| self.reply(out)),
            _ => {}
        }
    }
}

fn packed(words: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        bytes.extend(format!("${}\r\n", word.len()).bytes());
        bytes.extend(word);
        bytes.extend(b"\r\n");
    }
    bytes
}

/// Replies without their numbers and texts: signs, and the lengths of lists.
pub(crate) fn shape(mut bytes: &[u8]) -> String {
    let mut parts = Vec::new();
    while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(&bytes[..end]).trim_end().to_owned();
        bytes = &bytes[end + 1..];
        let (sign, rest) = line.split_at(line.len().min(1));
        parts.push(match sign {
            "*" | "%" | "~" => line.clone(),
            "$" | "=" if rest != "-1" => {
                let length: usize = rest.parse().unwrap_or(0);
                bytes = bytes.get(length + 2..).unwrap_or_default();
                // A text for people and one for programs.
                sign.to_owned()
            }
            _ => sign.to_owned(),
        });
    }
    parts.join(" ")
}

/// The longest reply that is written out; of longer ones the length and a digest are.
const LONGEST: usize = 2_000;

/// Bytes as the record shows them.
pub(crate) fn shown(bytes: &[u8]) -> String {
    if bytes.len() > LONGEST {
        // FNV-1a, 64 bits.
        let digest = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
        return format!("({} bytes, {digest:016x})", bytes.len());
    }
    bytes.escape_ascii().to_string().replace("\\r\\n", "¶").replace("\\\"", "\"").replace("\\'", "'")
}
