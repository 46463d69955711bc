//! What a learner does by hand.

use super::error::LabError;
use super::run::Lab;
use crate::lab::command::Command;
use crate::lab::event::Fact;
use crate::lab::keyspace::Change;
use crate::lab::reply::Reply;
use crate::lab::schedule::{Act, Lever};
use crate::lab::worker::WorkerId;

impl Lab {
    /// Lets a learner do something, now. In the journal it stands with all that comes of it; a run whose schedule has the
    /// same act there is the same run.
    ///
    /// After the end only commands do anything.
    ///
    /// # Errors
    /// When the server is lost.
    pub fn act(&mut self, lever: Lever) -> Result<(), LabError> {
        // What it finds of others' doings comes before it.
        let typed = if let Lever::Type(command) = &lever { Some(self.type_in(command)?) } else { None };
        self.tick += 1;
        self.record(None, None, Fact::Acted { lever: lever.clone() });
        if let Some((reply, effects)) = typed {
            self.record(None, None, Fact::Typed { reply, effects });
        }
        if self.ended {
            return Ok(());
        }
        match lever {
            Lever::Harm(harm) => self.strike(&harm),
            Lever::Thaw(id) => self.thaw(id),
            Lever::Type(_) => {}
        }
        self.settle();
        self.end_if_nothing_is_left();
        Ok(())
    }

    /// The next act of a schedule, when its place has come.
    pub(super) fn act_due(&self) -> Option<&Act> {
        self.acts.front().filter(|act| act.after <= self.tick)
    }

    fn thaw(&mut self, id: WorkerId) {
        let frozen = self.workers.get_mut(id.index()).filter(|worker| worker.paused_until.is_some());
        if let Some(worker) = frozen {
            worker.paused_until = Some(self.now);
            self.resume(id);
        }
    }

    /// A command of the learner's is at the server at once: nobody measures how long it is on its way.
    fn type_in(&mut self, command: &Command) -> Result<(Reply, Vec<Change>), LabError> {
        self.rescue()?;
        let batch = self.keys.beside(command, self.now);
        let findings = self.carry(&batch)?;
        Ok((findings.reply.unwrap_or(Reply::Nil), findings.effects))
    }
}
