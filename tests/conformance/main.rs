//! The embedded server against its originals, byte for byte.
//!
//! `cases/*.txt` hold commands and the replies that Redis 7.0 and Valkey 9 gave to them, in both protocols. One test holds
//! the embedded server against that record, on any machine; another holds the originals against it, where they are
//! installed. `STAMPEDE_RECORD=1 cargo test --test conformance` writes down anew what the originals say.
//!
//! What must differ is named in a case by the sign before its command; [`step::Compare`] has them all.

mod case;
mod client;
mod play;
mod random;
mod step;

use std::path::PathBuf;

use stampede::server::embedded::{Dialect, Embedded, Options};
use stampede::server::{Kind, Server, find_on_path};

use case::{CaseFile, Variant};
use play::Player;

#[path = "../support/mod.rs"]
mod support;

fn files() -> Vec<CaseFile> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/cases");
    let entries = std::fs::read_dir(folder).expect("the cases can be listed");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| CaseFile::read(path)).collect()
}

/// An original to compare with, of the version that was recorded.
pub(crate) struct Original {
    pub(crate) dialect: Dialect,
    pub(crate) plain: Server,
    pub(crate) cluster: Server,
}

/// Those that are installed; in CI all of them or a failure.
pub(crate) fn originals() -> Vec<Original> {
    let required = std::env::var("STAMPEDE_REQUIRE_SERVERS").unwrap_or_default();
    let mut found = Vec::new();
    for (name, dialect, version) in
        [("redis-server", Dialect::Redis, "7.0."), ("valkey-server", Dialect::Valkey, "9.")]
    {
        let missing = |why: &str| {
            let wanted = required.split(' ').any(|wanted| wanted == name);
            assert!(!wanted, "STAMPEDE_REQUIRE_SERVERS asks for {name}: {why}");
            eprintln!("skipped: {name}: {why}");
        };
        let Some(program) = find_on_path(name) else {
            missing("it is not on PATH");
            continue;
        };
        let start = |settings: &[&str]| Server::start_program_with(&program, settings).expect("it starts");
        let plain = start(&["--enable-debug-command", "local"]);
        let kind = if dialect == Dialect::Redis { Kind::Redis } else { Kind::Valkey };
        let identity = plain.identity();
        if identity.kind != kind || !identity.version.starts_with(version) {
            missing(&format!("{identity} is not the version that was recorded"));
            continue;
        }
        let port = free_port().to_string();
        let cluster =
            start(&["--cluster-enabled", "yes", "--bind", "127.0.0.1", "--cluster-port", port.as_str()]);
        play::own_all_slots(&cluster.socket().expect("it is ours"));
        found.push(Original { dialect, plain, cluster });
    }
    found
}

/// For a cluster's bus, which cannot do without.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("the loopback has ports");
    listener.local_addr().expect("it is bound").port()
}

#[test]
fn the_embedded_server_answers_as_recorded() {
    let mut checked = 0;
    let mut wrong = Vec::new();
    for file in &files() {
        for variant in Variant::ALL {
            let start = |cluster| {
                let options = Options { dialect: variant.dialect, cluster, ..Options::default() };
                Embedded::start(&options).expect("it starts")
            };
            let (plain, cluster) = (start(false), start(true));
            let player = Player { plain: plain.socket(), cluster: cluster.socket(), variant };
            for case in file.cases.iter().filter(|case| case.is_for(variant)) {
                for (step, said) in player.play(case) {
                    checked += 1;
                    let recorded = step.recorded(variant);
                    let same = recorded.is_some_and(|recorded| step.compare.same(recorded, &said));
                    if !same {
                        wrong.push(format!(
                            "{}: {} ({variant})\n  {}\n    recorded {}\n    embedded {said}",
                            file.name(),
                            case.title,
                            step.text,
                            recorded.unwrap_or("nothing"),
                        ));
                    }
                }
            }
        }
    }
    assert!(checked > 8_000, "only {checked} replies were compared");
    assert!(wrong.is_empty(), "{} of {checked} replies differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_originals_answer_as_recorded() {
    let record = std::env::var_os("STAMPEDE_RECORD").is_some();
    let mut wrong = Vec::new();
    let originals = originals();
    assert!(!record || originals.len() == 2, "a record needs both originals");
    for mut file in files() {
        for original in &originals {
            for variant in Variant::ALL.into_iter().filter(|variant| variant.dialect == original.dialect) {
                let socket = |server: &Server| server.socket().expect("it is ours");
                let player =
                    Player { plain: socket(&original.plain), cluster: socket(&original.cluster), variant };
                for case in file.cases.iter_mut().filter(|case| case.is_for(variant)) {
                    let said: Vec<String> = player.play(case).into_iter().map(|(_, said)| said).collect();
                    for (step, said) in case.steps.iter_mut().zip(said) {
                        if record {
                            step.record(variant, &said);
                        } else if step.recorded(variant).is_none_or(|recorded| recorded != said) {
                            wrong.push(format!("{} ({variant})\n  {}\n    {said}", case.title, step.text));
                        }
                    }
                }
            }
        }
        if record {
            file.write();
        }
    }
    assert!(wrong.is_empty(), "{} replies differ from the record:\n{}", wrong.len(), wrong.join("\n"));
}
