//! `stampede run`: takes without a screen.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::Failure;
use super::args::{Format, Global, Run};
use super::failure::CLAIM_FAILED;
use super::open;
use super::replay;
use super::servers::Servers;
use crate::judge::{self, Judged, Order, Totals, Verdict};
use crate::lab::{Event, Span, World};
use crate::lesson::{Knobs, Lesson, Shelf};
use crate::server::Server;
use crate::tui::{Glyphs, still};

pub(super) fn run(global: &Global, args: &Run) -> Result<ExitCode, Failure> {
    if let Some(file) = &args.journal_in {
        return replay::compare(global, file, &*interruption()?, &mut io::stdout().lock());
    }
    let shelf = open::shelf(global)?;
    let lessons = chosen(&shelf, args)?;
    let mut servers = Servers::open(open::choice(global)?)?;
    let stop = interruption()?;
    let glyphs = if global.ascii { Glyphs::Ascii } else { Glyphs::Unicode };
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut broken = 0;
    let mut takes = 0;
    for (lesson, knobs, chosen) in lessons {
        let mut outcomes = Vec::new();
        for take in chosen {
            let wire = match servers.wire_or_reason(lesson.need(take))? {
                Ok(wire) => wire,
                Err(reason) => {
                    outcomes.push(Outcome::Unavailable(take, reason));
                    continue;
                }
            };
            let order = Order {
                knobs: knobs.clone(),
                prefix: global.key_prefix.clone(),
                schedule: args.with.clone(),
                workers: args.workers,
                ..Order::new(Arc::clone(&lesson), take, args.seed)
            };
            outcomes.push(Outcome::Judged(Box::new(judge::run(order, wire, &stop)?)));
        }
        takes += outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Judged(_))).count();
        let is_broken = |outcome: &&Outcome| matches!(outcome, Outcome::Judged(verdict) if !verdict.holds());
        broken += outcomes.iter().filter(is_broken).count();
        match args.format {
            Format::Json => json(&mut out, &lesson, servers.main(), args, &outcomes)?,
            Format::Text => text(&mut out, &lesson, args, &outcomes, glyphs)?,
        }
        out.flush()?;
    }
    if args.format == Format::Text {
        let sum = if broken == 0 { "every claim holds".to_owned() } else { format!("{broken} broken") };
        let takes = counted(takes, "take", "takes");
        writeln!(out, "{takes} on {}, seed {}: {sum}", servers.main().identity(), args.seed)?;
        out.flush()?;
    }
    Ok(if broken == 0 { ExitCode::SUCCESS } else { ExitCode::from(CLAIM_FAILED) })
}

/// What became of a take.
enum Outcome {
    Judged(Box<Verdict>),
    /// The server lacks what it needs, and why that is so.
    Unavailable(usize, String),
}

/// A flag that Ctrl-C and SIGTERM set, so that the run ends between two events and takes its keys away. A second one
/// ends the program at once.
pub(super) fn interruption() -> Result<Arc<AtomicBool>, Failure> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// A small timeline below each take.
const WIDTH: usize = 72;
const LANES: usize = 5;

/// The first errors tell; two hundred workers with the same one do not.
const ERRORS_SHOWN: usize = 3;

type Chosen = (Arc<Lesson>, Knobs, Vec<usize>);

/// The lessons, knobs and takes that the arguments name. With `all`, a take or a knob must fit every lesson.
fn chosen(shelf: &Shelf, args: &Run) -> Result<Vec<Chosen>, Failure> {
    let lessons = open::lessons(shelf, args.lesson.as_deref().unwrap_or("all"))?;
    let mut chosen = Vec::new();
    for lesson in lessons {
        let takes = match &args.take {
            Some(name) => vec![lesson.find_take(name)?],
            None => (0..lesson.takes.len()).collect(),
        };
        chosen.push((Arc::new(lesson.clone()), lesson.read_knobs(&args.knobs)?, takes));
    }
    Ok(chosen)
}

