//! `stampede list`: what there is to run.

use std::io::{self, Write};
use std::process::ExitCode;

use super::Failure;
use super::args::Global;
use super::open;

pub(super) fn list(global: &Global) -> Result<ExitCode, Failure> {
    let shelf = open::shelf(global)?;
    let mut out = io::stdout().lock();
    for lesson in &shelf.lessons {
        writeln!(out, "{}  {} ({} min)", lesson.slug, lesson.title, lesson.minutes)?;
        writeln!(out, "  {}", lesson.question)?;
        for take in &lesson.takes {
            let kind = if take.sound { "sound " } else { "broken" };
            writeln!(out, "    {kind}  {:20} {}", take.name, take.title)?;
        }
        for knob in &lesson.knobs {
            let unit = if knob.unit.is_empty() { String::new() } else { format!(" {}", knob.unit) };
            writeln!(
                out,
                "    knob    {:20} {}: {}{unit} ({} to {})",
                knob.name, knob.label, knob.default, knob.min, knob.max
            )?;
        }
        writeln!(out)?;
    }
    Ok(ExitCode::SUCCESS)
}
