//! What is typed and what is told, line by line.

use std::fmt::Display;
use std::io::{self, BufRead, Write};

/// The next line without its end, whatever its bytes; `None` when there are no more.
pub(super) fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let length = input.read_until(b'\n', &mut line)?;
    Ok((length > 0).then(|| String::from_utf8_lossy(&line).trim().to_owned()))
}

/// Says a line on standard error, if anybody listens there.
pub(super) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
