//! The one table of keys. Handling, the hint line, the help screen and the conflict test all read it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::message::Message;

/// Where a key has its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Everywhere, unless a nearer place says otherwise.
    Everywhere,
    Map,
    Lesson,
    /// In a lesson while a question is open.
    Question,
    /// In a lesson whose server is gone.
    Trouble,
    /// In a list or a help page on top.
    Popup,
    /// While a command is typed.
    Prompt,
    /// At the workbench.
    Repair,
    /// While cards are asked.
    Drill,
    /// Before a mock interview: for whom?
    Level,
    /// In a mock interview, while its clock stands still.
    Interview,
    /// While an answer is given there.
    Answer,
    /// When what was said is ticked.
    Rubric,
    /// After it.
    Debrief,
    /// While something is typed.
    Typing,
    /// In a lesson that is done.
    Done,
}

/// One line of the table.
pub struct Binding {
    pub place: Place,
    /// Names as `name` gives them.
    pub keys: &'static [&'static str],
    /// How the keys are shown.
    pub shown: &'static str,
    pub help: &'static str,
    /// A word for the hint line; empty for keys that are not hinted at.
    pub hint: &'static str,
    pub message: fn() -> Message,
}

macro_rules! bind {
    ($place:ident, $keys:expr, $shown:expr, $hint:expr, $help:expr, $message:expr) => {
        Binding {
            place: Place::$place,
            keys: &$keys,
            shown: $shown,
            hint: $hint,
            help: $help,
            message: || $message,
        }
    };
}

