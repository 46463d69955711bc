//! A worker's program and the tasks it has started, polled as one.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::desk::Desk;

/// A program under way. It ends with the error that nobody caught, if there was one.
pub(super) type Running = Pin<Box<dyn Future<Output = Option<String>>>>;

/// A task of the worker being polled, by which it can be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TaskId(u32);

/// Where programs leave the tasks that they start and stop; clones share it.
#[derive(Clone, Default)]
pub(super) struct Nursery(Rc<Shared>);

#[derive(Default)]
struct Shared {
    next: Cell<u32>,
    started: RefCell<Vec<(TaskId, Running)>>,
    stopped: RefCell<Vec<TaskId>>,
    /// A task is being polled, and not the program itself.
    aside: Cell<bool>,
}

impl Nursery {
    pub(super) fn start(&self, task: Running) -> TaskId {
        let id = TaskId(self.0.next.get());
        self.0.next.set(id.0 + 1);
        self.0.started.borrow_mut().push((id, task));
        id
    }

    pub(super) fn stop(&self, task: TaskId) {
        self.0.stopped.borrow_mut().push(task);
    }

    /// True while a task runs, and not the program that started it.
    pub(super) fn is_aside(&self) -> bool {
        self.0.aside.get()
    }
}

/// Ends when the program and all its tasks have.
pub(super) struct Process {
    desk: Desk,
    nursery: Nursery,
    program: Option<Running>,
    error: Option<String>,
    tasks: Vec<(Option<TaskId>, Running)>,
}

impl Process {
    pub(super) fn start(program: Running, desk: &Desk, nursery: &Nursery) -> Self {
        Self {
            desk: desk.clone(),
            nursery: nursery.clone(),
            program: Some(program),
            error: None,
            tasks: Vec::new(),
        }
    }

    /// Polls the tasks from this one on, and lets go of those that have ended.
    fn poll_tasks(&mut self, from: usize, context: &mut Context<'_>) {
        self.nursery.0.aside.set(true);
        let mut index = from;
        while let Some((_, task)) = self.tasks.get_mut(index) {
            match task.as_mut().poll(context) {
                Poll::Pending => index += 1,
                Poll::Ready(error) => {
                    self.error = self.error.take().or(error);
                    drop(self.tasks.remove(index));
                }
            }
        }
        self.nursery.0.aside.set(false);
    }

    /// Drops the tasks that were stopped, and returns where the new ones begin.
    fn take_news(&mut self) -> Option<usize> {
        let stopped = self.nursery.0.stopped.take();
        self.tasks.retain(|(id, _)| id.is_none_or(|id| !stopped.contains(&id)));
        let begin = self.tasks.len();
        let native = self.desk.take_spawned().into_iter().map(|task| {
            let task: Running = Box::pin(async move {
                task.await;
                None
            });
            (None, task)
        });
        self.tasks.extend(native);
        let started = self.nursery.0.started.take().into_iter().filter(|(id, _)| !stopped.contains(id));
        self.tasks.extend(started.map(|(id, task)| (Some(id), task)));
        (self.tasks.len() > begin).then_some(begin)
    }
}

impl Future for Process {
    type Output = Option<String>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Some(program) = &mut this.program
            && let Poll::Ready(error) = program.as_mut().poll(context)
        {
            this.program = None;
            this.error = this.error.take().or(error);
        }
        // What the program has stopped must not run once more.
        this.take_news();
        let mut from = 0;
        loop {
            this.poll_tasks(from, context);
            match this.take_news() {
                // What was started meanwhile runs for the first time now, and may start more.
                Some(begin) => from = begin,
                None => break,
            }
        }
        if this.program.is_none() && this.tasks.is_empty() {
            return Poll::Ready(this.error.take());
        }
        Poll::Pending
    }
}
