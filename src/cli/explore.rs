//! `stampede explore`: takes, or a repair, against everything that can go wrong.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Failure;
use super::args::{Explore, Global};
use super::failure::{CLAIM_FAILED, USAGE};
use super::open;
use super::run::interruption;
use super::servers::{NoServer, Servers};
use crate::judge::{self, Budget, Counterexample, Exploration, Lines, Order, Progress};
use crate::lab::{LabError, WireError};
use crate::lesson::{Lesson, Need, Repair};
use crate::server::embedded::Dialect;
use crate::server::{Choice, Wish};

pub(super) fn explore(global: &Global, args: &Explore) -> Result<ExitCode, Failure> {
    let shelf = open::shelf(global)?;
    let lessons = open::lessons(&shelf, &args.lesson)?;
    // Thousands of runs belong on the embedded server, unless another one was asked for.
    let asked = global.redis.is_some() || global.server.is_some();
    let choice = if asked { open::choice(global)? } else { Choice::Start(Wish::Embedded(Dialect::Redis)) };
    let mut explorer = Explorer {
        global,
        args,
        servers: servers(&choice)?,
        stop: interruption()?,
        out: io::BufWriter::new(io::stdout().lock()),
        astray: 0,
    };
    for lesson in lessons {
        let lesson = Arc::new(lesson.clone());
        writeln!(explorer.out, "{}  {}", lesson.slug, lesson.title)?;
        if lesson.trial.laws.is_empty() {
            writeln!(explorer.out, "  has no laws to be tried by: a file trial.toml gives them\n")?;
            continue;
        }
        match &args.program {
            Some(file) => explorer.repair(&lesson, file)?,
            None => explorer.takes(&lesson)?,
        }
        writeln!(explorer.out)?;
    }
    explorer.out.flush()?;
    Ok(if explorer.astray == 0 { ExitCode::SUCCESS } else { ExitCode::from(CLAIM_FAILED) })
}

/// As many as the machine has cores, where they are ours; a server of somebody else's is one.
fn servers(choice: &Choice) -> Result<Vec<Servers>, Failure> {
    let first = Servers::open(choice.clone())?;
    let count = if first.main().is_private() {
        std::thread::available_parallelism().map_or(1, usize::from)
    } else {
        1
    };
    let mut servers = vec![first];
    for _ in 1..count {
        servers.push(Servers::open(choice.clone())?);
    }
    Ok(servers)
}

/// Lines to one of them.
fn lines(servers: &mut Servers, need: Option<Need>) -> Lines<'_> {
    Box::new(move || match servers.wire(need) {
        Ok((wire, _)) => Ok(wire),
        Err(NoServer::Wire(error)) => Err(LabError::from(error)),
        Err(error) => Err(LabError::from(WireError::new(error.to_string()))),
    })
}

struct Explorer<'a, W: Write> {
    global: &'a Global,
    args: &'a Explore,
    /// On each of them one run is made at a time.
    servers: Vec<Servers>,
    stop: Arc<AtomicBool>,
    out: W,
    /// Takes and repairs that did otherwise than they should.
    astray: usize,
}

