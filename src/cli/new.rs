//! `stampede new`: a small lesson to begin from, which is well and true as it stands.

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use super::Failure;
use super::args::New;
use super::failure::USAGE;

/// The worked example of `lessons/README.md`, file by file.
pub const TEMPLATE: [(&str, &str); 6] = [
    ("lesson.md", include_str!("../../assets/lesson/lesson.md")),
    ("read.lua", include_str!("../../assets/lesson/read.lua")),
    ("study.toml", include_str!("../../assets/lesson/study.toml")),
    ("trial.toml", include_str!("../../assets/lesson/trial.toml")),
    ("repair.lua", include_str!("../../assets/lesson/repair.lua")),
    ("solution.lua", include_str!("../../assets/lesson/solution.lua")),
];

pub(super) fn new(args: &New) -> Result<ExitCode, Failure> {
    let dir = &args.dir;
    let refused = |why: io::Error| {
        Failure::new(format!("could not write {}: {why}", dir.display()), "nothing there was changed", USAGE)
    };
    if dir.exists() {
        let hint = "name a folder that is not there yet, like my-lessons/90-mine";
        return Err(Failure::new(format!("{} is there already", dir.display()), hint, USAGE));
    }
    fs::create_dir_all(dir).map_err(refused)?;
    for (name, text) in TEMPLATE {
        fs::write(dir.join(name), text).map_err(refused)?;
    }
    let shown = dir.display();
    let mut out = io::stdout().lock();
    writeln!(out, "{shown} has a lesson of two readers now. What next:\n")?;
    writeln!(out, "  stampede check {shown}")?;
    writeln!(out, "  stampede run all --lessons {shown}")?;
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    writeln!(out, "  stampede play {name} --lessons {shown}")?;
    Ok(ExitCode::SUCCESS)
}
