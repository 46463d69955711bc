//! A cluster of three nodes, on which nothing may ever cross a slot.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use stampede::guard::{Guard, Options, Provenance, Renewal, Stored, Term};
use tempfile::TempDir;

use crate::redis::program;
use crate::support::{block_on, ms, pause, until};

struct Cluster {
    nodes: Vec<Child>,
    ports: Vec<u16>,
    _folder: TempDir,
}

fn free_ports(many: usize) -> Vec<u16> {
    let listeners: Vec<_> = (0..many).map(|_| TcpListener::bind(("127.0.0.1", 0)).expect("a port")).collect();
    listeners.iter().map(|listener| listener.local_addr().expect("an address").port()).collect()
}

impl Cluster {
    fn start() -> Option<Self> {
        let program = program()?;
        let folder = tempfile::tempdir().expect("a folder");
        let ports = free_ports(6);
        let (ports, buses) = ports.split_at(3);
        let nodes = ports.iter().zip(buses).map(|(port, bus)| {
            let home = folder.path().join(port.to_string());
            std::fs::create_dir(&home).expect("a folder for each");
            let [port, bus] = [port, bus].map(ToString::to_string);
            Command::new(&program)
                .args(["--port", &port, "--bind", "127.0.0.1", "--save", "", "--cluster-enabled", "yes"])
                .args(["--cluster-port", &bus, "--cluster-node-timeout", "2000"])
                .current_dir(home)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("redis-server starts")
        });
        let cluster = Self { nodes: nodes.collect(), ports: ports.to_vec(), _folder: folder };
        cluster.unite(buses);
        Some(cluster)
    }

    fn connection(&self, node: usize) -> Option<redis::Connection> {
        redis::Client::open(format!("redis://127.0.0.1:{}", self.ports[node])).ok()?.get_connection().ok()
    }

    fn unite(&self, buses: &[u16]) {
        let patience = |what: &dyn Fn() -> bool| {
            for _ in 0..2_000 {
                if what() {
                    return;
                }
                std::thread::park_timeout(ms(10));
            }
            panic!("the cluster does not come up");
        };
        let slots = [(0, 5_460), (5_461, 10_922), (10_923, 16_383)];
        for (node, (from, to)) in slots.into_iter().enumerate() {
            patience(&|| self.connection(node).is_some());
            let mut connection = self.connection(node).expect("it answers");
            let mut add = redis::cmd("CLUSTER");
            add.arg("ADDSLOTSRANGE").arg(from).arg(to).exec(&mut connection).expect("slots are free");
            let mut epoch = redis::cmd("CLUSTER");
            epoch.arg("SET-CONFIG-EPOCH").arg(node + 1).exec(&mut connection).expect("a new node");
            let mut meet = redis::cmd("CLUSTER");
            meet.arg("MEET").arg("127.0.0.1").arg(self.ports[0]).arg(buses[0]);
            meet.exec(&mut connection).expect("they meet");
        }
        patience(&|| {
            (0..3).all(|node| {
                let info: Option<String> = self
                    .connection(node)
                    .and_then(|mut connection| redis::cmd("CLUSTER").arg("INFO").query(&mut connection).ok());
                info.is_some_and(|info| {
                    info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")
                })
            })
        });
    }

    async fn connect(&self) -> ClusterConnection {
        let nodes: Vec<_> = self.ports.iter().map(|port| format!("redis://127.0.0.1:{port}")).collect();
        let client = ClusterClient::new(nodes).expect("good addresses");
        client.get_async_connection().await.expect("the cluster answers")
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for node in &mut self.nodes {
            let _ = node.kill();
            let _ = node.wait();
        }
    }
}

#[test]
fn the_whole_way_on_a_cluster_with_and_without_hash_tags() {
    let Some(cluster) = Cluster::start() else { return };
    block_on(async {
        for tags in [false, true] {
            let mut options = Options::default();
            options.losers.wait = Duration::from_secs(20);
            options.lease.term = Term::Fixed(ms(900));
            options.lease.renewal = Renewal::WhileRunning;
            options.expiry.soft = ms(40);
            let namespace = if tags { "tagged:" } else { "plain:" };
            let guard = Guard::builder(cluster.connect().await).options(options).hash_tags(tags);
            let guard = guard.redis_timeout(Duration::from_secs(10)).namespace(namespace).build().unwrap();
            for n in 0..40_u8 {
                let mut key = format!("key{n}").into_bytes();
                key.extend([&b"{a"[..], b"}", b"{x}", &[0, 255, 10, 13], b"}{"][usize::from(n) % 5]);
                let call = |value| {
                    let renewed = guard.clone();
                    let before = renewed.metrics().extensions;
                    let fill = async move || {
                        if n % 20 == 0 && value == 1 {
                            until(async || renewed.metrics().extensions > before).await;
                        }
                        Ok(value)
                    };
                    guard.get_or_recompute(&key, fill).into_future()
                };
                let first = call(1_u64).await.unwrap();
                assert!(
                    matches!(first.provenance, Provenance::Recomputed { stored: Stored::Yes, .. }),
                    "{first:?} for {key:?}"
                );
                guard.invalidate(&key).await.unwrap();
                assert_eq!(call(2).await.unwrap().value, 2);
                if n % 10 == 0 {
                    pause(ms(50)).await;
                    assert_eq!(call(3).await.unwrap().value, 2, "stale, and refreshed");
                    until(async || call(4).await.unwrap().value > 2).await;
                }
            }
            let metrics = guard.metrics();
            assert_eq!((metrics.redis_failures, metrics.refused_releases), (0, 0), "{metrics:?}");
            assert!(metrics.extensions >= 2);
        }
    });
}
