//! Callers of one key share its `GET`s.
//!
//! One `GET` is under way at most. Who comes meanwhile waits for the *next* one: the answer to a question that was
//! asked before one came could be older than something that happened before one came. So a hot key costs one command a
//! round trip, however many callers there are.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, PoisonError};

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::guard::entry::Entry;
use crate::guard::sync::{Mutex, MutexGuard};
use crate::guard::wire::Trouble;

type Read = Result<Option<Entry>, Trouble>;
type Waiting = Vec<oneshot::Sender<Turn>>;

/// The reads under way, each with those who wait for the next one.
#[derive(Clone, Default)]
pub(in crate::guard) struct Reads(Arc<Mutex<BTreeMap<Bytes, Waiting>>>);

enum Turn {
    Answer(Read),
    /// It is this caller's turn to ask.
    Ask(Baton),
}

/// The duty to ask for all who came before the question is sent. Dropped without an answer, it goes to the next.
struct Baton {
    reads: Reads,
    key: Bytes,
    companions: Waiting,
}

impl Reads {
    fn under_way(&self) -> MutexGuard<'_, BTreeMap<Bytes, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True when nothing is under way.
    #[cfg(test)]
    pub(in crate::guard) fn is_idle(&self) -> bool {
        self.under_way().is_empty()
    }

    /// Reads `key` by `ask`, or hears what another caller read who asked later than this one came. Tells whether it was
    /// another.
    pub(in crate::guard) async fn read<F: Future<Output = Read>>(
        &self,
        key: &Bytes,
        ask: impl FnOnce() -> F,
    ) -> (Read, bool) {
        let next = {
            let mut under_way = self.under_way();
            if let Some(waiting) = under_way.get_mut(key) {
                let (sender, receiver) = oneshot::channel();
                waiting.push(sender);
                Some(receiver)
            } else {
                under_way.insert(key.clone(), Vec::new());
                None
            }
        };
        let baton = match next {
            None => Baton { reads: self.clone(), key: key.clone(), companions: Vec::new() },
            Some(next) => match next.await {
                Ok(Turn::Answer(read)) => return (read, true),
                Ok(Turn::Ask(baton)) => baton,
                // A baton always finds the next one; without one there is nobody to wait for.
                Err(_) => return (ask().await, false),
            },
        };
        let read = ask().await;
        baton.answer(&read);
        (read, false)
    }
}

impl Baton {
    fn answer(mut self, read: &Read) {
        for companion in self.companions.drain(..) {
            let _ = companion.send(Turn::Answer(read.clone()));
        }
    }
}

impl Drop for Baton {
    /// Whoever is still waiting is asked for by the first of them.
    fn drop(&mut self) {
        let mut waiting = std::mem::take(&mut self.companions);
        {
            let mut under_way = self.reads.under_way();
            if let Some(newcomers) = under_way.get_mut(&self.key) {
                waiting.append(newcomers);
            }
            waiting.retain(|caller| !caller.is_closed());
            if waiting.is_empty() {
                under_way.remove(&self.key);
                return;
            }
        }
        let next = waiting.remove(0);
        let baton = Self { reads: self.reads.clone(), key: self.key.clone(), companions: waiting };
        // If it has just gone away, the baton comes back here and is dropped: on to the one after.
        drop(next.send(Turn::Ask(baton)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt;
    use futures::future::{BoxFuture, pending, ready};

    use super::*;

    fn read<'a>(
        reads: &'a Reads,
        asked: &'a AtomicUsize,
        answer: BoxFuture<'static, Read>,
    ) -> BoxFuture<'a, (Read, bool)> {
        async move {
            let key = Bytes::from("k");
            reads
                .read(&key, || {
                    asked.fetch_add(1, Ordering::Relaxed);
                    answer
                })
                .await
        }
        .boxed()
    }

    fn nothing() -> BoxFuture<'static, Read> {
        ready(Ok(None)).boxed()
    }

    #[test]
    fn nobody_is_answered_by_a_question_from_before_he_came() {
        let (reads, asked) = (Reads::default(), AtomicUsize::new(0));
        let (reply, answer) = oneshot::channel::<Read>();
        let mut first = read(&reads, &asked, answer.map(|read| read.expect("answered")).boxed());
        assert!((&mut first).now_or_never().is_none());
        let mut others: Vec<_> = (0..3).map(|_| read(&reads, &asked, nothing())).collect();
        for other in &mut others {
            assert!(other.now_or_never().is_none());
        }
        assert!(reply.send(Ok(None)).is_ok());
        assert!(matches!(first.now_or_never(), Some((Ok(None), false))));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        for other in others {
            assert!(other.now_or_never().is_some(), "one asks for all who waited");
        }
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        assert!(reads.is_idle());
    }

    #[test]
    fn the_question_of_one_who_leaves_is_asked_by_the_next() {
        let (reads, asked) = (Reads::default(), AtomicUsize::new(0));
        let mut first = read(&reads, &asked, pending().boxed());
        assert!((&mut first).now_or_never().is_none());
        let mut others: Vec<_> = (0..4).map(|_| read(&reads, &asked, nothing())).collect();
        for other in &mut others {
            assert!(other.now_or_never().is_none());
        }
        drop(others.remove(0));
        drop(first);
        drop(others.remove(0));
        for other in others {
            assert!(other.now_or_never().is_some());
        }
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        assert!(reads.is_idle());
    }
}
