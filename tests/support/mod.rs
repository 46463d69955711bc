//! What several test programs share: servers of their own, and small labs.
#![allow(dead_code, clippy::allow_attributes, reason = "each test program uses its own part")]

pub(crate) mod screen;

use std::collections::BTreeMap;

use stampede::cli::Servers;
use stampede::lab::{
    AppSetup, DatabaseSetup, Event, Fault, Global, Keys, Lab, Member, Program, RedisWire, Setup, Span, Wire,
};
use stampede::lesson::Need;
use stampede::server::embedded::{Dialect, Options};
use stampede::server::{Choice, Server, Wish, find_on_path};

/// The servers that tests run against: the embedded one as each of its originals, and those installed, in CI all of them
/// or a failure.
pub(crate) fn servers() -> Vec<Server> {
    let programs = ["redis-server", "valkey-server"].map(|name| (name, find_on_path(name)));
    let required = std::env::var("STAMPEDE_REQUIRE_SERVERS").unwrap_or_default();
    for (name, path) in &programs {
        let missing = required.split(' ').any(|wanted| wanted == *name) && path.is_none();
        assert!(!missing, "STAMPEDE_REQUIRE_SERVERS asks for {name}, and it is not on PATH");
    }
    let installed = programs.into_iter().filter_map(|(_, path)| path);
    let installed = installed.map(|path| Server::start_program(&path).expect("an installed server starts"));
    installed.chain([Dialect::Redis, Dialect::Valkey].map(embedded)).collect()
}

/// An embedded server, and what stands in for it where a take needs more.
pub(crate) fn ours() -> Servers {
    Servers::open(Choice::Start(Wish::Embedded(Dialect::Redis))).expect("the embedded server starts")
}

/// All servers that have what a take needs: those that are installed and the embedded ones.
pub(crate) fn servers_with(need: Option<Need>) -> Vec<Server> {
    match need {
        None => servers(),
        Some(Need::CompareAndDelete) => servers()
            .into_iter()
            .filter(|server| server.knows("DELIFEQ").expect("a server of ours stays"))
            .collect(),
        Some(Need::Cluster) => {
            let embedded = [Dialect::Redis, Dialect::Valkey].map(|dialect| {
                let options = Options { dialect, cluster: true, ..Options::default() };
                Server::start_embedded(&options).expect("the embedded server starts")
            });
            real_cluster().into_iter().chain(embedded).collect()
        }
    }
}

/// A redis-server as the one node of a cluster, where it is installed.
fn real_cluster() -> Option<Server> {
    let program = find_on_path("redis-server")?;
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let bus = free.expect("a free port").port().to_string();
    let settings = ["--bind", "127.0.0.1", "--cluster-enabled", "yes", "--cluster-port", &bus];
    let server = Server::start_program_with(&program, &settings).expect("an installed server starts");
    let mut connection = server.connect().expect("it answers");
    let () = redis::cmd("CLUSTER")
        .arg(&["ADDSLOTSRANGE", "0", "16383"])
        .query(&mut connection)
        .expect("a fresh node takes every slot");
    loop {
        let info: String = redis::cmd("CLUSTER").arg("INFO").query(&mut connection).expect("it answers");
        if info.contains("cluster_state:ok") {
            return Some(server);
        }
    }
}

/// One server, for tests that need no more.
pub(crate) fn server() -> Server {
    embedded(Dialect::Redis)
}

pub(crate) fn embedded(dialect: Dialect) -> Server {
    let options = Options { dialect, ..Options::default() };
    Server::start_embedded(&options).expect("the embedded server starts")
}

/// A wire as the program itself makes it.
pub(crate) fn wire(server: &Server) -> Box<dyn Wire> {
    stampede::cli::wire(server).expect("the server answers")
}

/// A wire over a connection, also to the embedded server.
pub(crate) fn connected(server: &Server) -> Box<dyn Wire> {
    Box::new(RedisWire::new(server.connect().expect("the server answers")).expect("sockets take timeouts"))
}

/// A lab with these programs, one worker each, all arriving at once.
pub(crate) fn setup(programs: &[&str]) -> Setup {
    Setup {
        lesson: "test".to_owned(),
        take: "test".to_owned(),
        seed: 7,
        keys: Keys::new("product:123", Some("lock:product:123".into())),
        globals: BTreeMap::from([("px".to_owned(), Global::Number(5000))]),
        programs: (1..)
            .zip(programs)
            .map(|(n, source)| Program {
                name: format!("p{n}.lua"),
                source: (*source).to_owned(),
                native: None,
            })
            .collect(),
        scripts: Vec::new(),
        cast: (0..programs.len()).map(|program| Member { program, ..Member::default() }).collect(),
        database: DatabaseSetup {
            schema: "CREATE TABLE product (id INTEGER PRIMARY KEY, body TEXT, version INTEGER);
                     INSERT INTO product VALUES (123, 'grinder', 11);"
                .to_owned(),
            truth: None,
            watch: None,
            pool: 2,
            p50: Span::from_millis(400),
            p99: Span::from_millis(900),
        },
        app: AppSetup::default(),
        faults: Vec::<Fault>::new(),
        round_trip: Span::from_millis(1),
        reply_timeout: Span::from_millis(500),
        schedule: Vec::new(),
        repair: None,
        ends: None,
    }
}

/// Runs a setup to its end.
pub(crate) fn run(setup: Setup, server: &Server) -> Vec<Event> {
    let mut lab = Lab::open(setup, wire(server)).expect("the lab opens");
    while lab.tick().expect("the server stays") {}
    lab.journal().events().to_vec()
}
