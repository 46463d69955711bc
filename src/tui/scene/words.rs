//! Commands, replies and remarks in words short enough for a row.

use crate::lab::{Bytes, Command, Global, Remark, World, guarded};

/// A token, cut to what tells it apart.
pub(crate) fn short_token(token: &Bytes) -> String {
    if let Some(words) = guarded::words(token) {
        return words;
    }
    let text = token.to_string();
    if is_token(&text) { format!("{}…", text.chars().take(4).collect::<String>()) } else { text }
}

fn is_token(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A command on one line: as it went on the wire, with tokens cut and scripts named.
pub(super) fn command_words(command: &Command, world: &World) -> String {
    let knobs = world.opening.as_ref().map(|opening| &opening.knobs);
    let script = |text: &str| {
        let named = knobs
            .and_then(|knobs| knobs.iter().find(|(_, value)| matches!(value, Global::Text(t) if t == text)));
        named.map(|(name, _)| format!("«{name}.lua»"))
    };
    let word = |arg: &Bytes| {
        let text = arg.to_string();
        if is_token(&text) {
            return short_token(arg);
        }
        if let Some((name, _)) = guarded::script_of(&text) {
            return format!("«{name}.lua»");
        }
        if let Some(words) = guarded::words(arg) {
            return words;
        }
        if let Some(name) = arg.as_str().and_then(script) {
            return name;
        }
        Command::new(vec![arg.clone()]).to_string()
    };
    command.args().iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A remark in words.
pub(super) fn remark_words(remark: Remark) -> String {
    let of = |owner: Option<crate::lab::WorkerId>| {
        owner.map_or_else(|| "somebody".to_owned(), |id| id.to_string())
    };
    match remark {
        Remark::Miss => "miss".to_owned(),
        Remark::Hit => "hit".to_owned(),
        Remark::Claimed => "not yet".to_owned(),
        Remark::Acquired => "lock acquired".to_owned(),
        Remark::AcquiredForEver => "acquired, NO EXPIRY".to_owned(),
        Remark::Armed => "a deadline is set".to_owned(),
        Remark::Lost(owner) => format!("{} holds it", of(owner)),
        Remark::Released => "released its own".to_owned(),
        Remark::NothingRemoved(Some(owner)) => format!("{owner}'s lock stays"),
        Remark::NothingRemoved(None) => "no lock there".to_owned(),
        Remark::RemovedLockOf(owner) => format!("removed {}'s LOCK", of(owner)),
        Remark::Overlap(count) => format!("{count} fills at once"),
        Remark::OwnerStillWorks(owner) => format!("{owner} still works"),
        Remark::Joined(leader) => format!("{} loads it", of(leader)),
        Remark::NoPermit => "all permits taken".to_owned(),
        Remark::Outdated => "outdated".to_owned(),
        Remark::NeverHeard => "never heard of it".to_owned(),
        Remark::NotExecuted => "was not executed".to_owned(),
    }
}
