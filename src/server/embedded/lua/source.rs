//! A script's text: its first line, which may say what it is, and the rest, which must compile.

use mlua::chunk::ChunkMode;
use mlua::{Lua, LuaOptions, StdLib};

use super::library::{Says, Script};
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;

/// Reads a script that may begin with `#!lua flags=no-writes,…`.
pub(super) fn read(text: &[u8], digest: String, dialect: Dialect) -> Result<Script, CommandError> {
    let mut script = Script { digest, body: text.to_vec(), says: Says::CROSS_SLOT };
    if text.starts_with(b"#!") {
        let end = text.iter().position(|byte| *byte == b'\n');
        let end = end.ok_or(CommandError::new("ERR Invalid script shebang"))?;
        let (line, rest) = text.split_at(end);
        // The line end stays, so that errors name the right line.
        script.body = rest.to_vec();
        script.says = read_flags(line, dialect)?;
    }
    compile(&script.body)?;
    Ok(script)
}

fn read_flags(line: &[u8], dialect: Dialect) -> Result<Says, CommandError> {
    let mut says = Says::empty();
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let engine = words.next().unwrap_or_default();
    if engine != b"#!lua" {
        return Err(match dialect {
            Dialect::Redis => CommandError::about("ERR Unexpected engine in script shebang: ", engine, ""),
            Dialect::Valkey => {
                let name = engine.get(2..).unwrap_or_default();
                CommandError::about("ERR Could not find scripting engine '", name, "'")
            }
        });
    }
    for word in words {
        let Some(flags) = word.strip_prefix(b"flags=") else {
            return Err(CommandError::about("ERR Unknown lua shebang option: ", word, ""));
        };
        for flag in flags.split(|byte| *byte == b',') {
            match flag {
                b"no-writes" => says |= Says::NO_WRITES,
                b"no-cluster" => says |= Says::NO_CLUSTER,
                b"allow-cross-slot-keys" => says |= Says::CROSS_SLOT,
                // Memory is not limited, and data is never stale.
                b"allow-oom" | b"allow-stale" => {}
                b"" if flags.is_empty() => {}
                _ => return Err(CommandError::about("ERR Unexpected flag in script shebang: ", flag, "")),
            }
        }
    }
    Ok(says)
}

fn compile(body: &[u8]) -> Result<(), CommandError> {
    let no_memory = |_| CommandError::new("ERR not enough memory for a script");
    let lua = Lua::new_with(StdLib::NONE, LuaOptions::default()).map_err(no_memory)?;
    let compiled = lua.load(body).set_name("@user_script").set_mode(ChunkMode::Text).into_function();
    compiled.map(drop).map_err(|error| {
        let text = error.to_string();
        let text = text.trim_start_matches("syntax error: ");
        CommandError::owned(format!("ERR Error compiling script (new function): {text}"))
    })
}
