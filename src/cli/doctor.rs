//! `stampede doctor`: what this machine offers, and what to do where it falls short.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use super::Failure;
use super::args::Global;
use super::failure::ENVIRONMENT;
use super::locale::{locale, takes_utf8};
use super::open;
use crate::server::{Server, find_on_path};

pub(super) fn doctor(global: &Global) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    for name in ["redis-server", "valkey-server"] {
        let found =
            find_on_path(name).map_or_else(|| "not on PATH".to_owned(), |path| path.display().to_string());
        writeln!(out, "{name:14} {found}")?;
    }
    let opened = open::choice(global).and_then(|choice| Ok(Server::open(&choice)?));
    match &opened {
        Ok(server) => {
            let whose = if server.is_private() {
                "private, ends with us"
            } else {
                "somebody's: only lesson keys are touched"
            };
            writeln!(out, "{:14} ✓ {} ({whose})", "server", server.identity())?;
            writeln!(out, "{:14} {}", "reached by", server.redis_cli())?;
        }
        Err(failure) => {
            writeln!(out, "{:14} ✗ {}", "server", failure.message)?;
            writeln!(out, "{:14} {}", "", failure.hint)?;
        }
    }
    terminal(&mut out)?;
    Ok(if opened.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(ENVIRONMENT) })
}

fn terminal(out: &mut impl Write) -> io::Result<()> {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let is_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
    writeln!(
        out,
        "{:14} {}",
        "terminal",
        if is_terminal { "✓ yes" } else { "✗ input or output is not a terminal" }
    )?;
    if let Some((width, height)) = is_terminal.then(crossterm::terminal::size).and_then(Result::ok) {
        let verdict = match (width, height) {
            (200.., 60..) => "three columns",
            (120.., 40..) => "two columns and the lesson list",
            (80.., 24..) => "the standard layout",
            (60.., 20..) => "the compact layout",
            (40.., 12..) => "timeline and story by turns",
            _ => "too small: 60x20 is needed",
        };
        writeln!(out, "{:14} {width}x{height}: {verdict}", "size")?;
    }
    writeln!(out, "{:14} TERM={} COLORTERM={}", "colours", variable("TERM"), variable("COLORTERM"))?;
    let locale = locale();
    let verdict = match (&locale, takes_utf8(locale.as_deref())) {
        (Some(_), true) => "✓ UTF-8",
        (None, _) => "the app takes it for UTF-8; --ascii if it is not",
        (Some(_), false) => "no UTF-8; the app uses ASCII signs",
    };
    writeln!(out, "{:14} {}: {verdict}", "locale", locale.as_deref().unwrap_or("not set"))
}
