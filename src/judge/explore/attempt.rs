//! One schedule, run to its end or until it breaks a law.

use crate::judge::order::Order;
use crate::judge::watch::Watch;
use crate::lab::{Event, Lab, LabError, Wire, World};
use crate::lesson::Claim;

/// What a schedule is held against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Law {
    /// A sentence of the lesson.
    Written(Claim),
    /// Nobody polls for ever, and everybody comes to an end.
    Ends,
    /// Where nothing goes wrong no program fails with an error.
    Works,
}

/// A broken law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub(super) law: Law,
    /// The law in words, with the numbers of the run that broke it.
    pub text: String,
    /// The step of the learner with which it broke.
    pub step: u32,
}

/// A run that has been made.
pub(super) struct Attempt {
    pub(super) breach: Option<Breach>,
    pub(super) events: Vec<Event>,
    /// How many things were due at once, each time that it was more than one.
    pub(super) ties: Vec<usize>,
    /// At its end, or where it broke.
    pub(super) world: World,
}

/// A run with more events than this goes on for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patience(pub(super) usize);

/// Runs the order's take until it ends or breaks one of `laws`.
pub(super) fn attempt(
    order: &Order,
    laws: &[Law],
    patience: Patience,
    wire: Box<dyn Wire>,
) -> Result<Attempt, LabError> {
    let mut lab = Lab::open(order.setup(), wire)?;
    let mut world = World::default();
    let written = |law: &Law| if let Law::Written(claim) = law { Some(Watch::begin(claim)) } else { None };
    let mut watches: Vec<Option<Watch>> = laws.iter().map(written).collect();
    let mut breach = None;
    while breach.is_none() && lab.tick()? {
        let mut stepped = false;
        for event in &lab.journal().events()[world.events..] {
            stepped |= world.apply(event);
        }
        // What breaks between two steps is seen at the end of the next.
        let step = world.step + u32::from(!stepped);
        breach = laws.iter().zip(&mut watches).find_map(|(law, watch)| {
            let broken = match (law, watch) {
                (Law::Written(claim), Some(watch)) => {
                    watch.look(claim, &world);
                    watch.is_broken()
                }
                (Law::Ends, _) => world.events > patience.0,
                (Law::Works, _) => {
                    world.faults == 0 && world.workers.iter().any(|worker| worker.error.is_some())
                }
                _ => false,
            };
            broken.then(|| Breach { law: law.clone(), text: law.words(&world), step })
        });
    }
    let (events, ties) = (lab.journal().events().to_vec(), lab.ties().to_vec());
    Ok(Attempt { breach, events, ties, world })
}

impl Law {
    fn words(&self, world: &World) -> String {
        match self {
            Self::Written(claim) => claim.text.text(world),
            Self::Ends => "everybody comes to an end".to_owned(),
            Self::Works => {
                let failed = (0..)
                    .zip(&world.workers)
                    .find_map(|(number, worker)| Some((number, worker.error.as_ref()?)));
                let told =
                    failed.map(|(number, error)| format!(": {} says {error}", crate::lab::WorkerId(number)));
                format!("the program runs without an error{}", told.unwrap_or_default())
            }
        }
    }
}
