//! What the requests of one process share: its threads, the loads under way, and the permits.

use std::collections::{BTreeMap, VecDeque};

use super::run::Lab;
use crate::lab::desk::{Answer, AskId, Landed, PermitWish};
use crate::lab::event::{Fact, Turn};
use crate::lab::queue::Due;
use crate::lab::worker::{Role, WorkerId};

/// One process of the application.
#[derive(Debug, Default)]
pub(super) struct Process {
    /// How often it has been started anew.
    lives: u32,
    /// Requests that have a thread.
    threads: Vec<WorkerId>,
    /// Requests that wait for one, in order of arrival.
    line: VecDeque<WorkerId>,
    flights: BTreeMap<String, Flight>,
    permits: Vec<WorkerId>,
    wishes: VecDeque<(WorkerId, AskId)>,
}

/// A load that one request does for all that want it.
#[derive(Debug)]
struct Flight {
    leader: WorkerId,
    followers: VecDeque<(WorkerId, AskId)>,
}

impl Lab {
    fn process(&mut self, id: WorkerId) -> &mut Process {
        let process = self.setup.cast.get(id.index()).map_or(0, |member| member.process);
        self.processes.entry(process).or_default()
    }

    pub(super) fn lives(&self, process: u16) -> u32 {
        self.processes.get(&process).map_or(0, |process| process.lives)
    }

    /// A process dies with all that it is doing; what arrives later finds a new one.
    pub(super) fn crash_process(&mut self, process: u16) {
        self.processes.entry(process).or_default().lives += 1;
        for number in 0..self.setup.cast.len() {
            let member = &self.setup.cast[number];
            let runs = self.workers[number].future.is_some();
            if runs && member.process == process && member.role.is_request() {
                self.crash(WorkerId(u16::try_from(number).unwrap_or(u16::MAX)));
            }
        }
    }

    /// Writes down what has changed in a process's counters.
    pub(super) fn measure(&mut self, id: WorkerId, process: String, counts: BTreeMap<String, u64>) {
        let known = self.measured.entry(process.clone()).or_default();
        let changed: BTreeMap<_, _> =
            counts.into_iter().filter(|(name, count)| known.get(name) != Some(count)).collect();
        if !changed.is_empty() {
            known.extend(changed.clone());
            self.record(Some(id), None, Fact::Measured { process, counts: changed });
        }
    }

    /// A request's first need. Returns false when it must wait for a thread.
    pub(super) fn take_thread(&mut self, id: WorkerId) -> bool {
        let is_request = self.setup.cast.get(id.index()).is_some_and(|member| member.role.is_request());
        let Some(threads) = self.setup.app.threads.filter(|_| is_request) else { return true };
        let process = self.process(id);
        let free = process.threads.len() < usize::from(threads);
        if free {
            process.threads.push(id);
        } else {
            process.line.push_back(id);
            self.record(Some(id), None, Fact::Waits { on: Turn::Thread, leader: None });
        }
        free
    }

    /// A client that does not want to wait any longer.
    pub(super) fn lose_patience(&mut self, id: WorkerId) {
        let process = self.process(id);
        let before = process.line.len();
        process.line.retain(|waiting| *waiting != id);
        let never_began = process.line.len() < before;
        self.record(Some(id), None, Fact::ClientLeft);
        if never_began {
            self.workers[id.index()].done = true;
            self.record(Some(id), None, Fact::Finished { error: None });
        }
    }

    /// Leads the load of this name, or waits for who does already.
    pub(super) fn join_flight(&mut self, id: WorkerId, line: Option<u32>, ask: AskId, name: String) {
        let flights = &mut self.process(id).flights;
        if let Some(flight) = flights.get_mut(&name) {
            flight.followers.push_back((id, ask));
            let leader = Some(flight.leader);
            self.record(Some(id), line, Fact::Waits { on: Turn::Flight, leader });
        } else {
            flights.insert(name, Flight { leader: id, followers: VecDeque::new() });
            self.deliver(id, ask, Answer::Leads);
        }
    }

