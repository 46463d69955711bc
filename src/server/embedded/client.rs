//! A client on the socket, served by a thread of its own.
//!
//! It reads what has come, runs all complete requests in one turn with the engine, and writes the replies before it reads
//! on. So a client that sends without reading fills the pipe and waits, and takes neither memory nor anybody's turn.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;

use parking_lot::MutexGuard;

use super::codec::{Protocol, Reply, Requests};
use super::dialect::Dialect;
use super::dispatch;
use super::engine::Engine;
use super::session::{Hearing, Session};
use super::shared::Shared;

/// Replies are written out once there are so many bytes of them.
const FULL: usize = 64 << 10;

/// Serves the client until it leaves, is told to, or the server ends.
pub(super) fn serve(shared: &Shared, dialect: Dialect, stream: &UnixStream, address: String) {
    let mut session = Session::enter(shared, address);
    // A client that is gone is nobody's error.
    let _ = Conversation { shared, dialect, stream, session: &mut session, out: Vec::new() }.hold();
    session.leave(shared);
}

struct Conversation<'a> {
    shared: &'a Shared,
    dialect: Dialect,
    stream: &'a UnixStream,
    session: &'a mut Session,
    out: Vec<u8>,
}

impl Conversation<'_> {
    fn hold(&mut self) -> io::Result<()> {
        let mut requests = Requests::new(self.dialect);
        while !self.session.closing {
            let mut stream = self.stream;
            match requests.fill(&mut stream) {
                Ok(0) => break,
                Ok(_) => self.answer(&mut requests)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.flush()
    }

    /// Answers all requests that are complete.
    fn answer(&mut self, requests: &mut Requests) -> io::Result<()> {
        let shared = self.shared;
        let mut turn: Option<MutexGuard<'_, Engine>> = None;
        loop {
            let args = match requests.next() {
                Ok(Some(args)) => args,
                Ok(None) => break,
                Err(error) => {
                    self.session.closing = true;
                    Reply::Error(error.0.into_bytes()).write(Protocol::Resp2, &mut self.out);
                    break;
                }
            };
            if turn.is_none() {
                turn = shared.engine();
            }
            let reply = match &mut turn {
                Some(engine) => dispatch::run(shared, engine, self.session, &args),
                None => dispatch::run_past_a_script(shared, self.session, self.dialect, &args),
            };
            if let Some(pause) = self.session.pause.take() {
                drop(turn.take());
                self.flush()?;
                shared.pause(pause);
            }
            self.say(&reply);
            if self.session.closing || shared.is_stopped() {
                self.session.closing = true;
                break;
            }
            if self.out.len() >= FULL {
                drop(turn.take());
                self.flush()?;
            }
        }
        drop(turn);
        self.flush()
    }

    /// Keeps the reply for the client, if it wants to hear it.
    fn say(&mut self, reply: &Reply) {
        match self.session.hearing {
            Hearing::On => reply.write(self.session.protocol, &mut self.out),
            Hearing::Off => {}
            Hearing::SkipNext => self.session.hearing = Hearing::Skip,
            Hearing::Skip => self.session.hearing = Hearing::On,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let mut stream = self.stream;
        let written = stream.write_all(&self.out);
        if self.out.capacity() > 16 * FULL {
            self.out = Vec::new();
        }
        self.out.clear();
        written
    }
}
