//! A lock that was taken, or may have been.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use redis::{Value, cmd};

use crate::clock::Runtime;
use crate::guard::core::Core;
use crate::guard::scripts::EXTEND;
use crate::guard::wire::{Connection, Trouble};

/// A lock held with a token of its own.
///
/// It is made before the first command is sent. Dropping it before [`release`](Self::release) has ended (its task was
/// cancelled, the fill panicked, nobody knows whether the command ran) sends the release in a task of its own; if that
/// does not arrive, the lease ends by itself.
pub(in crate::guard) struct Hold<C: Connection, R: Runtime> {
    core: Arc<Core<C, R>>,
    lock: Bytes,
    /// Fresh and unpredictable for every attempt. The entry of the fill carries the same number.
    pub(in crate::guard) id: u128,
    /// When the command left: the lease cannot end before this plus its term.
    pub(in crate::guard) since: Duration,
    pub(in crate::guard) term: Duration,
    /// There is nothing (left) to give back.
    settled: bool,
}

/// What came of trying.
pub(in crate::guard) enum Attempt<C: Connection, R: Runtime> {
    Won(Hold<C, R>),
    /// Somebody else holds it.
    Lost,
}

impl<C: Connection, R: Runtime> Hold<C, R> {
    /// Tries to take `lock` for `term`, once. When the answer is lost, the server is asked whose the lock is before
    /// anything is done about it.
    ///
    /// # Errors
    /// When Redis does not say.
    pub(in crate::guard) async fn take(
        core: &Arc<Core<C, R>>,
        lock: &Bytes,
        term: Duration,
    ) -> Result<Attempt<C, R>, Trouble> {
        /// An uncertain attempt is repeated, with the same token, when the lock turns out to be free.
        const TRIES: usize = 3;
        let mut hold = Self {
            core: Arc::clone(core),
            lock: lock.clone(),
            id: core.runtime.random(),
            since: core.runtime.now(),
            term,
            settled: false,
        };
        core.metrics.attempts.add(1);
        let mut uncertain = false;
        for _ in 0..TRIES {
            match hold.set().await {
                Ok(true) => return Ok(hold.won()),
                Ok(false) => {
                    // An earlier answer was lost; the command may have arrived after the question whose the lock is.
                    if uncertain && hold.is_owner().await? == Some(true) {
                        return Ok(hold.won());
                    }
                    hold.settled = true;
                    core.metrics.losses.add(1);
                    return Ok(Attempt::Lost);
                }
                Err(trouble) if trouble.is_uncertain() => {
                    core.metrics.uncertain.add(1);
                    uncertain = true;
                    match hold.is_owner().await? {
                        Some(true) => return Ok(hold.won()),
                        // Not settled: the command may still be on its way.
                        Some(false) => {
                            core.metrics.losses.add(1);
                            return Ok(Attempt::Lost);
                        }
                        None => {}
                    }
                }
                Err(trouble) => {
                    hold.settled = true;
                    return Err(trouble);
                }
            }
        }
        Ok(Attempt::Lost)
    }

    fn won(self) -> Attempt<C, R> {
        self.core.metrics.acquisitions.add(1);
        Attempt::Won(self)
    }

    fn token(&self) -> String {
        format!("{:032x}", self.id)
    }

    async fn set(&self) -> Result<bool, Trouble> {
        let life = self.term.as_millis().to_string();
        let mut set = cmd("SET");
        set.arg(&self.lock[..]).arg(self.token()).arg("NX").arg("PX").arg(life);
        self.core.link.ask(&set).await.map(|reply| matches!(reply, Value::Okay | Value::SimpleString(_)))
    }

    /// Whether the lock is this one; `None` when it is nobody's.
    async fn is_owner(&self) -> Result<Option<bool>, Trouble> {
        match self.core.link.ask_twice(cmd("GET").arg(&self.lock[..])).await? {
            Value::BulkString(token) => Ok(Some(token == self.token().as_bytes())),
            _ => Ok(None),
        }
    }

    /// True when the lease has ended for sure, by the clock here.
    pub(in crate::guard) fn is_over(&self) -> bool {
        self.core.runtime.now() >= self.since.saturating_add(self.term)
    }

    /// Sets the lock's life anew over the link for renewals, if it is still held.
    pub(in crate::guard) async fn extend(&self, life: Duration) -> Result<bool, Trouble> {
        let (token, life) = (self.token(), life.as_millis().to_string());
        let args: [&[u8]; 2] = [token.as_bytes(), life.as_bytes()];
        let reply = EXTEND.run(&self.core.renewals, &self.lock, &args).await?;
        Ok(reply == Value::Int(1))
    }

    /// Gives the lock back. Trouble on the way is counted and no more: the lease ends by itself.
    pub(in crate::guard) async fn release(mut self) {
        self.core.release(&self.lock, &self.token()).await;
        self.settled = true;
    }
}

impl<C: Connection, R: Runtime> Drop for Hold<C, R> {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let (core, lock, token) = (Arc::clone(&self.core), self.lock.clone(), self.token());
        self.core.runtime.spawn(async move { core.release(&lock, &token).await });
    }
}