/// Every key, in the order in which help shows them.
pub const TABLE: &[Binding] = &[
    bind!(
        Lesson,
        ["Space"],
        "Space",
        "play",
        "play to the next beat, or pause; never past an open question",
        Message::PlayPause
    ),
    bind!(Lesson, ["Right", "l", "."], "→ l", "step", "step", Message::Step),
    bind!(Lesson, ["Left", "h"], "← h", "", "step back; this sends nothing to Redis", Message::Back),
    bind!(
        Lesson,
        ["]", "S-Right", "PageDown"],
        "] PgDn",
        "beat",
        "to the end of the next beat",
        Message::NextBeat
    ),
    bind!(Lesson, ["[", "S-Left", "PageUp"], "[ PgUp", "", "to the beat before", Message::PreviousBeat),
    bind!(Lesson, ["Home"], "Home gg", "", "to the start", Message::First),
    bind!(Lesson, ["End", "G"], "End G", "", "to the newest step; 12G goes to step 12", Message::Newest),
    bind!(Lesson, ["g"], "", "", "", Message::Prefix),
    bind!(Lesson, ["<", "-"], "< -", "", "slower, down to 1/32", Message::Slower),
    bind!(
        Lesson,
        [">", "+"],
        "> +",
        "",
        "faster, up to 4; idle stretches over 10 s are passed over",
        Message::Faster
    ),
    bind!(Lesson, ["="], "=", "", "normal speed: lab time is wall time", Message::NormalSpeed),
    bind!(Lesson, ["r"], "r", "", "run again with the same seed", Message::Again),
    bind!(Lesson, ["R"], "R", "", "run again with a new seed", Message::AgainWithNewSeed),
    bind!(
        Lesson,
        ["Enter"],
        "Enter",
        "go on",
        "go on: to the question, or to the next beat; in the log: the row at length",
        Message::Accept
    ),
    bind!(Lesson, ["t"], "t", "takes", "choose another take of this lesson", Message::OpenTakes),
    bind!(
        Lesson,
        ["C"],
        "C",
        "",
        "compare all takes of this lesson: lanes on one axis, and a table",
        Message::Compare
    ),
    bind!(
        Lesson,
        ["v"],
        "v",
        "",
        "survey: many runs while a knob turns, in lessons that have one",
        Message::Survey
    ),
    bind!(Lesson, ["e"], "e", "knobs", "turn the lesson's knobs; the take starts again", Message::OpenKnobs),
    bind!(Lesson, ["a"], "a", "", "answer the lesson's question aloud, and grade yourself", Message::OpenSay),
    bind!(Lesson, [";"], ";", "redis", "a Redis command of your own, now", Message::OpenPrompt),
    bind!(
        Lesson,
        ["!"],
        "!",
        "faults",
        "let something go wrong: kill, freeze, slow, fail",
        Message::OpenLevers
    ),
    bind!(
        Lesson,
        ["f"],
        "f",
        "",
        "fork: the same up to this step, then otherwise; the old run is kept",
        Message::Fork
    ),
    bind!(Lesson, ["L"], "L", "", "the runs of this lesson; C there compares them", Message::OpenRuns),
    bind!(
        Lesson,
        ["y"],
        "y",
        "",
        "copy the command line that gives this state again; in the log: the row as one types it",
        Message::Copy
    ),
    bind!(Lesson, ["X"], "X", "", "save the run as a journal that can be played again", Message::SaveRun),
    bind!(
        Lesson,
        ["E"],
        "E",
        "repair",
        "the lesson's exercise: repair a program and have it judged",
        Message::OpenRepair
    ),
    bind!(Lesson, ["n"], "n", "", "next lesson, once this one is done", Message::NextLesson),
    bind!(Lesson, ["Tab"], "Tab", "pane", "next pane", Message::NextPane),
    bind!(Lesson, ["BackTab"], "S-Tab", "", "pane before", Message::PreviousPane),
    bind!(Lesson, ["j", "Down"], "j ↓", "", "scroll the focused pane down", Message::Down),
    bind!(Lesson, ["k", "Up"], "k ↑", "", "scroll it up", Message::Up),
    bind!(Lesson, ["z"], "z", "", "zoom the focused pane; on the timeline: its scale", Message::Zoom),
    bind!(Lesson, ["Esc"], "Esc", "", "close what is on top; never quits", Message::Close),
    bind!(Question, ["1"], "1-4", "answer", "choose an answer, then how sure you are", Message::Digit(1)),
    bind!(Question, ["2"], "", "", "", Message::Digit(2)),
    bind!(Question, ["3"], "", "", "", Message::Digit(3)),
    bind!(Question, ["4"], "", "", "", Message::Digit(4)),
    bind!(Question, ["u"], "u", "take back", "take the choice back", Message::TakeBack),
    bind!(
        Question,
        ["s"],
        "s",
        "just show me",
        "see it without answering (the lesson counts as watched)",
        Message::JustShow
    ),
    bind!(Trouble, ["r"], "r", "start the take again", "start the take again", Message::Again),
    bind!(Map, ["j", "Down"], "↓ j", "next", "next lesson", Message::Down),
    bind!(Map, ["k", "Up"], "↑ k", "", "lesson before", Message::Up),
    bind!(Map, ["Home"], "Home", "", "first lesson", Message::First),
    bind!(Map, ["End"], "End", "", "last lesson", Message::Newest),
    bind!(Map, ["Enter", "Space", "Right"], "Enter", "open", "open the lesson", Message::Accept),
    bind!(Map, ["Esc"], "Esc", "", "back to the lesson", Message::Close),
    bind!(Map, ["d"], "d", "cards", "", Message::OpenCards),
    bind!(Map, ["I"], "I", "interview", "", Message::OpenInterview),
    bind!(Map, ["p"], "p", "progress", "", Message::OpenProgress),
    bind!(Popup, ["j", "Down"], "j ↓", "", "down", Message::Down),
    bind!(Popup, ["k", "Up"], "k ↑", "", "up", Message::Up),
    bind!(Popup, ["h", "Left", "-"], "← -", "", "less", Message::Less),
    bind!(Popup, ["l", "Right", "+"], "→ +", "", "more", Message::More),
    bind!(Popup, ["PageDown", "Space"], "PgDn", "", "a page down", Message::PageDown),
    bind!(Popup, ["PageUp"], "PgUp", "", "a page up", Message::PageUp),
    bind!(Popup, ["1"], "1-5", "", "tick a point of your answer", Message::Digit(1)),
    bind!(Popup, ["2"], "", "", "", Message::Digit(2)),
    bind!(Popup, ["3"], "", "", "", Message::Digit(3)),
    bind!(Popup, ["4"], "", "", "", Message::Digit(4)),
    bind!(Popup, ["5"], "", "", "", Message::Digit(5)),
    bind!(Popup, ["Enter"], "Enter", "", "take it", Message::Accept),
    bind!(Popup, ["Esc", "q"], "Esc", "", "close", Message::Close),
    bind!(Popup, ["C"], "C", "", "in the list of runs: compare them", Message::Compare),
    bind!(Prompt, ["Enter"], "Enter", "", "send it", Message::Accept),
    bind!(Prompt, ["Tab"], "Tab", "", "complete a command or a key of the lesson", Message::Complete),
    bind!(Prompt, ["Up"], "↑ ↓", "", "what was typed before", Message::Up),
    bind!(Prompt, ["Down"], "", "", "", Message::Down),
    bind!(Prompt, ["Esc"], "Esc", "", "back to the lesson", Message::Close),
    bind!(Typing, ["Left"], "← →", "", "move in the line", Message::Less),
    bind!(Typing, ["Right"], "", "", "", Message::More),
    bind!(Typing, ["Home"], "Home End", "", "its start, its end", Message::LineStart),
    bind!(Typing, ["End"], "", "", "", Message::LineEnd),
    bind!(Typing, ["Backspace"], "Backspace", "", "take a character back", Message::Erase),
    bind!(Typing, ["Delete"], "Delete", "", "take the next one away", Message::EraseNext),
    bind!(Typing, ["C-w"], "C-w", "", "take a word back", Message::EraseWord),
    bind!(Typing, ["C-u"], "C-u", "", "take the whole line back", Message::EraseLine),
    bind!(Repair, ["E"], "E", "", "edit the program in $VISUAL, $EDITOR or vi", Message::Edit),
    bind!(Repair, ["c"], "c", "", "have it judged", Message::Judge),
    bind!(Repair, ["i"], "i", "", "a hint; there are three", Message::Hint),
    bind!(Repair, ["s"], "s", "", "the solution, after two honest tries", Message::Solution),
    bind!(Repair, ["x"], "x", "", "begin anew; what you have is kept beside it", Message::Reset),
    bind!(
        Drill,
        ["Enter", "Space"],
        "Enter",
        "show, go on",
        "show the answer; after a choice: go on",
        Message::Accept
    ),
    bind!(
        Drill,
        ["1"],
        "1-4",
        "choose, grade",
        "choose; then how well: not at all, hardly, well, easily",
        Message::Digit(1)
    ),
    bind!(Drill, ["2"], "", "", "", Message::Digit(2)),
    bind!(Drill, ["3"], "", "", "", Message::Digit(3)),
    bind!(Drill, ["4"], "", "", "", Message::Digit(4)),
    bind!(Drill, ["u"], "u", "take back", "take the last grade back", Message::TakeBack),
    bind!(
        Drill,
        ["Backspace"],
        "Backspace",
        "",
        "while steps are put in order: the last one back",
        Message::Erase
    ),
    bind!(Drill, ["j", "Down"], "j ↓", "", "scroll a long card down", Message::Down),
    bind!(Drill, ["k", "Up"], "k ↑", "", "scroll it up", Message::Up),
    bind!(Drill, ["Esc"], "Esc", "leave", "back; the sitting goes on with d", Message::Close),
    bind!(Level, ["j", "Down"], "j ↓", "next", "next level", Message::Down),
    bind!(Level, ["k", "Up"], "k ↑", "before", "level before", Message::Up),
    bind!(Level, ["Enter", "Space"], "Enter", "begin", "begin", Message::Accept),
    bind!(Level, ["Esc"], "Esc", "leave", "back", Message::Close),
    bind!(Interview, ["Enter", "Space"], "Enter", "start the clock", "start the clock", Message::Accept),
    bind!(Interview, ["x"], "x", "end it", "end it here: the debrief", Message::EndInterview),
    bind!(Interview, ["Esc"], "Esc", "leave", "back; I goes on with it", Message::Close),
    bind!(Answer, ["Enter"], "Enter", "done", "the answer is given", Message::Accept),
    bind!(Answer, ["Esc"], "Esc", "leave", "back, while the clock runs on", Message::Close),
    bind!(Rubric, ["1"], "1-9", "tick", "tick a point that you said", Message::Digit(1)),
    bind!(Rubric, ["Enter"], "Enter", "go on", "the next question", Message::Accept),
    bind!(Rubric, ["j", "Down"], "j ↓", "", "scroll the rubric down", Message::Down),
    bind!(Rubric, ["k", "Up"], "k ↑", "", "scroll it up", Message::Up),
    bind!(Rubric, ["Esc"], "Esc", "leave", "back; I goes on with it", Message::Close),
    bind!(Debrief, ["1"], "1-9", "open", "open the lesson of that number", Message::Digit(1)),
    bind!(Debrief, ["j", "Down"], "j ↓", "", "next lesson", Message::Down),
    bind!(Debrief, ["k", "Up"], "k ↑", "", "lesson before", Message::Up),
    bind!(Debrief, ["Enter", "Space"], "Enter", "open", "open the lesson", Message::Accept),
    bind!(Debrief, ["r"], "r", "again", "another interview", Message::Again),
    bind!(Debrief, ["Esc"], "Esc", "leave", "back; I shows it again", Message::Close),
    bind!(Done, ["n"], "n", "next lesson", "", Message::NextLesson),
    bind!(Everywhere, ["d"], "d", "", "cards: what is due, and some new ones", Message::OpenCards),
    bind!(Everywhere, ["I"], "I", "", "a mock interview, against the clock", Message::OpenInterview),
    bind!(
        Everywhere,
        ["p"],
        "p",
        "",
        "progress: lessons, cards, what is due, what was recalled",
        Message::OpenProgress
    ),
    bind!(Everywhere, ["m"], "m", "map", "the lesson map", Message::OpenMap),
    bind!(
        Everywhere,
        ["w"],
        "w",
        "",
        "words: what they mean, and the lesson that shows it",
        Message::OpenWords
    ),
    bind!(Everywhere, ["T"], "T", "", "next theme", Message::NextTheme),
    bind!(Everywhere, ["?", "F1"], "?", "keys", "all keys", Message::OpenHelp),
    bind!(Everywhere, ["C-l"], "C-l", "", "draw the screen again", Message::Redraw),
    bind!(Everywhere, ["C-z"], "C-z", "", "suspend; `fg` brings it back", Message::Suspend),
    bind!(Everywhere, ["q"], "q", "quit", "quit", Message::Quit),
    bind!(Everywhere, ["C-c"], "C-c", "", "quit, from anywhere", Message::Quit),
];

