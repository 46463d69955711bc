//! Playing a case against a server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use stampede::clock;
use stampede::server::embedded::Protocol;

use crate::case::{Case, Variant};
use crate::client::{Client, shown};
use crate::step::{Act, Step, words};

/// Where to play, and how.
pub(crate) struct Player {
    pub(crate) plain: PathBuf,
    pub(crate) cluster: PathBuf,
    pub(crate) variant: Variant,
}

impl Player {
    /// Plays all steps on an empty server; each comes back with what the server said to it.
    pub(crate) fn play<'a>(&self, case: &'a Case) -> Vec<(&'a Step, String)> {
        let socket = if case.in_cluster() { &self.cluster } else { &self.plain };
        empty(socket);
        let mut clients: BTreeMap<char, Client> = BTreeMap::new();
        let mut said = Vec::new();
        for step in &case.steps {
            let client =
                clients.entry(step.client).or_insert_with(|| Client::connect(socket, self.variant.protocol));
            said.push((step, step.compare.normal(&act(client, &step.act))));
        }
        said
    }
}

/// Does it, and gives back the bytes that came.
fn act(client: &mut Client, act: &Act) -> Vec<u8> {
    match act {
        Act::Command(words) => client.command(words),
        Act::Pipelined(words) => {
            client.pipeline(words);
            b"(later)".to_vec()
        }
        Act::Send(words) => {
            client.send(words);
            b"(later)".to_vec()
        }
        Act::Raw(bytes) => {
            client.send_raw(bytes);
            client.replies()
        }
        Act::Reply => client.replies(),
        Act::Closed => if client.is_closed() { "(closed)" } else { "(open)" }.into(),
        Act::Until(reply, words) => {
            let start = clock::now();
            loop {
                let said = client.command(words);
                if said.starts_with(reply.as_bytes()) {
                    return said;
                }
                assert!(
                    clock::since(start).as_secs() < 10,
                    "{words:?} never said {reply} but {}",
                    shown(&said)
                );
            }
        }
    }
}

/// No keys, no scripts.
fn empty(socket: &Path) {
    let mut client = Client::connect(socket, Protocol::Resp2);
    for command in ["FLUSHALL", "SCRIPT FLUSH", "CONFIG SET busy-reply-threshold 5000"] {
        let said = shown(&client.command(&words(command)));
        assert_eq!(said, "+OK¶", "{command}");
    }
}

/// Makes a server in cluster mode the owner of everything, and waits until it says that all is well.
pub(crate) fn own_all_slots(socket: &Path) {
    let mut client = Client::connect(socket, Protocol::Resp2);
    client.command(&words("CLUSTER ADDSLOTSRANGE 0 16383"));
    let start = clock::now();
    while !shown(&client.command(&words("CLUSTER INFO"))).contains("cluster_state:ok") {
        assert!(clock::since(start).as_secs() < 10, "the cluster never gets ready");
    }
}
