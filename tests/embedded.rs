//! What the embedded server promises beyond the replies of its originals: its clock, `SCAN`, and clients of all kinds.
#![cfg(feature = "app")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use stampede::clock::{Clock, HandSet};
use stampede::server::Server;
use stampede::server::embedded::{Line, Options, Reply};

/// A server whose time only we move.
fn still() -> (Line, Arc<HandSet>) {
    let clock = Arc::new(HandSet::at(Duration::from_secs(1_000_000)));
    let options = Options { clock: Arc::clone(&clock) as _, ..Options::default() };
    (Line::alone(&options), clock)
}

fn say(line: &mut Line, command: &str) -> Reply {
    let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
    line.call(&words).expect("nobody else is here")
}

#[test]
fn a_key_lives_through_its_last_millisecond_and_not_into_the_next() {
    let (mut line, clock) = still();
    say(&mut line, "SET k v PX 100");
    assert_eq!(say(&mut line, "PTTL k"), Reply::Integer(100));
    clock.advance(Duration::from_millis(100));
    assert_eq!(say(&mut line, "PTTL k"), Reply::Integer(0));
    assert_eq!(say(&mut line, "SET k w NX"), Reply::Null);
    clock.advance(Duration::from_millis(1));
    assert_eq!(say(&mut line, "PTTL k"), Reply::Integer(-2));
    assert_eq!(say(&mut line, "DBSIZE"), Reply::Integer(0));
    assert_eq!(say(&mut line, "SET k w NX"), Reply::Status("OK"));
}

/// A clock by which no two readings are less than 20 ms apart.
#[derive(Debug)]
struct Restless(HandSet);

impl Clock for Restless {
    fn unix(&self) -> Duration {
        self.0.advance(Duration::from_millis(20));
        self.0.unix()
    }
}

#[test]
fn a_script_sees_one_time_from_its_start_to_its_end() {
    let clock = Arc::new(Restless(HandSet::at(Duration::from_secs(1_000_000))));
    let mut line = Line::alone(&Options { clock, ..Options::default() });
    let script = "redis.call('set', KEYS[1], 'v', 'px', 10) return redis.call('pttl', KEYS[1])";
    let reply = line.call(&[b"EVAL", script.as_bytes(), b"1", b"k"]).expect("nobody else is here");
    assert_eq!(reply, Reply::Integer(10));
    assert_eq!(say(&mut line, "GET k"), Reply::Null, "time has gone on for everybody else");
}

proptest! {
    #[test]
    fn scan_finds_every_key_that_is_there_all_the_time(
        before in proptest::collection::btree_set(0_u16..400, 0..120),
        changes in proptest::collection::vec((any::<bool>(), 0_u16..400), 0..120),
        count in 1_usize..20,
    ) {
        let (mut line, _) = still();
        for key in &before {
            say(&mut line, &format!("SET {key} v"));
        }
        let mut always = before.clone();
        let mut ever = before;
        let mut changes = changes.into_iter();
        let mut found = BTreeSet::new();
        let mut cursor = b"0".to_vec();
        loop {
            let command = format!("SCAN {} COUNT {count}", String::from_utf8_lossy(&cursor));
            let Reply::Array(parts) = say(&mut line, &command) else { panic!("a list") };
            let [Reply::Bulk(next), Reply::Array(keys)] = parts.as_slice() else { panic!("a cursor and keys") };
            for key in keys {
                let Reply::Bulk(key) = key else { panic!("a key") };
                found.insert(String::from_utf8_lossy(key).parse::<u16>().expect("one of ours"));
            }
            cursor.clone_from(next);
            if next == b"0" {
                break;
            }
            for (add, key) in changes.by_ref().take(5) {
                if add {
                    say(&mut line, &format!("SET {key} v"));
                    ever.insert(key);
                } else {
                    say(&mut line, &format!("DEL {key}"));
                    always.remove(&key);
                }
            }
        }
        prop_assert!(always.is_subset(&found), "missed {:?}", always.difference(&found).collect::<Vec<_>>());
        prop_assert!(found.is_subset(&ever));
    }
}

#[test]
fn clients_in_the_process_and_on_the_socket_share_everything() {
    let server = Server::start_embedded(&Options::default()).expect("it starts");
    let mut line = server.line().expect("it is embedded").expect("it runs");
    let mut connection = server.connect().expect("it answers");
    say(&mut line, "SET k from-inside");
    let value: String = redis::cmd("GET").arg("k").query(&mut connection).expect("GET answers");
    assert_eq!(value, "from-inside");
    say(&mut line, "WATCH k");
    say(&mut line, "MULTI");
    say(&mut line, "SET k mine");
    let () = redis::cmd("SET").arg("k").arg("theirs").query(&mut connection).expect("SET answers");
    assert_eq!(say(&mut line, "EXEC"), Reply::NullArray, "it changed from outside");
    let list: String = redis::cmd("CLIENT").arg("LIST").query(&mut connection).expect("CLIENT LIST answers");
    assert!(list.contains("addr=in-process") && list.lines().count() == 2, "{list}");
}

#[test]
fn what_it_can_not_keep_it_does_not_promise() {
    let (mut line, _) = still();
    let Reply::Error(refused) = say(&mut line, "CLIENT TRACKING ON") else { panic!("it tracks nothing") };
    assert!(String::from_utf8_lossy(&refused).contains("does not track"));
    let Reply::Verbatim(info) = say(&mut line, "INFO server") else { panic!("a text") };
    assert!(info.contains("embedded_in:stampede"), "{info}");
}

#[test]
fn an_ordinary_client_library_works_against_it() {
    let server = Server::start_embedded(&Options::default()).expect("it starts");
    let socket = server.socket().expect("it is ours");
    for protocol in ["", "?protocol=resp3"] {
        let url = format!("redis+unix://{}{protocol}", socket.display());
        let client = redis::Client::open(url).expect("an address");
        let mut connection = client.get_connection().expect("it greets");
        let (a, b): (i64, Vec<Option<String>>) = redis::pipe()
            .atomic()
            .cmd("INCR")
            .arg("n")
            .cmd("MGET")
            .arg(&["n", "nothing"])
            .query(&mut connection)
            .expect("a transaction answers");
        assert_eq!(b, [Some(a.to_string()), None]);
        let map: std::collections::BTreeMap<String, String> = redis::pipe()
            .cmd("HSET")
            .arg("h")
            .arg("f")
            .arg("v")
            .ignore()
            .cmd("HGETALL")
            .arg("h")
            .query::<(_,)>(&mut connection)
            .expect("a pipeline answers")
            .0;
        assert_eq!(map["f"], "v");
        let told: redis::RedisError = redis::cmd("LPUSH")
            .arg("l")
            .arg("x")
            .query::<()>(&mut connection)
            .expect_err("there are no lists");
        assert!(told.to_string().contains("embedded server"), "{told}");
    }
}
