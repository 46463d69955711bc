//! What a library needs of the world it runs in: the time, a way to wait, a way to start a task, and chance.

use std::future::Future;
use std::time::Duration;

/// The world that a guard runs in.
///
/// [`Tokio`](super::Tokio) is the real one. A deterministic one makes everything built on it deterministic: nothing
/// above this trait reads a clock, draws a number or starts a task in another way.
pub trait Runtime: Clone + Send + Sync + 'static {
    /// The time since a moment that this runtime chose once; it never runs backwards.
    fn now(&self) -> Duration;

    /// Waits for `time` because waiting is what is wanted (a pause between two looks).
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send + 'static;

    /// Waits for `time` only to end something else that takes too long. By default the same as [`Self::sleep`]; a
    /// runtime that shows what its tasks do can tell the two apart.
    fn alarm(&self, time: Duration) -> impl Future<Output = ()> + Send + 'static {
        self.sleep(time)
    }

    /// Starts a task that nobody waits for. Where there is nothing to run it any more, it is dropped.
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static);

    /// 128 bits that nobody can foresee.
    fn random(&self) -> u128;

    /// Waits for `future`, at most for `limit`. The future is looked at first: one that is ready is never late.
    ///
    /// # Errors
    /// [`Elapsed`] when the limit came first; the future is dropped then.
    fn within<F: Future + Send>(
        &self,
        limit: Duration,
        future: F,
    ) -> impl Future<Output = Result<F::Output, Elapsed>> + Send {
        async move {
            ::tokio::select! { biased;
                output = future => Ok(output),
                () = self.alarm(limit) => Err(Elapsed),
            }
        }
    }
}

/// The limit came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it took too long")]
pub struct Elapsed;