    pub(super) fn land(&mut self, id: WorkerId, name: &str, landed: &Landed) {
        let Some(flight) = self.process(id).flights.remove(name) else { return };
        for (follower, ask) in flight.followers {
            self.go_on(follower, Turn::Flight, true, ask, Answer::Landed(landed.clone()));
        }
    }

    pub(super) fn wish_permit(&mut self, id: WorkerId, line: Option<u32>, ask: AskId, wish: PermitWish) {
        let process = self.process(id);
        if process.permits.len() < wish.of as usize {
            process.permits.push(id);
            self.deliver(id, ask, Answer::Permit(true));
            return;
        }
        process.wishes.push_back((id, ask));
        self.record(Some(id), line, Fact::Waits { on: Turn::Permit, leader: None });
        self.queue.add(self.now + wish.patience, Due::WishEnds(id, ask));
    }

    /// The wait for a permit was too long.
    pub(super) fn end_wish(&mut self, id: WorkerId, ask: AskId) {
        let wishes = &mut self.process(id).wishes;
        let before = wishes.len();
        wishes.retain(|(_, wish)| *wish != ask);
        if wishes.len() < before {
            self.go_on(id, Turn::Permit, false, ask, Answer::Permit(false));
        }
    }

    pub(super) fn return_permit(&mut self, id: WorkerId) {
        let process = self.process(id);
        let Some(at) = process.permits.iter().position(|holder| *holder == id) else { return };
        process.permits.remove(at);
        if let Some((next, ask)) = process.wishes.pop_front() {
            process.permits.push(next);
            self.queue.forget_wish(ask);
            self.go_on(next, Turn::Permit, true, ask, Answer::Permit(true));
        }
    }

    /// What a request leaves behind when it has ended, in whatever way. Its load is led by the next one who waits for it.
    pub(super) fn leave_process(&mut self, id: WorkerId) {
        self.queue.forget_patience(id);
        while self.process(id).permits.contains(&id) {
            self.return_permit(id);
        }
        let process = self.process(id);
        process.wishes.retain(|(waiting, _)| *waiting != id);
        process.line.retain(|waiting| *waiting != id);
        let mut heirs = Vec::new();
        for flight in process.flights.values_mut() {
            flight.followers.retain(|(follower, _)| *follower != id);
            if flight.leader == id
                && let Some((heir, ask)) = flight.followers.pop_front()
            {
                flight.leader = heir;
                heirs.push((heir, ask));
            }
        }
        process.flights.retain(|_, flight| flight.leader != id);
        for (heir, ask) in heirs {
            self.go_on(heir, Turn::Flight, true, ask, Answer::Leads);
        }
        self.pass_thread_on(id);
    }

    fn pass_thread_on(&mut self, id: WorkerId) {
        let process = self.process(id);
        let Some(at) = process.threads.iter().position(|holder| *holder == id) else { return };
        process.threads.remove(at);
        let next = process.line.pop_front();
        process.threads.extend(next);
        if let Some(next) = next {
            self.record(Some(next), None, Fact::Proceeds { on: Turn::Thread, got: true });
            self.begin_program(next);
        }
    }

    fn go_on(&mut self, id: WorkerId, on: Turn, got: bool, ask: AskId, answer: Answer) {
        let line = self.workers[id.index()].line;
        self.record(Some(id), line, Fact::Proceeds { on, got });
        self.deliver(id, ask, answer);
    }

    /// Whether anybody cares how long this member's client waits.
    pub(super) fn watch_patience(&mut self, id: WorkerId) {
        let Some(member) = self.setup.cast.get(id.index()) else { return };
        if let Some(patience) = member.patience.filter(|_| member.role != Role::Observer) {
            self.queue.add(self.now + patience, Due::PatienceEnds(id));
        }
    }
}