/// A key's name: `Space`, `Right`, `S-Right`, `C-c`, `G`, `[`.
pub(super) fn name(key: KeyEvent) -> String {
    let bare = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::F(n) => format!("F{n}"),
        other => format!("{other:?}"),
    };
    let control = if key.modifiers.contains(KeyModifiers::CONTROL) { "C-" } else { "" };
    // A shifted letter arrives as a capital; for keys without letters the shift is said.
    let is_char = matches!(key.code, KeyCode::Char(_) | KeyCode::BackTab);
    let shift = if key.modifiers.contains(KeyModifiers::SHIFT) && !is_char { "S-" } else { "" };
    format!("{control}{shift}{bare}")
}

/// What a key is told as: its meaning, a digit, or, where text is typed, itself.
pub(super) fn message(key: &str, places: &[Place]) -> Option<Message> {
    if places.contains(&Place::Typing) {
        let mut chars = key.chars();
        let typed = match (chars.next(), chars.next()) {
            (Some(c), None) => Some(c),
            _ => (key == "Space").then_some(' '),
        };
        // Of the keys that mean something everywhere only those are left that cannot be meant as text.
        let control = || meaning(key, &[Place::Everywhere]).filter(|_| key.starts_with("C-") || key == "F1");
        return meaning(key, places).or_else(|| typed.map(Message::Insert)).or_else(control);
    }
    let digit = || key.parse::<u8>().ok().filter(|digit| *digit <= 9).map(Message::Digit);
    meaning(key, places).or_else(digit)
}

