//! One wait for news from everybody.

use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::guest::{Guest, Waits};
use crate::clock;

/// What is looked at besides the guests: the bell and the door.
const OTHERS: usize = 2;

/// Whom a thread waits for, once. It holds the streams itself, so that nobody is kept out while it waits.
pub(super) struct Round {
    door: Option<Arc<UnixListener>>,
    guests: Vec<(u64, Arc<UnixStream>, Waits)>,
    /// When somebody's pause ends.
    until: Option<Instant>,
}

impl Round {
    /// `full_until` says until when nobody is let in.
    pub(super) fn new<'a>(
        guests: impl Iterator<Item = (u64, &'a Guest)>,
        door: Option<Arc<UnixListener>>,
        full_until: Option<Instant>,
    ) -> Self {
        let guests: Vec<_> =
            guests.map(|(number, guest)| (number, Arc::clone(guest.stream()), guest.waits())).collect();
        let full_until = full_until.filter(|until| *until > clock::now());
        let pauses = guests.iter().filter_map(|(_, _, waits)| match waits {
            Waits::Until(until) => Some(*until),
            Waits::ToBeHeard | Waits::ToBeRead => None,
        });
        let until = pauses.chain(full_until).min();
        Self { door: door.filter(|_| full_until.is_none()), guests, until }
    }

    /// The guests, and what they waited for.
    pub(super) fn guests(&self) -> impl Iterator<Item = (u64, Waits)> {
        self.guests.iter().map(|(number, _, waits)| (*number, *waits))
    }

    /// Waits for news, and gives back what there is: of the bell, the door, and each guest.
    pub(super) fn wait(&self, bell: &UnixStream) -> Vec<PollFlags> {
        let mut places = Vec::with_capacity(self.guests.len() + OTHERS);
        places.push(PollFd::new(bell, PollFlags::IN));
        match &self.door {
            Some(door) => places.push(PollFd::new(door, PollFlags::IN)),
            // The bell again: nobody is let in now.
            None => places.push(PollFd::new(bell, PollFlags::empty())),
        }
        places.extend(self.guests.iter().map(|(_, stream, waits)| {
            let flags = match waits {
                Waits::ToBeHeard => PollFlags::IN,
                Waits::ToBeRead => PollFlags::OUT,
                Waits::Until(_) => PollFlags::empty(),
            };
            PollFd::new(stream, flags)
        }));
        let left = self.until.map(|until| until.saturating_duration_since(clock::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        // Interrupted, or too many places: then there are no news, and it is tried again.
        let _ = poll(&mut places, left.as_ref());
        places.iter().map(PollFd::revents).collect()
    }
}