fn text(
    out: &mut impl Write,
    lesson: &Lesson,
    args: &Run,
    outcomes: &[Outcome],
    glyphs: Glyphs,
) -> io::Result<()> {
    writeln!(out, "{}  {}", lesson.slug, lesson.title)?;
    for outcome in outcomes {
        let verdict = match outcome {
            Outcome::Judged(verdict) => verdict,
            Outcome::Unavailable(take, reason) => {
                let take = &lesson.takes[*take];
                writeln!(out, "\n  {}: {}\n    - not run: {reason}", take.name, take.title)?;
                continue;
            }
        };
        let title = lesson.take(&verdict.take).map_or("", |(_, take)| take.title.as_str());
        writeln!(out, "\n  {}: {title}", verdict.take)?;
        for Judged { text, holds } in &verdict.claims {
            writeln!(out, "    {} {text}", if *holds { "✓" } else { "✗ BROKEN:" })?;
        }
        for (worker, line, error) in verdict.errors().take(ERRORS_SHOWN) {
            // Lua says the line of its own errors; for those of `send` it is where the worker stood.
            let place = if error.contains(".lua:") { String::new() } else { format!(" (line {line})") };
            writeln!(out, "    {worker} failed: {error}{place}")?;
        }
        writeln!(out, "    {}", line(&verdict.totals))?;
        let world = World::after(&verdict.journal);
        for row in still(&world, WIDTH, LANES, glyphs) {
            writeln!(out, "    {row}")?;
        }
        if args.journal {
            for event in &verdict.journal {
                serde_json::to_writer(&mut *out, event)?;
                writeln!(out)?;
            }
        }
    }
    writeln!(out)
}

/// The totals on one line.
fn line(totals: &Totals) -> String {
    let Totals { readers, db_hits, db_peak_in_flight, .. } = totals;
    let mut parts =
        vec![format!("{readers} readers"), format!("{db_hits} queries (peak {db_peak_in_flight})")];
    if totals.lock_acquired + totals.lock_lost > 0 {
        parts.push(format!("lock: {} OK, {} nil", totals.lock_acquired, totals.lock_lost));
    }
    if let (Some(p50), Some(p99)) = (totals.p50_ms, totals.p99_ms) {
        parts.push(format!("waits: p50 {}, p99 {}", millis(p50), millis(p99)));
    }
    parts.push(format!("ends at {}", millis(totals.end_ms)));
    parts.join(" · ")
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn millis(ms: f64) -> Span {
    Span::from_micros((ms * 1000.0) as u64)
}

#[derive(Serialize)]
struct LessonJson<'a> {
    lesson: &'a str,
    seed: u64,
    server: ServerJson,
    takes: Vec<TakeJson<'a>>,
}

#[derive(Serialize)]
struct ServerJson {
    kind: String,
    version: String,
    embedded: bool,
}

#[derive(Serialize)]
struct TakeJson<'a> {
    name: &'a str,
    verdict: &'static str,
    /// Why it was not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<&'a [Judged]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    totals: Option<&'a Totals>,
    #[serde(skip_serializing_if = "Option::is_none")]
    journal: Option<&'a [Event]>,
}

fn json(
    out: &mut impl Write,
    lesson: &Lesson,
    server: &Server,
    args: &Run,
    outcomes: &[Outcome],
) -> io::Result<()> {
    let identity = server.identity();
    let object = LessonJson {
        lesson: &lesson.slug,
        seed: args.seed,
        server: ServerJson {
            kind: identity.kind.to_string(),
            version: identity.version.clone(),
            embedded: identity.embedded,
        },
        takes: outcomes.iter().map(|outcome| take_json(lesson, args, outcome)).collect(),
    };
    serde_json::to_writer(&mut *out, &object)?;
    writeln!(out)
}

fn take_json<'a>(lesson: &'a Lesson, args: &Run, outcome: &'a Outcome) -> TakeJson<'a> {
    match outcome {
        Outcome::Judged(verdict) => TakeJson {
            name: &verdict.take,
            verdict: if verdict.holds() { "holds" } else { "broken" },
            reason: None,
            claims: Some(&verdict.claims),
            totals: Some(&verdict.totals),
            journal: args.journal.then_some(verdict.journal.as_slice()),
        },
        Outcome::Unavailable(take, reason) => TakeJson {
            name: &lesson.takes[*take].name,
            verdict: "unavailable",
            reason: Some(reason),
            claims: None,
            totals: None,
            journal: None,
        },
    }
}
