//! What the learner typed and what Redis answered, as `redis-cli` would show it.

use crate::lab::{Bytes, Fact, Lever, Reply};
use crate::tui::session::Session;

/// A line of the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Typed(String),
    Answered(String),
}

/// Everything that was typed up to the cursor.
pub(crate) fn transcript(session: &Session) -> Vec<Said> {
    let events = session.tape.events();
    let events = &events[..events.len().min(session.world.events)];
    let mut lines = Vec::new();
    for event in events {
        match &event.fact {
            Fact::Acted { lever: Lever::Type(command) } => lines.push(Said::Typed(command.to_string())),
            Fact::Typed { reply, .. } => lines.extend(reply_lines(reply).into_iter().map(Said::Answered)),
            _ => {}
        }
    }
    lines
}

/// A reply on as many lines as it takes.
pub(crate) fn reply_lines(reply: &Reply) -> Vec<String> {
    match reply {
        Reply::Nil => vec!["(nil)".to_owned()],
        Reply::Status(status) => vec![status.clone()],
        Reply::Integer(n) => vec![format!("(integer) {n}")],
        Reply::Error { code, text } => vec![format!("(error) {code} {text}").trim_end().to_owned()],
        // What was made to be read, like INFO, is shown as it is.
        Reply::Bulk(bytes) if bytes.as_slice().contains(&b'\n') => {
            String::from_utf8_lossy(bytes.as_slice()).lines().map(|line| line.trim_end().to_owned()).collect()
        }
        Reply::Bulk(bytes) => vec![quoted(bytes)],
        Reply::Array(items) if items.is_empty() => vec!["(empty array)".to_owned()],
        Reply::Array(items) => {
            let width = items.len().to_string().len();
            let numbered = (1..).zip(items).flat_map(|(number, item)| {
                let mut lines = reply_lines(item).into_iter();
                let first = format!("{number:>width$}) {}", lines.next().unwrap_or_default());
                let rest: Vec<_> = lines.map(|line| format!("{:width$}  {line}", "")).collect();
                std::iter::once(first).chain(rest)
            });
            numbered.collect()
        }
    }
}

fn quoted(bytes: &Bytes) -> String {
    // A backslash is doubled already.
    format!("\"{}\"", bytes.to_string().replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_look_as_in_redis_cli() {
        let nested = Reply::Array(vec![Reply::Integer(1), Reply::Nil]);
        let reply =
            Reply::Array(vec![Reply::Bulk("a\"b\n\\".into()), nested, Reply::Bulk(vec![0xff].into())]);
        assert_eq!(
            reply_lines(&Reply::Array(vec![Reply::Bulk("a\"b\\".into()), Reply::Bulk(vec![0xff].into())])),
            ["1) \"a\\\"b\\\\\"", "2) \"\\xff\""]
        );
        assert_eq!(reply_lines(&reply)[2..], ["2) 1) (integer) 1", "   2) (nil)", "3) \"\\xff\""]);
        assert_eq!(
            reply_lines(&Reply::Error { code: "ERR".to_owned(), text: "no".to_owned() }),
            ["(error) ERR no"]
        );
    }
}
