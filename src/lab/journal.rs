//! The journal: an append-only list of events, and its form on disk.

use std::io::{BufRead, Write};

use super::event::{Event, Fact, JOURNAL_VERSION};

/// Everything that happened in a run so far, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    events: Vec<Event>,
}

/// Why a text is not a journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("could not read the journal: {0}")]
    Read(#[from] std::io::Error),
    #[error("line {line} of the journal is not an event: {why}")]
    Line { line: usize, why: serde_json::Error },
    #[error(
        "the journal must begin with a `began` event of version {JOURNAL_VERSION}, and begins with {found}"
    )]
    Opening { found: String },
}

impl Journal {
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub fn append(&mut self, events: impl IntoIterator<Item = Event>) {
        self.events.extend(events);
    }

    /// True when somebody outside had a hand in it, so that the same setup need not give it again.
    pub fn is_reproducible(&self) -> bool {
        !self.events.iter().any(|event| matches!(event.fact, Fact::Outside(_) | Fact::PutBack { .. }))
    }

    /// One event a line, as JSON.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&self, mut to: impl Write) -> std::io::Result<()> {
        for event in &self.events {
            serde_json::to_writer(&mut to, event)?;
            to.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Reads what [`Journal::write`] wrote.
    ///
    /// # Errors
    /// When a line is not an event, or the journal is of another version; the error names the line.
    pub fn read(from: impl BufRead) -> Result<Self, JournalError> {
        let mut events = Vec::new();
        for (index, line) in from.lines().enumerate() {
            let event =
                serde_json::from_str(&line?).map_err(|why| JournalError::Line { line: index + 1, why })?;
            events.push(event);
        }
        match events.first().map(|event: &Event| &event.fact) {
            Some(Fact::Began(opening)) if opening.version == JOURNAL_VERSION => Ok(Self { events }),
            Some(Fact::Began(opening)) => {
                Err(JournalError::Opening { found: format!("version {}", opening.version) })
            }
            Some(_) => Err(JournalError::Opening { found: "another event".to_owned() }),
            None => Err(JournalError::Opening { found: "nothing".to_owned() }),
        }
    }
}
