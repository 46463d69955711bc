//! Queries: when they get a connection, and when they end.

use super::run::Lab;
use crate::lab::desk::Answer;
use crate::lab::event::{Fact, QueryId};
use crate::lab::harm::Harm;
use crate::lab::moment::Moment;
use crate::lab::queue::Due;

impl Lab {
    pub(super) fn start_queries(&mut self) {
        while let Some(query) = self.database.next_to_start() {
            let Some(pending) = self.database.pending.get(&query) else { continue };
            let (worker, line, sql) = (pending.worker, pending.line, pending.query.sql.clone());
            let commits = pending.query.commits;
            let fixed = self.setup.cast.get(worker.index()).and_then(|member| member.fill);
            let Some((row, takes)) = self.database.start(query, self.now, fixed) else { continue };
            self.record(Some(worker), line, Fact::QueryStarted { query, sql, row, takes, commits });
            self.queue.add(self.now + takes, Due::QueryEnds(query));
        }
    }

    pub(super) fn finish_query(&mut self, query: QueryId) {
        let Some(done) = self.database.finish(query, self.now) else { return };
        let outcome = done.outcome.unwrap_or(Ok(None));
        let failed = outcome.is_err();
        let truth = (done.query.commits && !failed).then(|| self.database.truth()).flatten();
        let watched = (done.query.commits && !failed).then(|| self.database.watched()).flatten();
        let worker = done.worker;
        let harm = self.fault_at(worker, |when| match when {
            Moment::Executed(which) | Moment::After(which) => which.is_query(done.nth),
            _ => false,
        });
        if let Some(Harm::LoseReply(_)) = harm {
            // The connection stays busy: nobody knows that the answer is lost.
            self.record(Some(worker), done.line, Fact::AnswerLost { query });
            return;
        }
        self.record(Some(worker), done.line, Fact::QueryFinished { query, failed, truth, watched });
        self.start_queries();
        if let Some(harm) = harm {
            self.strike(&harm);
        }
        self.deliver(worker, done.ask, Answer::Row(outcome));
    }
}
