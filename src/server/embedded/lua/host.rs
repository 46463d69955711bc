//! What the prelude can ask of us.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use mlua::{Function, Lua, LuaString, MultiValue, Table, Value};

use super::luck::Luck;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::running::Running;
use crate::server::embedded::table;

/// The largest number that luck gives is left out, so that a quotient stays below one.
const LARGEST: u32 = i32::MAX as u32;

/// The table of functions that the prelude is handed.
pub(super) fn table(lua: &Lua, dialect: Dialect, running: &Arc<Running>) -> mlua::Result<Table> {
    let host = lua.create_table()?;
    let asked = Arc::clone(running);
    host.set("ending", lua.create_function(move |_, ()| Ok(asked.is_to_end()))?)?;
    errors(lua, &host)?;
    let luck = Rc::new(Luck::new());
    let source = Rc::clone(&luck);
    let random = move |_: &Lua, ()| Ok(f64::from(source.next() % LARGEST) / f64::from(LARGEST));
    host.set("random", lua.create_function(random)?)?;
    let seed = move |_: &Lua, seed: f64| {
        luck.seed(seed as i64 as u32);
        Ok(())
    };
    host.set("seed", lua.create_function(seed)?)?;
    let sha1hex = |_: &Lua, text: LuaString| Ok(sha1_smol::Sha1::from(text.as_bytes()).digest().to_string());
    host.set("sha1hex", lua.create_function(sha1hex)?)?;
    let is_command = move |_: &Lua, name: LuaString| Ok(table::find(dialect, &name.as_bytes()).is_some());
    host.set("is_command", lua.create_function(is_command)?)?;
    Ok(host)
}

/// Raising errors that are tables, which a function of ours can't: it raises one that means nothing, and keeps the table
/// until somebody asks what was meant.
fn errors(lua: &Lua, host: &Table) -> mlua::Result<()> {
    let kept: Rc<RefCell<Value>> = Rc::new(RefCell::new(Value::Nil));
    let keeper = Rc::clone(&kept);
    let native = move |lua: &Lua, (failed, run): (Table, Function)| {
        let keeper = Rc::clone(&keeper);
        lua.create_function(move |_, words: MultiValue| {
            let mut results = match run.call::<MultiValue>(words) {
                Ok(results) => results,
                Err(error) => {
                    *keeper.borrow_mut() = Value::Nil;
                    return Err(error);
                }
            };
            if matches!(results.front(), Some(Value::Table(first)) if *first == failed) {
                results.pop_front();
                *keeper.borrow_mut() = results.pop_front().unwrap_or(Value::Nil);
                return Err(mlua::Error::runtime("see what was kept"));
            }
            Ok(results)
        })
    };
    host.set("native", lua.create_function(native)?)?;
    host.set("problem", lua.create_function(move |_, ()| Ok(kept.replace(Value::Nil)))?)?;
    host.set("place", lua.create_function(|lua, ()| Ok(place(lua)))?)?;
    let error_text = |lua: &Lua, text: LuaString| lua.create_string(error_text(&text.as_bytes()));
    host.set("error_text", lua.create_function(error_text)?)
}

/// The text of an error that a script makes: its first word is the code, and a single word is none.
fn error_text(text: &[u8]) -> Vec<u8> {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let ends = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let end = text.iter().rposition(|byte| !ends(byte)).map_or(0, |last| last + 1);
    let text = &text[..end];
    if text.contains(&b' ') { text.to_vec() } else { [b"ERR ", text].concat() }
}

/// Where a script is, seen from below: the source of its innermost function, that source as Lua shortens it for messages,
/// and the line.
fn place(lua: &Lua) -> (Option<String>, Option<String>, Option<usize>) {
    let frame = |level| {
        lua.inspect_stack(level, |frame| {
            let (source, line) = (frame.source(), frame.current_line());
            let text = source.source.map(Cow::into_owned);
            let short = source.short_src.map(Cow::into_owned);
            line.filter(|_| text.as_deref() != Some("=prelude")).map(|line| (text, short, Some(line)))
        })
    };
    (0..).map_while(frame).flatten().next().unwrap_or_default()
}
