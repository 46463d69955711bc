//! Commands, replies and remarks in words short enough for a row.

use crate::lab::{Bytes, Command, Global, Harm, Lever, Remark, World, guarded};

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

/// What a learner did, in words.
pub(super) fn lever_words(lever: &Lever) -> String {
    match lever {
        Lever::Harm(harm) => harm_words(harm),
        Lever::Thaw(id) => format!("let {id} go on"),
        Lever::Type(command) => command.to_string(),
    }
}

/// What goes wrong, in words.
pub(crate) fn harm_words(harm: &Harm) -> String {
    match harm {
        Harm::Crash(id) => format!("{id} crashes"),
        Harm::CrashProcess(process) => format!("process {} crashes", process + 1),
        Harm::DropConnection(id) => format!("{id}'s connection breaks"),
        Harm::LoseReply(id) => format!("{id}'s next reply gets lost"),
        Harm::Pause(id, span) => format!("{id} stands still for {span}"),
        Harm::RedisDown(span) => format!("Redis takes no connections for {span}"),
        Harm::RedisSlow(trip, span) => format!("a command takes {trip} for {span}"),
        Harm::Failover(_) => "a replica takes over".to_owned(),
        Harm::DatabaseFails(span) => format!("queries fail for {span}"),
        Harm::DatabaseSlow(times, span) => format!("queries take {times} times as long for {span}"),
    }
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
