//! Everybody on the socket, and who looks after them.
//!
//! One thread does: it waits until somebody can be served, serves one after the other as far as that goes without waiting, and
//! waits again, as Redis does. Only a script can keep it for long. Once one has run for so long that others are told that the
//! server is busy, the thread hands the rest of the crowd over to a fresh one, which can tell them; when the script ends, its
//! thread gives its guest back and is done.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::io::Write;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::event::PollFlags;
use rustix::process::{Resource, getrlimit};

use super::dialect::Dialect;
use super::guest::{Guest, Leaves, Waits};
use super::lua::Sandbox;
use super::round::Round;
use super::shared::Shared;
use crate::clock;

/// The most guests at a time; fewer where the system gives us few files.
const MOST_GUESTS: usize = 10_000;

/// How long to let nobody in when the system has no file to spare.
const SHORTAGE: Duration = Duration::from_millis(50);

/// How long the end of the server waits for the end of a script.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Crowd {
    shared: Arc<Shared>,
    dialect: Dialect,
    path: PathBuf,
    limit: usize,
    /// A byte into the one wakes whoever waits with the other.
    bell: (UnixStream, UnixStream),
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    /// Where guests come in; shut when the server ends.
    door: Option<Arc<UnixListener>>,
    /// Until when the door stays unwatched.
    full_until: Option<Instant>,
    /// Those who wait. Whoever is being served is with the thread that serves.
    guests: BTreeMap<u64, Guest>,
    /// Those who can be served.
    ready: VecDeque<u64>,
    next_guest: u64,
    /// Which thread looks after them.
    lead: u64,
    /// Every thread holds a copy, and lets go of it as it ends; `last` tells when nobody has one any more.
    threads: Option<Sender<Infallible>>,
    last: Option<Receiver<Infallible>>,
}

impl Crowd {
    /// Opens the door and lets a thread look after whoever comes.
    pub(super) fn open(shared: &Arc<Shared>, path: PathBuf, dialect: Dialect) -> std::io::Result<Arc<Self>> {
        let door = UnixListener::bind(&path)?;
        door.set_nonblocking(true)?;
        let bell = UnixStream::pair()?;
        bell.0.set_nonblocking(true)?;
        bell.1.set_nonblocking(true)?;
        let (threads, last) = channel();
        let inside = Inside {
            door: Some(Arc::new(door)),
            threads: Some(threads),
            last: Some(last),
            ..Inside::default()
        };
        let crowd = Arc::new(Self {
            shared: Arc::clone(shared),
            dialect,
            path,
            limit: most_guests(),
            bell,
            inside: Mutex::new(inside),
        });
        crowd.relieve()?;
        let relieved = Arc::downgrade(&crowd);
        shared.running().relieve_by(Box::new(move || {
            if let Some(crowd) = relieved.upgrade() {
                // Without a thread to spare the crowd waits for the script, as it would have to anyway.
                let _ = crowd.relieve();
            }
        }));
        Ok(crowd)
    }

    /// A fresh thread takes over.
    fn relieve(self: &Arc<Self>) -> std::io::Result<()> {
        let mut inside = self.inside.lock();
        if self.shared.is_stopped() {
            return Ok(());
        }
        let (crowd, lead, held) = (Arc::clone(self), inside.lead + 1, inside.threads.clone());
        thread::Builder::new().name("embedded".to_owned()).spawn(move || {
            crowd.look_after(lead);
            drop(held);
        })?;
        inside.lead = lead;
        Ok(())
    }

    /// Ends it: nobody comes in any more, and everybody leaves. The server has been stopped before.
    ///
    /// Only one thing does not end when it is told to: a script inside a function of Lua's own, such as the match of a
    /// pattern that goes back and forth for ever. Its thread is left behind, with nobody to answer to.
    pub(super) fn close(&self) {
        let last = {
            let mut inside = self.inside.lock();
            inside.threads = None;
            inside.last.take()
        };
        self.ring();
        // Nothing is ever sent: the wait ends when the last thread has let go of its end.
        let _ = last.map(|last| last.recv_timeout(PATIENCE));
        self.empty();
    }

