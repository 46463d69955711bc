//! Several real processes: this test program, started again as readers.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures::future::join_all;
use stampede::clock;
use stampede::guard::{Guard, Options, Term};

use crate::redis::{Redis, signal};
use crate::support::{block_on, ms, pause, until};

const SOCKET: &str = "STAMPEDE_TEST_SOCKET";
const TASK: &str = "STAMPEDE_TEST_TASK";

fn start(redis: &Redis, task: &str) -> Child {
    let redis::ConnectionAddr::Unix(socket) = redis.client().get_connection_info().addr().clone() else {
        panic!("a socket")
    };
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "processes::child", "--nocapture"])
        .env(SOCKET, socket)
        .env(TASK, task)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts again")
}

async fn guard(client: redis::Client) -> Guard<redis::aio::MultiplexedConnection> {
    let connection = client.get_multiplexed_async_connection().await.expect("the server answers");
    let mut options = Options::default();
    options.losers.wait = Duration::from_secs(10);
    // Whoever is refused while the winner has not put its claim yet tries again after this.
    options.losers.poll.most = Duration::from_secs(3);
    options.lease.term = Term::Fixed(ms(1_000));
    Guard::builder(connection).options(options).build().expect("options that make sense")
}

/// A source that all processes share: it counts in Redis, and answers when everybody has missed.
async fn count(client: redis::Client, everybody: u64) -> Result<u64, stampede::guard::SourceError> {
    let mut connection = client.get_multiplexed_async_connection().await?;
    redis::cmd("INCR").arg("calls").exec_async(&mut connection).await?;
    loop {
        let missed: Option<u64> = redis::cmd("GET").arg("missed").query_async(&mut connection).await?;
        if missed.unwrap_or(0) >= everybody {
            return Ok(7);
        }
        pause(ms(5)).await;
    }
}

/// Not a test of its own: what the other processes run.
#[test]
fn child() {
    let (Ok(socket), Ok(task)) = (std::env::var(SOCKET), std::env::var(TASK)) else { return };
    let client = redis::Client::open(format!("redis+unix://{socket}")).expect("a good address");
    block_on(async {
        let guard = guard(client.clone()).await;
        let everybody = if task == "hang" { u64::MAX } else { 1_000 };
        let answers = join_all((0..125).map(|_| {
            let client = client.clone();
            guard.get_or_recompute("hot", move || count(client, everybody)).into_future()
        }));
        let missed = async {
            until(async || guard.metrics().misses == 125).await;
            let mut connection = client.get_multiplexed_async_connection().await.expect("the server answers");
            redis::cmd("INCRBY").arg("missed").arg(125).exec_async(&mut connection).await.expect("it counts");
        };
        let (answers, ()) = tokio::join!(answers, missed);
        assert!(answers.into_iter().all(|answer| answer.is_ok_and(|answer| answer.value == 7)));
        writeln!(std::io::stdout(), "attempts={}", guard.metrics().attempts).unwrap();
    });
}

#[test]
fn eight_processes_with_125_readers_each_make_one_fill_and_at_most_eight_attempts() {
    let Some(redis) = Redis::start() else { return };
    let children: Vec<_> = (0..8).map(|_| start(&redis, "read")).collect();
    let mut attempts = 0;
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
        let line = text.lines().find_map(|line| line.split_once("attempts=")).expect("it tells").1;
        attempts += line.trim().parse::<u64>().expect("a number");
    }
    block_on(async {
        assert_eq!(redis.ask::<u64>(&["GET", "calls"]).await, 1, "one fill");
    });
    assert!((1..=8).contains(&attempts), "{attempts} attempts");
}

#[test]
fn a_leader_that_is_killed_is_replaced_when_its_lease_ends() {
    let Some(redis) = Redis::start() else { return };
    let mut leader = start(&redis, "hang");
    block_on(async {
        until(async || redis.ask::<i64>(&["EXISTS", "calls"]).await == 1).await;
        signal(leader.id(), "KILL");
        leader.wait().expect("it ends");
        let left: i64 = redis.ask(&["PTTL", "lock:hot"]).await;
        let killed = clock::now();
        let guard = guard(redis.client()).await;
        let client = redis.client();
        let answer = guard.get_or_recompute("hot", move || count(client, 0)).await.unwrap();
        assert_eq!(answer.value, 7);
        // One look later than the lease, and the machine may be busy.
        let limit = ms(u64::try_from(left).unwrap_or(0)) + ms(3_000);
        assert!(
            clock::since(killed) < limit,
            "{:?} after the kill, {left} ms were left",
            clock::since(killed)
        );
        assert_eq!(redis.ask::<u64>(&["GET", "calls"]).await, 2);
    });
}
