//! A take under way: the lab, the world it has made so far, its beats and its claims.

use super::order::Order;
use super::verdict::{Judged, Verdict};
use super::watch::Watch;
use crate::lab::{Event, Lab, LabError, LabTime, Lever, Wire, World};
use crate::lesson::{Choice, Take};

/// What one tick brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// Things went on.
    On,
    /// A step of the learner ended.
    Step,
    /// A step ended, and with it this beat.
    Beat(usize),
    /// Nothing is left to happen.
    Ended,
}

/// A take being played.
pub struct Playthrough {
    order: Order,
    lab: Lab,
    world: World,
    /// How many beats have been reached.
    beats: usize,
    claims: Vec<Watch>,
    /// For each beat that was reached: do its questions have the answers that they should?
    settled: Vec<(usize, bool)>,
}

impl Playthrough {
    /// Opens the lab for this order.
    ///
    /// # Errors
    /// When the server has one of the keys already or does not answer, or a program does not start.
    pub fn begin(order: Order, wire: Box<dyn Wire>) -> Result<Self, LabError> {
        let lab = Lab::open(order.setup(), wire)?;
        let claims = order.lesson.takes[order.take].claims.iter().map(Watch::begin).collect();
        let mut play = Self { order, lab, world: World::default(), beats: 0, claims, settled: Vec::new() };
        play.absorb();
        Ok(play)
    }

    pub fn take(&self) -> &Take {
        &self.order.lesson.takes[self.order.take]
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    pub fn events(&self) -> &[Event] {
        self.lab.journal().events()
    }

    pub fn now(&self) -> LabTime {
        self.lab.now()
    }

    /// When the next thing is due; `None` when the take has ended.
    pub fn next_at(&self) -> Option<LabTime> {
        self.lab.next_at()
    }

    /// Lets the next due thing happen.
    ///
    /// # Errors
    /// When the server is lost.
    pub fn tick(&mut self) -> Result<Tick, LabError> {
        if !self.lab.tick()? {
            return Ok(Tick::Ended);
        }
        let stepped = self.absorb();
        Ok(self.after(stepped))
    }

    fn after(&mut self, stepped: bool) -> Tick {
        self.watch();
        let beat = if stepped { self.reach_beat() } else { None };
        match beat {
            Some(beat) => Tick::Beat(beat),
            None if self.world.ended => Tick::Ended,
            None if stepped => Tick::Step,
            None => Tick::On,
        }
    }

    /// The beats that the end of the run has brought with it, beyond the one its last tick told of.
    pub fn close(&mut self) -> Vec<usize> {
        let ended = self.world.ended;
        std::iter::from_fn(|| ended.then(|| self.reach_beat()).flatten()).collect()
    }

    /// Moves the clock on to `until`, as far as nothing is due before.
    pub fn wait_until(&mut self, until: LabTime) {
        self.lab.wait_until(until);
    }

    /// Keeps the server's countdowns where the clock stands, and takes in what somebody outside has done.
    ///
    /// # Errors
    /// When the server is lost.
    pub fn hold(&mut self) -> Result<(), LabError> {
        self.lab.hold()?;
        if self.absorb() {
            self.watch();
        }
        Ok(())
    }

    /// Takes in what the journal has gained. Returns true when a step ended with it.
    fn absorb(&mut self) -> bool {
        let mut stepped = false;
        for event in &self.lab.journal().events()[self.world.events..] {
            stepped |= self.world.apply(event);
        }
        stepped
    }

    fn watch(&mut self) {
        let take = &self.order.lesson.takes[self.order.take];
        for (claim, watch) in take.claims.iter().zip(&mut self.claims) {
            watch.look(claim, &self.world);
        }
    }

    /// A beat ends only where a step ends: between two steps the screen has nowhere to stop.
    fn reach_beat(&mut self) -> Option<usize> {
        let beat = self.order.lesson.takes[self.order.take].beats.get(self.beats)?;
        if !beat.until.holds(&self.world) {
            return None;
        }
        let reached = self.beats;
        self.beats += 1;
        if let Some(prediction) = &beat.prediction {
            let settles = |choice: &Choice| choice.right == choice.when.holds(&self.world);
            self.settled.push((reached, prediction.choices.iter().all(settles)));
        }
        if let Some(seen) = &beat.seen {
            self.settled.push((reached, seen.count(&self.world) == 1));
        }
        Some(reached)
    }

    /// Lets a learner do something, now. Returns what that brought, as [`Playthrough::tick`] does.
    ///
    /// # Errors
    /// When the server is lost.
    pub fn act(&mut self, lever: Lever) -> Result<Tick, LabError> {
        self.lab.act(lever)?;
        let stepped = self.absorb();
        Ok(self.after(stepped))
    }

    /// What held of the claims, and of the questions and beats too when nobody turned a knob.
    pub fn verdict(&self) -> Verdict {
        let take = self.take();
        let mut claims: Vec<Judged> = take
            .claims
            .iter()
            .zip(&self.claims)
            .map(|(claim, watch)| Judged { text: claim.text.text(&self.world), holds: watch.holds() })
            .collect();
        if self.order.is_as_written() {
            claims.extend(self.judge_story());
        }
        Verdict::new(take.name.clone(), claims, &self.world, self.events().to_vec())
    }

    /// The lesson's own promises: every beat comes, and the run bears out the right choice and no other.
    fn judge_story(&self) -> Vec<Judged> {
        let beats = &self.take().beats;
        let mut judged = Vec::new();
        for (index, beat) in beats.iter().enumerate() {
            if index >= self.beats {
                judged
                    .push(Judged { text: format!("the beat “{}” is reached", beat.title), holds: false });
            }
        }
        for (index, holds) in &self.settled {
            let text = format!("the run settles the question of “{}”", beats[*index].title);
            judged.push(Judged { text, holds: *holds });
        }
        judged
    }
}