impl<W: Write> Explorer<'_, W> {
    fn takes(&mut self, lesson: &Arc<Lesson>) -> Result<(), Failure> {
        let takes = match &self.args.take {
            Some(name) => vec![lesson.find_take(name)?],
            None => (0..lesson.takes.len()).collect(),
        };
        for index in takes {
            let take = &lesson.takes[index];
            if let Err(reason) = self.servers[0].wire_or_reason(lesson.need(index))? {
                writeln!(self.out, "  {:<20} not tried: {reason}", take.name)?;
                continue;
            }
            let order = self.order(lesson, index)?;
            let found = self.explore(&order)?;
            let expected = lesson.trial.breaks.get(&index).copied();
            let astray = match (take.sound, expected) {
                (true, _) => (!found.survives()).then(|| "is marked as right, and should survive".to_owned()),
                (false, None) => {
                    Some("is marked as a mistake: say in [[breaks]] how little breaks it".to_owned())
                }
                (false, Some(n)) => {
                    (found.length() != Some(n)).then(|| format!("should break when {n} go wrong"))
                }
            };
            self.tell(&take.name, &found, astray)?;
        }
        match &lesson.trial.repair {
            Some(repair) if self.args.take.is_none() => self.exercise(lesson, repair),
            _ => Ok(()),
        }
    }

    /// The exercise is one when it is broken as given, and can be repaired.
    fn exercise(&mut self, lesson: &Arc<Lesson>, repair: &Repair) -> Result<(), Failure> {
        for (program, right) in [(&repair.program, false), (&repair.solution, true)] {
            let mut order = self.order(lesson, repair.take)?;
            order.repair = Some(program.source.as_str().into());
            let found = self.explore(&order)?;
            let should = if right {
                "is the solution, and should survive"
            } else {
                "is to be repaired, and should break"
            };
            self.tell(&program.name, &found, (found.survives() != right).then(|| should.to_owned()))?;
        }
        Ok(())
    }

    fn repair(&mut self, lesson: &Arc<Lesson>, file: &Path) -> Result<(), Failure> {
        let Some(repair) = &lesson.trial.repair else {
            return Err(Failure::new(format!("{} has nothing to repair", lesson.slug), "", USAGE));
        };
        let source = std::fs::read_to_string(file).map_err(|error| {
            Failure::new(format!("could not read {}: {error}", file.display()), "", USAGE)
        })?;
        let mut order = self.order(lesson, repair.take)?;
        order.repair = Some(source.into());
        let found = self.explore(&order)?;
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        let broken = (!found.survives()).then(|| "is not repaired yet".to_owned());
        self.tell(&name, &found, broken)
    }

    fn order(&self, lesson: &Arc<Lesson>, take: usize) -> Result<Order, Failure> {
        let knobs = lesson.read_knobs(&self.args.knobs)?;
        let prefix = self.global.key_prefix.clone();
        Ok(Order { knobs, prefix, ..Order::new(Arc::clone(lesson), take, self.args.seed) })
    }

    fn explore(&mut self, order: &Order) -> Result<Exploration, Failure> {
        let budget = Budget { schedules: self.args.max, seeds: self.args.seeds };
        let need = order.lesson.need(order.take);
        let mut lines: Vec<Lines<'_>> = self.servers.iter_mut().map(|servers| lines(servers, need)).collect();
        let shows = io::stderr().is_terminal();
        let tell = |progress: Progress| {
            if shows && progress.tried.is_multiple_of(50) {
                let Progress { tried, known, depth } = progress;
                eprint!("\r  {tried} of {known} schedules, {depth} going wrong …\x1b[K");
            }
        };
        let found = judge::explore(order, budget, &mut lines, &self.stop, tell);
        if shows {
            eprint!("\r\x1b[K");
        }
        Ok(found?)
    }

    /// What was found, and in `astray` why that is not as it should be.
    fn tell(&mut self, name: &str, found: &Exploration, astray: Option<String>) -> Result<(), Failure> {
        match &found.counterexample {
            None => writeln!(self.out, "  {name:<20} survives {found}")?,
            Some(counterexample) => self.tell_breach(name, counterexample)?,
        }
        if let Some(astray) = astray {
            self.astray += 1;
            writeln!(self.out, "  {:<20} ✗ {astray}", "")?;
        }
        self.out.flush()?;
        Ok(())
    }

    fn tell_breach(&mut self, name: &str, counterexample: &Counterexample) -> io::Result<()> {
        let Counterexample { order, breach } = counterexample;
        let length = order.schedule.len();
        let how = match length {
            0 => "with nothing going wrong".to_owned(),
            1 => "when one thing goes wrong".to_owned(),
            n => format!("when {n} things go wrong"),
        };
        writeln!(self.out, "  {name:<20} breaks {how}, at step {}: {}", breach.step, breach.text)?;
        for one in &order.schedule {
            writeln!(self.out, "  {:<20}   {one}", "")?;
        }
        if order.repair.is_none() {
            writeln!(self.out, "  {:<20}   {}", "", order.line())?;
        }
        Ok(())
    }
}
