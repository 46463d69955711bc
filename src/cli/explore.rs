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
use crate::judge::{self, Budget, Case, Counterexample, Exploration, Lines, Order, Progress};
use crate::lab::{LabError, WireError};
use crate::lesson::{Lesson, Need};
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
            None => explorer.cases(&lesson)?,
        }
        writeln!(explorer.out)?;
    }
    explorer.out.flush()?;
    Ok(if explorer.astray == 0 { ExitCode::SUCCESS } else { ExitCode::from(CLAIM_FAILED) })
}

/// As many as the machine has cores, where they are ours; a server of somebody else's is one.
pub(super) fn servers(choice: &Choice) -> Result<Vec<Servers>, Failure> {
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
pub(super) fn lines(servers: &mut Servers, need: Option<Need>) -> Lines<'_> {
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
    fn cases(&mut self, lesson: &Arc<Lesson>) -> Result<(), Failure> {
        if let Some(name) = &self.args.take {
            lesson.find_take(name)?;
        }
        let wanted = |case: &Case| self.args.take.as_ref().is_none_or(|take| *take == case.name);
        let cases: Vec<Case> = judge::cases(lesson, self.args.seed).into_iter().filter(wanted).collect();
        for mut case in cases {
            self.turn_knobs(&mut case.order)?;
            if let Err(reason) = self.servers[0].wire_or_reason(lesson.need(case.order.take))? {
                writeln!(self.out, "  {:<20} not tried: {reason}", case.name)?;
                continue;
            }
            let found = self.explore(&case.order)?;
            let astray = case.astray(&found);
            self.tell(&case.name, &found, astray)?;
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
        let mut order = Order {
            repair: Some(source.into()),
            ..Order::new(Arc::clone(lesson), repair.take, self.args.seed)
        };
        self.turn_knobs(&mut order)?;
        let found = self.explore(&order)?;
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        let broken = (!found.survives()).then(|| "is not repaired yet".to_owned());
        self.tell(&name, &found, broken)
    }

    fn turn_knobs(&self, order: &mut Order) -> Result<(), Failure> {
        order.knobs = order.lesson.read_knobs(&self.args.knobs)?;
        order.prefix.clone_from(&self.global.key_prefix);
        Ok(())
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
            0 => "as it stands".to_owned(),
            1 => "when one thing more goes wrong".to_owned(),
            n => format!("when {n} things more go wrong"),
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
