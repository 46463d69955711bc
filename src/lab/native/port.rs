//! What a worker in Rust can do.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::connection::LabConnection;
use super::runtime::LabRuntime;
use crate::lab::bytes::Bytes;
use crate::lab::database::{Cell, Query, Row};
use crate::lab::desk::{Answer, Ask, Desk};
use crate::lab::event::Quality;
use crate::lab::repertoire::Repertoire;
use crate::lab::worker::WorkerId;

/// A program in Rust. It ends with an error, or with none.
#[derive(Clone)]
pub struct Native(Arc<dyn Fn(Port) -> BoxFuture<'static, Option<String>> + Send + Sync>);

/// A worker's line to the lab.
#[derive(Clone)]
pub struct Port {
    desk: Desk,
    worker: WorkerId,
    /// Its process, and the how manieth life of that.
    process: (u16, u32),
    repertoire: Arc<Repertoire>,
}

/// A query that did not run, or ran into trouble.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the database says: {0}")]
pub struct QueryFailed(pub String);

impl Native {
    pub fn new<F>(program: impl Fn(Port) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<String>> + Send + 'static,
    {
        Self(Arc::new(move |port| program(port).boxed()))
    }

    pub(in crate::lab) fn start(&self, port: Port) -> BoxFuture<'static, Option<String>> {
        (self.0)(port)
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Native")
    }
}

impl PartialEq for Native {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Native {}

impl Port {
    pub(in crate::lab) fn new(
        desk: &Desk,
        worker: WorkerId,
        process: (u16, u32),
        repertoire: &Arc<Repertoire>,
    ) -> Self {
        Self { desk: desk.clone(), worker, process, repertoire: Arc::clone(repertoire) }
    }

    /// Which worker this is.
    pub fn worker(&self) -> WorkerId {
        self.worker
    }

    /// The process it runs in, from 0, and how often that has been started anew.
    pub fn process(&self) -> (u16, u32) {
        self.process
    }

    pub fn connection(&self) -> LabConnection {
        LabConnection::new(self.desk.clone(), Arc::clone(&self.repertoire))
    }

    pub fn runtime(&self) -> LabRuntime {
        LabRuntime::new(self.desk.clone())
    }

    /// Runs SQL on the lesson's database; its first row, if there is one.
    ///
    /// # Errors
    /// What the database says. Dropping the future gives up the answer, not the query.
    pub fn query(
        &self,
        sql: &str,
        params: Vec<Cell>,
    ) -> impl Future<Output = Result<Option<Row>, QueryFailed>> + Send + 'static + use<> {
        self.run(Query { sql: sql.to_owned(), params, commits: false })
    }

    /// Runs SQL that changes something; the change is there when the query ends.
    ///
    /// # Errors
    /// What the database says. Dropping the future gives up the answer, not the change.
    pub fn commit(
        &self,
        sql: &str,
        params: Vec<Cell>,
    ) -> impl Future<Output = Result<Option<Row>, QueryFailed>> + Send + 'static + use<> {
        self.run(Query { sql: sql.to_owned(), params, commits: true })
    }

    /// The text in the first row's only column.
    ///
    /// # Errors
    /// What the database says, or that there is no such text.
    pub fn text(
        &self,
        sql: &str,
    ) -> impl Future<Output = Result<String, Box<dyn std::error::Error + Send + Sync>>> + Send + 'static + use<>
    {
        let row = self.query(sql, Vec::new());
        async move {
            match row.await?.and_then(|row| row.into_values().next()) {
                Some(Cell::Text(text)) => Ok(text),
                _ => Err(Box::from(QueryFailed("no text".to_owned()))),
            }
        }
    }

    /// Tells what a library has counted since its process began.
    pub fn measured(&self, process: String, counts: impl Iterator<Item = (&'static str, u64)>) {
        let counted = counts.filter(|(_, count)| *count > 0);
        let counts = counted.map(|(name, count)| (name.to_owned(), count)).collect();
        self.desk.measured(process, counts);
    }

    fn run(
        &self,
        query: Query,
    ) -> impl Future<Output = Result<Option<Row>, QueryFailed>> + Send + 'static + use<> {
        let desk = self.desk.clone();
        async move {
            match desk.ask(Ask::Query(query), None).await {
                Answer::Row(row) => row.map_err(QueryFailed),
                _ => Err(QueryFailed("no answer".to_owned())),
            }
        }
    }

    /// Writes a line into the log.
    pub fn note(&self, text: impl Into<String>) {
        self.desk.note(text.into(), None);
    }

    /// Answers a reader.
    pub fn serve(&self, quality: Quality, value: impl Into<Bytes>) {
        self.desk.serve(quality, value.into(), None);
    }
}
