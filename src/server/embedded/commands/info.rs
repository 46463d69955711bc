//! `INFO`: the server in lines of `name:value`.

use super::options::upper;
use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::spec::Answer;

type Section = fn(&Call<'_>) -> Vec<(String, String)>;

const SECTIONS: &[(&str, Section)] = &[
    ("Server", server),
    ("Clients", clients),
    ("Memory", memory),
    ("Persistence", persistence),
    ("Stats", stats),
    ("Replication", replication),
    ("Cluster", cluster),
    ("Keyspace", keyspace),
];

pub(super) fn info(call: &mut Call<'_>) -> Answer {
    let wanted: Vec<Vec<u8>> = call.rest(1).iter().map(|word| upper(word)).collect();
    let all = wanted.is_empty()
        || wanted.iter().any(|word| matches!(word.as_slice(), b"ALL" | b"EVERYTHING" | b"DEFAULT"));
    let mut sections = Vec::new();
    for (name, section) in SECTIONS {
        if all || wanted.contains(&name.to_ascii_uppercase().into_bytes()) {
            let mut text = format!("# {name}\r\n");
            for (field, value) in section(call) {
                text.push_str(&format!("{field}:{value}\r\n"));
            }
            sections.push(text);
        }
    }
    Ok(Reply::Verbatim(sections.join("\r\n")))
}

fn field(name: &str, value: impl std::fmt::Display) -> (String, String) {
    (name.to_owned(), format!("{value}"))
}

fn server(call: &Call<'_>) -> Vec<(String, String)> {
    let dialect = call.engine.dialect;
    let mut fields = vec![field("redis_version", dialect.redis_version())];
    if dialect == Dialect::Valkey {
        fields.push(field("server_name", dialect.name()));
        fields.push(field("valkey_version", dialect.version()));
    }
    let uptime = call.now().saturating_sub(call.engine.started) / 1000;
    fields.extend([
        field("embedded_in", concat!("stampede ", env!("CARGO_PKG_VERSION"))),
        field("redis_mode", if call.engine.node.is_some() { "cluster" } else { "standalone" }),
        field("os", std::env::consts::OS),
        field("arch_bits", usize::BITS),
        field("process_id", std::process::id()),
        field("run_id", &call.engine.run_id),
        field("tcp_port", 0),
        field("server_time_usec", call.engine.now_micros()),
        field("uptime_in_seconds", uptime),
        field("uptime_in_days", uptime / 86_400),
    ]);
    fields
}

fn clients(call: &Call<'_>) -> Vec<(String, String)> {
    vec![field("connected_clients", call.shared.clients().len()), field("blocked_clients", 0)]
}

fn memory(_: &Call<'_>) -> Vec<(String, String)> {
    vec![field("maxmemory", 0), field("maxmemory_policy", "noeviction")]
}

fn persistence(_: &Call<'_>) -> Vec<(String, String)> {
    vec![field("loading", 0), field("aof_enabled", 0)]
}

fn stats(call: &Call<'_>) -> Vec<(String, String)> {
    vec![
        field("total_connections_received", call.shared.clients().entered()),
        field("total_commands_processed", call.engine.commands_run),
    ]
}

fn replication(_: &Call<'_>) -> Vec<(String, String)> {
    vec![field("role", "master"), field("connected_slaves", 0)]
}

fn cluster(call: &Call<'_>) -> Vec<(String, String)> {
    vec![field("cluster_enabled", u8::from(call.engine.node.is_some()))]
}

fn keyspace(call: &Call<'_>) -> Vec<(String, String)> {
    let line = |(number, database): (usize, &crate::server::embedded::data::Database)| {
        let (expiring, average) = database.expiring();
        let value = format!("keys={},expires={expiring},avg_ttl={average}", database.len());
        (database.len() > 0).then(|| (format!("db{number}"), value))
    };
    call.engine.databases.iter().enumerate().filter_map(line).collect()
}
