//! One run of a closure.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tracing::Instrument;

use super::context::Fill;
use crate::clock::Runtime;
use crate::guard::core::Core;
use crate::guard::error::{NotFound, SourceError};
use crate::guard::metrics::Metrics;
use crate::guard::wire::Connection;

/// The caller's closure.
pub(in crate::guard) type Filler<V> =
    Box<dyn FnOnce(Fill) -> BoxFuture<'static, Result<V, SourceError>> + Send>;

/// How a fill ended.
pub(in crate::guard) enum Filled<V> {
    Value(V),
    NotFound,
    Failed(Arc<dyn std::error::Error + Send + Sync>),
    Panicked(String),
    /// It was dropped: it had run for as long as one may.
    Overran,
}

/// Counts a fill that is dropped before its end.
struct Abandoned<'a>(Option<&'a Metrics>);

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        if let Some(metrics) = self.0 {
            metrics.fills_abandoned.add(1);
        }
    }
}

/// Runs `filler` for at most `limit`, beside `watchdog`, which never ends. Tells how long it took.
pub(in crate::guard) async fn fill<V, C: Connection, R: Runtime>(
    core: &Core<C, R>,
    filler: Filler<V>,
    fill: Fill,
    limit: Duration,
    watchdog: impl Future<Output = ()> + Send,
) -> (Filled<V>, Duration) {
    let began = core.runtime.now();
    let _one_more = core.metrics.filling.enter();
    let mut abandoned = Abandoned(Some(&core.metrics));
    // The closure may panic before it has made a future.
    let work = async move { filler(fill).await }.instrument(tracing::debug_span!("fill"));
    let work = AssertUnwindSafe(work).catch_unwind();
    let filled = tokio::select! { biased;
        ended = work => match ended {
            Ok(Ok(value)) => Filled::Value(value),
            Ok(Err(error)) if error.is::<NotFound>() => Filled::NotFound,
            Ok(Err(error)) => Filled::Failed(Arc::from(error)),
            Err(panic) => Filled::Panicked(words_of(&*panic)),
        },
        () = core.runtime.alarm(limit) => Filled::Overran,
        () = watchdog => Filled::Overran,
    };
    abandoned.0 = None;
    let took = core.runtime.now().saturating_sub(began);
    core.metrics.fill_time.record(took);
    let counter = match &filled {
        Filled::Value(_) | Filled::NotFound => {
            core.sizing.note(took);
            &core.metrics.fills
        }
        Filled::Failed(_) => &core.metrics.fills_failed,
        Filled::Panicked(_) => &core.metrics.fills_panicked,
        Filled::Overran => &core.metrics.fills_overran,
    };
    counter.add(1);
    (filled, took)
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}
