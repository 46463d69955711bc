//! What is typed, line by line.

use std::io::{self, BufRead};

/// The next line without its end; `None` when there are no more.
pub(super) fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    Ok((input.read_line(&mut line)? > 0).then(|| line.trim().to_owned()))
}
