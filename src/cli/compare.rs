//! `stampede compare`: takes of one lesson side by side, in numbers.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Failure;
use super::args::{Compare, Global};
use super::failure::USAGE;
use super::open;
use super::servers::Servers;
use crate::judge::{self, LEGEND, Order};
use crate::lab::World;

pub(super) fn compare(global: &Global, args: &Compare) -> Result<ExitCode, Failure> {
    let shelf = open::shelf(global)?;
    let index = shelf.find(&args.lesson).map_err(|error| Failure::new(error.to_string(), "", USAGE))?;
    let lesson = Arc::new(shelf.lessons[index].clone());
    let knobs = lesson.read_knobs(&args.knobs)?;
    let takes = match args.takes.as_slice() {
        [] => (0..lesson.takes.len()).collect(),
        names => names.iter().map(|name| lesson.find_take(name)).collect::<Result<Vec<_>, _>>()?,
    };
    let mut servers = Servers::open(open::choice(global)?)?;
    let (mut names, mut worlds, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for take in takes {
        let wire = match servers.wire_or_reason(lesson.need(take))? {
            Ok(wire) => wire,
            Err(reason) => {
                missing.push(format!("{}: {reason}", lesson.takes[take].name));
                continue;
            }
        };
        let order = Order {
            knobs: knobs.clone(),
            prefix: global.key_prefix.clone(),
            ..Order::new(Arc::clone(&lesson), take, args.seed)
        };
        let verdict = judge::run(order, wire, &AtomicBool::new(false))?;
        names.push(lesson.takes[take].title.as_str());
        worlds.push(World::after(&verdict.journal));
    }
    let (heads, rows) = judge::table(&worlds.iter().collect::<Vec<_>>());
    let mut out = io::stdout().lock();
    writeln!(out, "{}  {}\n", lesson.slug, lesson.title)?;
    write!(out, "{:<26}", "")?;
    heads.iter().try_for_each(|head| write!(out, " {head:>8}"))?;
    writeln!(out)?;
    for (name, row) in names.iter().zip(rows) {
        write!(out, "{name:<26}")?;
        row.iter().try_for_each(|figure| write!(out, " {figure:>8}"))?;
        writeln!(out)?;
    }
    for line in missing {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "\nseed {} on {}\n{LEGEND}", args.seed, servers.main().identity())?;
    Ok(ExitCode::SUCCESS)
}