/// What a key means, looked up in these places in order.
pub(super) fn meaning(key: &str, places: &[Place]) -> Option<Message> {
    places.iter().find_map(|place| {
        let bound = TABLE.iter().find(|binding| binding.place == *place && binding.keys.contains(&key))?;
        Some((bound.message)())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_key_has_two_meanings_in_one_place() {
        let mut seen = BTreeSet::new();
        for binding in TABLE {
            for key in binding.keys {
                assert!(seen.insert((binding.place, *key)), "{key} is bound twice in {:?}", binding.place);
            }
        }
    }

    #[test]
    fn keys_are_named_as_the_table_writes_them() {
        let named = |code, modifiers| name(KeyEvent::new(code, modifiers));
        assert_eq!(named(KeyCode::Char(' '), KeyModifiers::NONE), "Space");
        assert_eq!(named(KeyCode::Char('G'), KeyModifiers::SHIFT), "G");
        assert_eq!(named(KeyCode::Right, KeyModifiers::SHIFT), "S-Right");
        assert_eq!(named(KeyCode::Char('c'), KeyModifiers::CONTROL), "C-c");
        assert_eq!(named(KeyCode::BackTab, KeyModifiers::SHIFT), "BackTab");
        assert_eq!(named(KeyCode::PageDown, KeyModifiers::NONE), "PageDown");
    }

    #[test]
    fn the_nearest_place_wins() {
        assert!(matches!(meaning("Enter", &[Place::Popup, Place::Everywhere]), Some(Message::Accept)));
        assert!(matches!(meaning("q", &[Place::Popup, Place::Everywhere]), Some(Message::Close)));
        assert!(matches!(meaning("q", &[Place::Lesson, Place::Everywhere]), Some(Message::Quit)));
        assert!(meaning("Q", &[Place::Lesson]).is_none());
    }
}
