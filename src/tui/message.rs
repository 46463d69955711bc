//! What can happen to the model.

use std::time::Duration;

use super::files::FileReport;
use super::host::Report;
use super::watch::Reloaded;
use crate::drill::{Entry, Progress};

/// One thing that happened: a key's meaning, news from the lab, or time that passed.
#[derive(Clone, Debug)]
pub enum Message {
    // Time
    PlayPause,
    Step,
    Back,
    NextBeat,
    PreviousBeat,
    First,
    Newest,
    Slower,
    Faster,
    NormalSpeed,
    Again,
    AgainWithNewSeed,
    // Learning
    Digit(u8),
    Accept,
    TakeBack,
    JustShow,
    // Moving about
    Up,
    Down,
    Less,
    More,
    PageUp,
    PageDown,
    NextPane,
    PreviousPane,
    Zoom,
    OpenTakes,
    OpenKnobs,
    OpenSay,
    OpenWords,
    OpenPrompt,
    OpenLevers,
    OpenRuns,
    Fork,
    Copy,
    SaveRun,
    Compare,
    Survey,
    OpenMap,
    OpenCards,
    OpenInterview,
    EndInterview,
    OpenProgress,
    OpenHelp,
    NextLesson,
    NextTheme,
    Close,
    // Repairing
    OpenRepair,
    Edit,
    Judge,
    Hint,
    Solution,
    Reset,
    // Typing
    Insert(char),
    Erase,
    EraseNext,
    EraseWord,
    EraseLine,
    LineStart,
    LineEnd,
    Complete,
    // Program
    Quit,
    Suspend,
    Redraw,
    // Not keys
    Prefix,
    Resized(u16, u16),
    /// Wall time that passed while playing.
    Passed(Duration),
    Lab(Report),
    File(FileReport),
    Reloaded(Reloaded),
    /// Something has been written down, or could not be; with what other programs wrote before it.
    Noted {
        entries: Vec<Entry>,
        trouble: Option<String>,
    },
    /// Another program has written something down.
    Heard(Vec<Entry>),
    /// Another program has begun anew: all that is known now.
    BegunAnew(Box<Progress>),
    /// A moment has passed in which a clock on the screen runs.
    Ticked,
}

impl Message {
    /// True for what a key means.
    pub(super) fn is_key(&self) -> bool {
        !matches!(
            self,
            Self::Resized(..)
                | Self::Passed(_)
                | Self::Lab(_)
                | Self::File(_)
                | Self::Reloaded(_)
                | Self::Noted { .. }
                | Self::Heard(_)
                | Self::BegunAnew(_)
                | Self::Ticked
        )
    }
}
