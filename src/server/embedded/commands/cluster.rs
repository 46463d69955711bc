//! `CLUSTER`: one node that owns all slots, or the answer that this is no cluster.

use crate::server::embedded::call::Call;
use crate::server::embedded::codec::Reply;
use crate::server::embedded::data::number::integer_argument;
use crate::server::embedded::data::slot::{SLOTS, slot};
use crate::server::embedded::dialect::Dialect;
use crate::server::embedded::error::CommandError;
use crate::server::embedded::spec::{Answer, Flags, Group, Spec};

/// The node's name; without one this is no cluster.
fn node<'a>(call: &'a Call<'_>) -> Result<&'a str, CommandError> {
    call.engine.node.as_deref().ok_or(CommandError::new("ERR This instance has cluster support disabled"))
}

fn info(call: &mut Call<'_>) -> Answer {
    node(call)?;
    let fields = [
        ("cluster_state", "ok".to_owned()),
        ("cluster_slots_assigned", SLOTS.to_string()),
        ("cluster_slots_ok", SLOTS.to_string()),
        ("cluster_slots_pfail", "0".to_owned()),
        ("cluster_slots_fail", "0".to_owned()),
        ("cluster_known_nodes", "1".to_owned()),
        ("cluster_size", "1".to_owned()),
        ("cluster_current_epoch", "0".to_owned()),
        ("cluster_my_epoch", "0".to_owned()),
        ("cluster_stats_messages_sent", "0".to_owned()),
        ("cluster_stats_messages_received", "0".to_owned()),
        ("total_cluster_links_buffer_limit_exceeded", "0".to_owned()),
    ];
    Ok(Reply::Verbatim(fields.map(|(name, value)| format!("{name}:{value}\r\n")).concat()))
}

fn myid(call: &mut Call<'_>) -> Answer {
    Ok(Reply::bulk(node(call)?))
}

fn nodes(call: &mut Call<'_>) -> Answer {
    let node = node(call)?;
    Ok(Reply::Verbatim(format!("{node} :0@0 myself,master - 0 0 0 connected 0-{}\n", SLOTS - 1)))
}

fn slots(call: &mut Call<'_>) -> Answer {
    let node = Reply::Array(vec![
        Reply::bulk(""),
        Reply::Integer(0),
        Reply::bulk(node(call)?),
        Reply::Map(Vec::new()),
    ]);
    Ok(Reply::Array(vec![Reply::Array(vec![Reply::Integer(0), Reply::Integer(i64::from(SLOTS) - 1), node])]))
}

fn shards(call: &mut Call<'_>) -> Answer {
    let field = |name: &str, value: Reply| (Reply::bulk(name), value);
    let member = Reply::Map(vec![
        field("id", Reply::bulk(node(call)?)),
        field("ip", Reply::bulk("")),
        field("endpoint", Reply::bulk("")),
        field("role", Reply::bulk("master")),
        field("replication-offset", Reply::Integer(0)),
        field("health", Reply::bulk("online")),
    ]);
    let range = Reply::Array(vec![Reply::Integer(0), Reply::Integer(i64::from(SLOTS) - 1)]);
    let mut shard = vec![field("slots", range), field("nodes", Reply::Array(vec![member]))];
    if call.engine.dialect == Dialect::Valkey {
        // A shard has a name of its own there; with one node in it the node's will do.
        shard.push(field("id", Reply::bulk(node(call)?)));
    }
    Ok(Reply::Array(vec![Reply::Map(shard)]))
}

fn keyslot(call: &mut Call<'_>) -> Answer {
    if call.engine.dialect == Dialect::Redis {
        node(call)?;
    }
    Ok(Reply::Integer(i64::from(slot(call.arg(2)))))
}

fn countkeysinslot(call: &mut Call<'_>) -> Answer {
    node(call)?;
    let wanted = slot_number(call.arg(2))?;
    Ok(Reply::count(call.db().keys().filter(|key| slot(key) == wanted).count()))
}

fn getkeysinslot(call: &mut Call<'_>) -> Answer {
    node(call)?;
    let invalid = CommandError::new("ERR Invalid slot or number of keys");
    let (number, most) = (integer_argument(call.arg(2))?, integer_argument(call.arg(3))?);
    let wanted =
        u16::try_from(number).ok().filter(|number| *number < SLOTS).ok_or_else(|| invalid.clone())?;
    let most = usize::try_from(most).map_err(|_| invalid)?;
    Ok(Reply::Array(call.db().keys().filter(|key| slot(key) == wanted).take(most).map(Reply::bulk).collect()))
}

fn slot_number(word: &[u8]) -> Result<u16, CommandError> {
    let number = integer_argument(word)?;
    u16::try_from(number).ok().filter(|number| *number < SLOTS).ok_or(CommandError::new("ERR Invalid slot"))
}

/// `READONLY` and `READWRITE` say how to treat slots of others, and there are no others. Valkey takes them anywhere.
fn nothing_to_do(call: &mut Call<'_>) -> Answer {
    if call.engine.dialect == Dialect::Redis {
        node(call)?;
    }
    Ok(Reply::OK)
}

fn asking(call: &mut Call<'_>) -> Answer {
    node(call)?;
    Ok(Reply::OK)
}

const FLAGS: &[Flags] = &[Flags::STALE];

const fn cluster(name: &'static str, arity: i64, run: fn(&mut Call<'_>) -> Answer) -> Spec {
    Spec::new(Group::Cluster, name, arity, run).flags(FLAGS)
}

const SUBCOMMANDS: &[Spec] = &[
    cluster("cluster|info", 2, info).about("3.0.0", "How the cluster is"),
    cluster("cluster|myid", 2, myid).about("3.0.0", "The name of this node"),
    cluster("cluster|nodes", 2, nodes).about("3.0.0", "All nodes, one a line"),
    cluster("cluster|slots", 2, slots).about("3.0.0", "Which node has which slots"),
    cluster("cluster|shards", 2, shards).about("7.0.0", "Which nodes share which slots"),
    cluster("cluster|keyslot", 3, keyslot).about("3.0.0", "The slot of a key"),
    cluster("cluster|countkeysinslot", 3, countkeysinslot).about("3.0.0", "How many keys a slot has"),
    cluster("cluster|getkeysinslot", 4, getkeysinslot).about("3.0.0", "Keys of a slot"),
];

const FAST: &[Flags] = &[Flags::LOADING, Flags::STALE, Flags::FAST];

pub(in crate::server::embedded) const COMMANDS: &[Spec] = &[
    Spec::container(Group::Cluster, "cluster", SUBCOMMANDS)
        .about("3.0.0", "The nodes and slots of a cluster"),
    Spec::new(Group::Cluster, "readonly", 1, nothing_to_do)
        .flags(FAST)
        .about("3.0.0", "Reads may go to a replica"),
    Spec::new(Group::Cluster, "readwrite", 1, nothing_to_do)
        .flags(FAST)
        .about("3.0.0", "Reads go where writes do"),
    Spec::new(Group::Cluster, "asking", 1, asking)
        .flags(&[Flags::FAST])
        .about("3.0.0", "The next command follows a redirection"),
];
