//! The lab's time, for libraries that ask a [`Runtime`] for it.

use std::future::Future;
use std::time::Duration;

use futures::FutureExt;

use crate::clock::Runtime;
use crate::lab::desk::{Ask, Desk};
use crate::lab::time::Span;

/// Virtual time, seeded chance, and tasks that belong to the worker that started them.
#[derive(Clone)]
pub struct LabRuntime {
    desk: Desk,
}

impl LabRuntime {
    pub(super) fn new(desk: Desk) -> Self {
        Self { desk }
    }

    fn wait(
        &self,
        time: Duration,
        ask: fn(Span) -> Ask,
    ) -> impl Future<Output = ()> + Send + 'static + use<> {
        let desk = self.desk.clone();
        // Rounded up: a timer never rings early.
        let span = Span::from_micros(u64::try_from(time.as_nanos().div_ceil(1000)).unwrap_or(u64::MAX));
        async move {
            desk.ask(ask(span), None).await;
        }
    }
}

impl Runtime for LabRuntime {
    fn now(&self) -> Duration {
        Duration::from_micros(self.desk.now().as_micros())
    }

    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send + 'static {
        self.wait(time, Ask::Sleep)
    }

    fn alarm(&self, time: Duration) -> impl Future<Output = ()> + Send + 'static {
        self.wait(time, Ask::Alarm)
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.desk.spawn(task.boxed());
    }

    fn random(&self) -> u128 {
        self.desk.random()
    }
}
