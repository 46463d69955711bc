//! A worker's program and the tasks it has started, polled as one.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::future::BoxFuture;

use super::port::{Native, Port};
use crate::lab::desk::Desk;

/// Ends when the program and all its tasks have.
pub(in crate::lab) struct Process {
    desk: Desk,
    program: Option<BoxFuture<'static, Option<String>>>,
    error: Option<String>,
    tasks: Vec<BoxFuture<'static, ()>>,
}

impl Process {
    pub(in crate::lab) fn start(program: &Native, port: Port, desk: &Desk) -> Self {
        Self { desk: desk.clone(), program: Some(program.start(port)), error: None, tasks: Vec::new() }
    }
}

impl Future for Process {
    type Output = Option<String>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Some(program) = &mut this.program
            && let Poll::Ready(error) = program.as_mut().poll(context)
        {
            (this.program, this.error) = (None, error);
        }
        this.tasks.retain_mut(|task| task.as_mut().poll(context).is_pending());
        // What was started meanwhile runs for the first time now, and may start more.
        loop {
            let mut started = this.desk.take_spawned();
            if started.is_empty() {
                break;
            }
            started.retain_mut(|task| task.as_mut().poll(context).is_pending());
            this.tasks.append(&mut started);
        }
        if this.program.is_none() && this.tasks.is_empty() {
            return Poll::Ready(this.error.take());
        }
        Poll::Pending
    }
}
