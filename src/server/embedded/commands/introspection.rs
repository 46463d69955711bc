//! `COMMAND`: the table, told to clients.

use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::glob;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::dispatch;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Keys, Spec};
use crate::server::embedded::table;

fn command(call: &mut Call<'_>) -> Answer {
    Ok(Reply::Array(table::all(call.engine.dialect).map(described).collect()))
}

fn count(call: &mut Call<'_>) -> Answer {
    Ok(Reply::count(table::all(call.engine.dialect).count()))
}

fn info(call: &mut Call<'_>) -> Answer {
    let dialect = call.engine.dialect;
    if call.args.len() == 2 {
        return command(call);
    }
    let one = |name: &&[u8]| table::find(dialect, name).map_or(Reply::Null, described);
    Ok(Reply::Array(call.rest(2).iter().map(one).collect()))
}

fn list(call: &mut Call<'_>) -> Answer {
    let names = table::all(call.engine.dialect).map(|spec| spec.name);
    let wanted: Box<dyn Fn(&str) -> bool> = match call.rest(2) {
        [] => Box::new(|_| true),
        [filter, how, what] if filter.eq_ignore_ascii_case(b"filterby") => {
            let what = what.to_ascii_lowercase();
            match how.to_ascii_lowercase().as_slice() {
                b"pattern" => Box::new(move |name| glob::matches(&what, name.as_bytes())),
                b"module" => Box::new(|_| false),
                b"aclcat" => {
                    let dialect = call.engine.dialect;
                    Box::new(move |name| {
                        table::find(dialect, name.as_bytes()).is_some_and(|spec| {
                            categories(spec).iter().any(|category| category.as_bytes() == what)
                        })
                    })
                }
                _ => return Err(CommandError::SYNTAX),
            }
        }
        _ => return Err(CommandError::SYNTAX),
    };
    Ok(Reply::Array(names.filter(|name| wanted(name)).map(Reply::bulk).collect()))
}

fn docs(call: &mut Call<'_>) -> Answer {
    let dialect = call.engine.dialect;
    let page = |spec: &'static Spec| (Reply::bulk(spec.name), page(spec));
    Ok(Reply::Map(match call.rest(2) {
        [] => table::all(dialect).map(page).collect(),
        names => names.iter().filter_map(|name| table::find(dialect, name)).map(page).collect(),
    }))
}

const NO_KEYS: CommandError = CommandError::new("ERR The command has no key arguments");

fn getkeys(call: &mut Call<'_>) -> Answer {
    let args = call.rest(2);
    let invalid = CommandError::new("ERR Invalid command specified");
    let spec = dispatch::find(call.engine.dialect, args).map_err(|_| invalid)?;
    if matches!(spec.keys, Keys::None) {
        return Err(NO_KEYS);
    }
    if !spec.takes(args.len()) {
        return Err(CommandError::new("ERR Invalid number of arguments specified for command"));
    }
    let keys = spec.keys.of(args);
    if keys.is_empty() && !matches!(spec.keys, Keys::Counted) {
        return Err(NO_KEYS);
    }
    Ok(Reply::Array(keys.into_iter().map(Reply::bulk).collect()))
}

/// Name, arity, flags, first key, last key, step, categories; then hints, key specifications and subcommands, of which only
/// the last are told.
fn described(spec: &'static Spec) -> Reply {
    let (first, last, step) = match spec.keys {
        Keys::Range { first, last, step } => (Reply::count(first), last, Reply::count(step)),
        Keys::None | Keys::Counted => (Reply::Integer(0), 0, Reply::Integer(0)),
    };
    let shown = spec.flags.difference(Flags::IMMEDIATE.union(Flags::NO_MULTI));
    let flags = shown.iter_names().map(|(name, _)| status(&name.to_ascii_lowercase()));
    Reply::Array(vec![
        Reply::bulk(spec.name),
        Reply::Integer(spec.arity),
        Reply::Set(flags.collect()),
        first,
        Reply::Integer(i64::try_from(last).unwrap_or(0)),
        step,
        Reply::Set(categories(spec).iter().map(|name| status(&format!("@{name}"))).collect()),
        Reply::Array(Vec::new()),
        Reply::Array(Vec::new()),
        Reply::Array(spec.subcommands().iter().map(described).collect()),
    ])
}

