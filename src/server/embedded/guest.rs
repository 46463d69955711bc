//! A client on the socket: what it has sent, what it is still to get, and what it waits for.
//!
//! Nothing here waits. Requests are answered as they come, replies are written as far as the client takes them; while it
//! does not, no more of its requests are answered, so that it takes neither memory nor anybody's time.

use std::io::{ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::MutexGuard;

use super::codec::{Protocol, Reply, Requests};
use super::dialect::Dialect;
use super::dispatch;
use super::engine::Engine;
use super::lua::Sandbox;
use super::session::{Hearing, Session};
use super::shared::Shared;
use crate::clock;

/// Replies are written out once there are so many bytes of them.
const FULL: usize = 64 << 10;

/// What a guest waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    ToBeHeard,
    /// For the other side to take what it asked for.
    ToBeRead,
    /// Until then, as `WAIT` does.
    Until(Instant),
}

/// That the connection has ended, or is to end.
#[derive(Debug)]
pub(super) struct Leaves;

pub(super) struct Guest {
    stream: Arc<UnixStream>,
    session: Session,
    requests: Requests,
    /// Replies, and how many bytes of them were written.
    out: Vec<u8>,
    written: usize,
    /// A reply that comes later, and when.
    later: Option<(Instant, Vec<u8>)>,
}

impl Guest {
    pub(super) fn enter(shared: &Shared, stream: UnixStream, dialect: Dialect, address: String) -> Self {
        Self {
            stream: Arc::new(stream),
            session: Session::enter(shared, address),
            requests: Requests::new(dialect),
            out: Vec::new(),
            written: 0,
            later: None,
        }
    }

    pub(super) fn stream(&self) -> &Arc<UnixStream> {
        &self.stream
    }

    pub(super) fn waits(&self) -> Waits {
        match &self.later {
            _ if !self.out.is_empty() => Waits::ToBeRead,
            Some((until, _)) => Waits::Until(*until),
            None => Waits::ToBeHeard,
        }
    }

    /// Goes on as far as it can without waiting.
    pub(super) fn serve(
        &mut self,
        shared: &Shared,
        sandbox: &mut Option<Sandbox>,
        dialect: Dialect,
    ) -> Result<(), Leaves> {
        if let Some((_, reply)) = self.later.take_if(|(until, _)| *until <= clock::now()) {
            self.out.extend(reply);
        }
        self.flush()?;
        // What was left over when the other side did not read.
        self.answer(shared, sandbox, dialect)?;
        if self.waits() == Waits::ToBeHeard {
            match self.requests.fill(&mut &*self.stream) {
                Ok(0) => return Err(Leaves),
                Ok(_) => self.answer(shared, sandbox, dialect)?,
                Err(error) if is_passing(&error) => {}
                Err(_) => return Err(Leaves),
            }
        }
        if self.session.closing && self.out.is_empty() { Err(Leaves) } else { Ok(()) }
    }

    pub(super) fn leave(mut self, shared: &Shared) {
        self.session.leave(shared);
    }

    /// Answers all requests that are complete, in one turn with the engine.
    fn answer(
        &mut self,
        shared: &Shared,
        sandbox: &mut Option<Sandbox>,
        dialect: Dialect,
    ) -> Result<(), Leaves> {
        let mut turn: Option<MutexGuard<'_, Engine>> = None;
        while self.out.len() < FULL && self.later.is_none() && !self.session.closing {
            let args = match self.requests.next() {
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
                Some(engine) => dispatch::run(shared, engine, sandbox, &mut self.session, &args),
                None => dispatch::run_past_a_script(shared, &mut self.session, dialect, &args),
            };
            if shared.is_stopped() {
                return Err(Leaves);
            }
            let before = self.out.len();
            self.say(&reply);
            if let Some(pause) = self.session.pause.take() {
                let until = clock::now().checked_add(pause).unwrap_or_else(clock::now);
                self.later = Some((until, self.out.split_off(before)));
            }
            if self.out.len() >= FULL {
                turn = None;
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

    /// Writes as much as the other side takes.
    fn flush(&mut self) -> Result<(), Leaves> {
        while let Some(rest) = self.out.get(self.written..).filter(|rest| !rest.is_empty()) {
            match (&*self.stream).write(rest) {
                Ok(0) => return Err(Leaves),
                Ok(count) => self.written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(_) => return Err(Leaves),
            }
        }
        self.written = 0;
        self.out.clear();
        // A large reply need not take its room for ever.
        self.out.shrink_to(16 * FULL);
        Ok(())
    }
}

/// Nothing to read now; there may be later.
fn is_passing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