    fn ring(&self) {
        // A bell that is full rings already.
        let _ = (&self.bell.0).write(&[1]);
    }

    /// What a thread does while it leads.
    fn look_after(&self, me: u64) {
        let mut sandbox: Option<Sandbox> = None;
        while let Some((number, mut guest)) = self.next(me) {
            let serve = || guest.serve(&self.shared, &mut sandbox, self.dialect);
            // A fault of ours ends the connection that came upon it, and not the server.
            let stays = catch_unwind(AssertUnwindSafe(serve)).unwrap_or(Err(Leaves)).is_ok();
            if !stays {
                guest.leave(&self.shared);
                continue;
            }
            let mut inside = self.inside.lock();
            inside.guests.insert(number, guest);
            if inside.lead != me {
                // Whoever leads now does not wait for this guest yet.
                drop(inside);
                self.ring();
            }
        }
        if self.shared.is_stopped() {
            self.empty();
        }
    }

    /// The next guest to serve, taken out of the crowd; `None` when there is nothing more for this thread to do.
    fn next(&self, me: u64) -> Option<(u64, Guest)> {
        loop {
            let mut inside = self.inside.lock();
            if self.shared.is_stopped() || inside.lead != me {
                return None;
            }
            while let Some(number) = inside.ready.pop_front() {
                if let Some(guest) = inside.guests.remove(&number) {
                    return Some((number, guest));
                }
            }
            let guests = inside.guests.iter().map(|(number, guest)| (*number, guest));
            let round = Round::new(guests, inside.door.clone(), inside.full_until);
            drop(inside);
            let news = round.wait(&self.bell.1);
            let mut inside = self.inside.lock();
            if inside.lead == me {
                self.sort_news(&mut inside, &round, &news);
            }
        }
    }

    /// Notes who can be served, lets in who waits at the door, and lets go who has gone.
    fn sort_news(&self, inside: &mut Inside, round: &Round, news: &[PollFlags]) {
        let [bell, door, guests @ ..] = news else { return };
        if !bell.is_empty() {
            // What is in it says nothing; that it rang is all.
            let _ = std::io::Read::read(&mut &self.bell.1, &mut [0; 64]);
        }
        let now = clock::now();
        for ((number, waits), news) in round.guests().zip(guests) {
            let due = matches!(waits, Waits::Until(until) if until <= now);
            if due || !news.is_empty() && !matches!(waits, Waits::Until(_)) {
                inside.ready.push_back(number);
            } else if !news.is_empty()
                && let Some(guest) = inside.guests.remove(&number)
            {
                // It waited for something else and has hung up.
                guest.leave(&self.shared);
            }
        }
        if !door.is_empty() {
            self.let_in(inside);
        }
    }

    fn let_in(&self, inside: &mut Inside) {
        let Some(door) = inside.door.clone() else { return };
        loop {
            match door.accept() {
                Ok((stream, _)) if inside.guests.len() < self.limit => {
                    if stream.set_nonblocking(true).is_ok() {
                        let address = self.path.display().to_string();
                        let guest = Guest::enter(&self.shared, stream, self.dialect, address);
                        inside.guests.insert(inside.next_guest, guest);
                        inside.next_guest += 1;
                    }
                }
                // It is turned away; whether it hears why is its own affair.
                Ok((mut stream, _)) => drop(stream.write(b"-ERR max number of clients reached\r\n")),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(_) => {
                    inside.full_until = clock::now().checked_add(SHORTAGE);
                    return;
                }
            }
        }
    }

    /// Sends everybody home and shuts the door.
    fn empty(&self) {
        let mut inside = self.inside.lock();
        inside.door = None;
        // It is gone when somebody has removed the whole folder.
        let _ = std::fs::remove_file(&self.path);
        for guest in std::mem::take(&mut inside.guests).into_values() {
            guest.leave(&self.shared);
        }
    }
}

impl std::fmt::Debug for Inside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inside").field("guests", &self.guests.len()).finish_non_exhaustive()
    }
}

/// Half of the files that the system gives us, so that the app has the other half.
fn most_guests() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    let half = files.and_then(|files| usize::try_from(files / 2).ok());
    half.unwrap_or(MOST_GUESTS).min(MOST_GUESTS)
}
