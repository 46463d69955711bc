//! A question, and what may be said of it before it is asked.

use std::future::{Future, IntoFuture};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::answer::{Answer, Provenance};
use super::call::Call;
use super::core::Core;
use super::entry::Codec;
use super::error::Error;
use super::fill::Filler;
use super::options::Options;
use super::wire::Connection;
use crate::clock::Runtime;

/// A question that is asked when it is awaited.
///
/// # Cancellation
/// Dropping the future gives up the answer. The load goes on as long as somebody in this process waits for it; when
/// nobody does, its fill is dropped and its lock given back.
#[must_use = "a request does nothing until it is awaited"]
pub struct Request<V, K, C: Connection, R: Runtime> {
    call: Call<V, K, C, R>,
    instead: Option<V>,
    deadline: Option<Duration>,
}

impl<V, K, C, R> Request<V, K, C, R>
where
    V: Send + 'static,
    K: Codec<V>,
    C: Connection,
    R: Runtime,
{
    pub(super) fn new(core: &Arc<Core<C, R>>, key: &[u8], codec: K, filler: Filler<V>) -> Self {
        let call = Call::new(core, Bytes::copy_from_slice(key), codec, filler);
        Self { call, instead: None, deadline: None }
    }

    /// Changes the options for this call. Calls with different options share no load.
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(Arc::make_mut(&mut self.call.options));
        self
    }

    /// Never answers with a value past its soft deadline: waits for a fresh one, or fails.
    pub fn never_stale(self) -> Self {
        self.options(|options| {
            options.losers.serve_stale = false;
            options.refresh.on_failure = false;
        })
    }

    /// Answers with `value` where there would otherwise be an error other than [`Error::NotFound`].
    pub fn or(mut self, value: V) -> Self {
        self.instead = Some(value);
        self
    }

    /// Answers after `time` at the latest: with what is at hand then, or an error. The load goes on.
    pub fn within(mut self, time: Duration) -> Self {
        self.deadline = Some(time);
        self
    }

    #[expect(clippy::manual_async_fn, reason = "the future of an `async fn` has room for `self` twice")]
    fn answer(mut self) -> impl Future<Output = Result<Answer<V>, Error>> + Send + 'static {
        async move {
            let call = &mut self.call;
            call.core.metrics.requests.add(1);
            call.check()?;
            let sought = match self.deadline {
                None => call.seek().await,
                Some(limit) => {
                    let runtime = call.core.runtime.clone();
                    runtime.within(limit, Box::pin(call.seek())).await.unwrap_or_else(|_| {
                        call.core.metrics.waiter_timeouts.add(1);
                        call.let_go_on();
                        Err(call.contended())
                    })
                }
            };
            let found = match sought {
                Err(Error::NotFound) => return Err(Error::NotFound),
                Err(error) => {
                    let degraded = |value| Answer { value, provenance: Provenance::Degraded };
                    call.at_hand.take().or(self.instead.take().map(degraded)).ok_or(error)
                }
                found => found,
            };
            let metrics = &call.core.metrics;
            match found.as_ref().map(|answer| answer.provenance) {
                Ok(Provenance::Hit { .. }) => metrics.hits.add(1),
                Ok(Provenance::Degraded) => metrics.degraded.add(1),
                Ok(Provenance::Stale { age }) => {
                    metrics.stale_served.add(1);
                    metrics.stale_age.record(age);
                }
                Ok(Provenance::Waited { waited } | Provenance::Coalesced { waited }) => {
                    metrics.wait_time.record(waited);
                }
                _ => {}
            }
            found
        }
    }
}

impl<V, K, C, R> IntoFuture for Request<V, K, C, R>
where
    V: Send + 'static,
    K: Codec<V>,
    C: Connection,
    R: Runtime,
{
    type Output = Result<Answer<V>, Error>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.answer().boxed()
    }
}
