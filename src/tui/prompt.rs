//! The learner's own line to Redis: what is being typed, and what helps with it.

use tui_input::{Input, InputRequest};

use super::manual::{self, Entry};

/// A line being typed.
#[derive(Clone, Debug, Default)]
pub(super) struct Prompt {
    pub input: Input,
    /// Which of the lines typed before is being looked at, from the oldest.
    pub recalled: Option<usize>,
    /// Why the last line was not sent, or what `help` had to say.
    pub told: Vec<String>,
}

impl Prompt {
    pub(super) fn edit(&mut self, request: InputRequest) {
        self.input.handle(request);
    }

    pub(super) fn set(&mut self, line: &str) {
        self.input = Input::new(line.to_owned());
    }

    /// Goes through the lines typed before; beyond the newest is an empty one.
    pub(super) fn recall(&mut self, history: &[String], back: bool) {
        let at = self.recalled.unwrap_or(history.len());
        let at = if back { at.saturating_sub(1) } else { (at + 1).min(history.len()) };
        self.recalled = (at < history.len()).then_some(at);
        self.set(history.get(at).map_or("", String::as_str));
    }

    /// Completes the last word: a command's name where the line begins, one of `keys` behind that. Several that fit are
    /// completed as far as they agree.
    pub(super) fn complete(&mut self, keys: &[String]) {
        let line = self.input.value().to_owned();
        let start = line.rfind(' ').map_or(0, |at| at + 1);
        let (before, word) = line.split_at(start);
        let names: Vec<String> = manual::entries().iter().map(|entry| entry.name.clone()).collect();
        let first = before.trim().is_empty() || before.trim().eq_ignore_ascii_case("help");
        let known = if first { &names } else { keys };
        let fits = |known: &&String| {
            known
                .get(..word.len())
                .is_some_and(|head| if first { head.eq_ignore_ascii_case(word) } else { head == word })
        };
        let fitting: Vec<&String> = known.iter().filter(fits).collect();
        let Some(shared) = shared_start(&fitting) else { return };
        let end = if fitting.len() == 1 { " " } else { "" };
        self.set(&format!("{before}{shared}{end}"));
    }

    /// What is known of the command that is being typed.
    pub(super) fn entry(&self) -> Option<&'static Entry> {
        manual::entry(self.input.value().split_whitespace().next()?)
    }
}

/// What all of them begin with.
fn shared_start<'a>(words: &[&'a String]) -> Option<&'a str> {
    let (first, others) = words.split_first()?;
    let agree = |end: &usize| others.iter().all(|other| other.get(..*end) == first.get(..*end));
    let ends = (0..=first.len()).rev().filter(|end| first.is_char_boundary(*end));
    ends.into_iter().find(agree).and_then(|end| first.get(..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(line: &str) -> String {
        let mut prompt = Prompt::default();
        prompt.set(line);
        prompt.complete(&["product:123".to_owned(), "lock:product:123".to_owned()]);
        prompt.input.value().to_owned()
    }

    #[test]
    fn names_and_keys_are_completed_as_far_as_they_agree() {
        assert_eq!(completed("unl"), "UNLINK ");
        assert_eq!(completed("ge"), "GET");
        assert_eq!(completed("GET l"), "GET lock:product:123 ");
        assert_eq!(completed("help pex"), "help PEXPIRE ");
        assert_eq!(completed("xyz"), "xyz");
        assert_eq!(completed("GET ü"), "GET ü");
    }

    #[test]
    fn lines_typed_before_come_back_and_go() {
        let history = ["one".to_owned(), "two".to_owned()];
        let mut prompt = Prompt::default();
        let mut seen = Vec::new();
        for back in [true, true, true, false, false] {
            prompt.recall(&history, back);
            seen.push(prompt.input.value().to_owned());
        }
        assert_eq!(seen, ["two", "one", "one", "two", ""]);
    }
}