fn status(text: &str) -> Reply {
    Reply::OwnStatus(text.as_bytes().to_vec())
}

/// The categories of access control: some follow from the flags, one from the group.
fn categories(spec: &Spec) -> Vec<&'static str> {
    let keyspace = matches!(spec.group, Group::Generic) && !spec.flags.contains(Flags::NOSCRIPT)
        || matches!(spec.name, "dbsize" | "flushdb" | "flushall");
    let dangerous = spec.has(Flags::ADMIN) || matches!(spec.name, "keys" | "flushdb" | "flushall" | "info");
    let group = match spec.group {
        Group::String => Some("string"),
        Group::Hash => Some("hash"),
        Group::Scripting => Some("scripting"),
        Group::Transactions => Some("transaction"),
        Group::Connection => Some("connection"),
        Group::Cluster if spec.has(Flags::FAST) => Some("connection"),
        Group::Generic | Group::Server | Group::Cluster => None,
    };
    let contains = !spec.subcommands().is_empty();
    let listed = [
        (keyspace && !contains).then_some("keyspace"),
        spec.has(Flags::READONLY).then_some("read"),
        spec.has(Flags::WRITE).then_some("write"),
        group.filter(|_| !contains),
        spec.has(Flags::ADMIN).then_some("admin"),
        Some(if spec.has(Flags::FAST) { "fast" } else { "slow" }),
        dangerous.then_some("dangerous"),
    ];
    listed.into_iter().flatten().collect()
}

fn page(spec: &'static Spec) -> Reply {
    let group = match spec.group {
        Group::Generic => "generic",
        Group::String => "string",
        Group::Hash => "hash",
        Group::Scripting => "scripting",
        Group::Transactions => "transactions",
        Group::Connection => "connection",
        Group::Server => "server",
        Group::Cluster => "cluster",
    };
    let field = |name: &str, value: &str| (Reply::bulk(name), Reply::bulk(value));
    let mut fields = vec![field("summary", spec.about), field("since", spec.since), field("group", group)];
    let subcommands = spec.subcommands();
    if !subcommands.is_empty() {
        let pages = subcommands.iter().map(|spec| (Reply::bulk(spec.name), page(spec))).collect();
        fields.push((Reply::bulk("subcommands"), Reply::Map(pages)));
    }
    Reply::Map(fields)
}

const FLAGS: &[Flags] = &[Flags::LOADING, Flags::STALE];

const fn tells(name: &'static str, arity: i64, run: fn(&mut Call<'_>) -> Answer) -> Spec {
    Spec::new(Group::Connection, name, arity, run).flags(FLAGS)
}

const SUBCOMMANDS: &[Spec] = &[
    tells("command|count", 2, count).about("2.8.13", "How many commands there are"),
    tells("command|info", -2, info).about("2.8.13", "What is true of some commands"),
    tells("command|list", -2, list).about("7.0.0", "The names of all commands"),
    tells("command|docs", -2, docs).about("7.0.0", "What some commands do"),
    tells("command|getkeys", -4, getkeys)
        .only(Dialect::Redis)
        .about("2.8.13", "The keys that a command names"),
    tells("command|getkeys", -3, getkeys)
        .only(Dialect::Valkey)
        .about("2.8.13", "The keys that a command names"),
];

/// Alone it lists everything; with a second word it is a container.
pub(in crate::server::embedded) const COMMANDS: &[Spec] =
    &[Spec::container(Group::Connection, "command", SUBCOMMANDS)
        .alone(-1, command)
        .flags(FLAGS)
        .about("2.8.13", "What commands there are")];
