//! Clients that mean no good, or do not know better: none of them hurts the embedded server or anybody else.
#![cfg(feature = "app")]

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use stampede::clock;
use stampede::server::embedded::{Dialect, Embedded, Line, Options, Reply};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn server() -> Embedded {
    Embedded::start(&Options::default()).expect("it starts")
}

fn connect(server: &Embedded) -> UnixStream {
    let stream = UnixStream::connect(server.socket()).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("sockets take timeouts");
    stream
}

/// Sends bytes and reads so many back.
fn exchange(mut stream: &UnixStream, bytes: &[u8], expected: &[u8]) {
    stream.write_all(bytes).expect("it is open");
    let mut said = vec![0; expected.len()];
    stream.read_exact(&mut said).expect("it answers");
    assert_eq!(said.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

/// That somebody else is served as ever.
fn assert_well(server: &Embedded) {
    exchange(&connect(server), b"PING\r\n", b"+PONG\r\n");
}

/// All that comes until the connection ends.
fn to_the_end(mut stream: &UnixStream) -> String {
    let mut said = Vec::new();
    // What was sent to it and not read makes the end a reset.
    let end = stream.read_to_end(&mut said).map_err(|error| error.kind());
    assert_ne!(end, Err(ErrorKind::WouldBlock), "it ends");
    said.escape_ascii().to_string()
}

#[test]
fn declared_lengths_cost_nothing_until_the_bytes_come() {
    let server = server();
    let clients: Vec<UnixStream> = (0..64).map(|_| connect(&server)).collect();
    for mut client in &clients {
        // Half a gigabyte each, and two thousand million arguments.
        client.write_all(b"*2\r\n$4\r\nECHO\r\n$536870912\r\nabc").expect("it takes them");
    }
    let greedy = connect(&server);
    (&greedy).write_all(b"*2147483647\r\n$4\r\nPING\r\n").expect("it takes them");
    assert_well(&server);
    assert!(resident_megabytes() < 1000, "{} MB", resident_megabytes());
}

/// What this process takes, as the system counts it.
fn resident_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

#[test]
fn half_a_request_waits_for_the_other_half() {
    let server = server();
    let slow = connect(&server);
    for piece in [&b"*2\r"[..], b"\n$4\r\nEC", b"HO\r\n$5\r\nhel"] {
        (&slow).write_all(piece).expect("it takes them");
        assert_well(&server);
    }
    exchange(&slow, b"lo\r\n", b"$5\r\nhello\r\n");
}

#[test]
fn garbage_is_answered_with_an_error_and_the_end() {
    let server = server();
    let client = connect(&server);
    (&client).write_all(b"\x00\x01\x02\xff\xfe*$%\r\n").expect("it takes them");
    exchange(&client, b"*1\r\nnonsense\r\n", b"-ERR unknown command ");
    let said = to_the_end(&client);
    assert!(said.contains("Protocol error: expected \\'$\\', got \\'n\\'"), "{said}");
    assert_well(&server);
}

#[test]
fn a_thousand_clients_are_served() {
    let server = server();
    let clients: Vec<UnixStream> = (0..1000).map(|_| connect(&server)).collect();
    for (mut client, number) in clients.iter().zip(0..) {
        client.write_all(format!("SET k{number} {number}\r\n").as_bytes()).expect("it is open");
    }
    for client in &clients {
        exchange(client, b"", b"+OK\r\n");
    }
    exchange(&clients[999], b"DBSIZE\r\n", b":1000\r\n");
    drop(clients);
    assert_well(&server);
}

#[test]
fn a_client_that_never_reads_holds_nobody_up() {
    let server = server();
    exchange(&connect(&server), format!("SET big {}\r\n", "x".repeat(60_000)).as_bytes(), b"+OK\r\n");
    let deaf = connect(&server);
    deaf.set_write_timeout(Some(Duration::from_millis(200))).expect("sockets take timeouts");
    // Asks for megabytes until the server, which cannot get rid of them, takes no more requests.
    let requests = b"GET big\r\n".repeat(1000);
    let mut sent = 0;
    while sent < 10_000 && (&deaf).write_all(&requests).is_ok() {
        sent += 1;
    }
    assert!(sent < 10_000, "it is made to wait");
    assert_well(&server);
    assert!(resident_megabytes() < 1000, "{} MB", resident_megabytes());
}

#[test]
fn the_server_ends_whatever_its_clients_do() {
    for (bytes, busy) in [
        // A script that has written, and so can't be killed otherwise.
        (&b"EVAL \"redis.call('set','k','v') while true do end\" 0\r\n"[..], true),
        (b"EVAL \"while true do pcall(function() while true do end end) end\" 0\r\n", true),
        (b"DEBUG SLEEP 1000\r\n", true),
        (b"PING\r\nWAIT 1 0\r\n", false),
        (b"PING\r\n*2\r\n$4\r\nECHO\r\n$100\r\nabc", false),
        (b"PING\r\n", false),
    ] {
        let server = server();
        let client = connect(&server);
        (&client).write_all(bytes).expect("it is open");
        if busy {
            wait_until_busy(&server);
        } else {
            exchange(&client, b"", b"+PONG\r\n");
        }
        let folder = server.socket().parent().expect("it is in a folder").to_owned();
        let begun = clock::now();
        drop(server);
        assert!(clock::since(begun) < PATIENCE, "{}", bytes.escape_ascii());
        assert!(!folder.exists(), "the folder is gone");
        to_the_end(&client);
    }
}

/// Waits until somebody has the engine for longer than a client in the process would wait.
fn wait_until_busy(server: &Embedded) {
    let mut line = server.line().expect("it runs");
    let begun = clock::now();
    while line.call(&[b"PING"]).is_ok() {
        assert!(clock::since(begun) < PATIENCE, "nothing keeps it busy");
    }
}

#[test]
fn what_nothing_can_interrupt_is_left_behind() {
    let server = server();
    let client = connect(&server);
    // Nothing can interrupt the match of a pattern.
    (&client)
        .write_all(b"EVAL \"return string.find(string.rep('a', 9000), '.-.-.-b')\" 0\r\n")
        .expect("it is open");
    wait_until_busy(&server);
    let folder = server.socket().parent().expect("it is in a folder").to_owned();
    let begun = clock::now();
    drop(server);
    assert!(clock::since(begun) < PATIENCE && !folder.exists());
}

#[test]
fn a_clients_shutdown_ends_it_for_all() {
    let server = server();
    let other = connect(&server);
    exchange(&other, b"PING\r\n", b"+PONG\r\n");
    let mut line = server.line().expect("it runs");
    (&connect(&server)).write_all(b"SHUTDOWN NOSAVE\r\n").expect("it is open");
    assert_eq!(to_the_end(&other), "");
    assert!(line.call(&[b"PING"]).is_err(), "the clients in the process are told as well");
}

#[test]
fn scripts_cannot_take_the_process_with_them() {
    let mut line = Line::alone(&Options::default());
    let mut eval =
        |script: &str| line.call(&[b"EVAL", script.as_bytes(), b"0"]).expect("nobody else is here");
    let mut refused = |script: &str, why: &str| match eval(script) {
        Reply::Error(text) => {
            let text = String::from_utf8_lossy(&text).into_owned();
            assert!(text.contains(why), "{script}: {text}");
        }
        other => panic!("{script}: {other:?}"),
    };
    refused("return string.rep('x', 1e9)", "not enough memory");
    refused("local t = {} while true do t[#t + 1] = string.rep('x', 1e6) .. #t end", "not enough memory");
    refused("return string.find(string.rep('a', 50000), string.rep('a?', 50000))", "pattern too complex");
    refused("return string.gsub('a', string.rep('(', 3000), '')", "pattern too complex");
    refused("local function f() return f() + 1 end return f()", "stack overflow");
    refused(
        "local f; f = function() return redis.sha1hex(setmetatable({}, {__tostring = f})) end return f()",
        "overflow",
    );
    refused("local f; f = function() return string.gsub('a', 'a', f) end return f()", "overflow");
    refused("local f; f = function() return select(2, pcall(f)) end error(f())", "overflow");
    refused(
        "local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k .. 'x'] end return t.x",
        "overflow",
    );
    refused("local f; f = function() return coroutine.wrap(f)() end return f()", "overflow");
    refused("math.randomseed({})", "number");
    refused("return math.random('x')", "user_script:1: bad argument");
    refused("return loadstring(string.dump(function() end))()", "attempt to call a nil value");
    refused("return loadstring(string.rep('(', 10000) .. string.rep(')', 10000))()", "nil value");
    refused("return #string.format('%99999d', 1)", "invalid format");
    for many in [
        "return unpack(t)",
        "return {pcall(unpack, t)}",
        "return {xpcall(function() return unpack(t) end, print)}",
    ] {
        eval(&format!("local t = {{}} for i = 1, 200 do t[i] = i end local print = tostring {many}"));
    }
    eval("local function f() return pcall(f) end return f()");
    eval(
        "return {coroutine.resume(coroutine.create(function() return unpack({1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}) end))}",
    );
    // A table that contains itself has no end.
    let Reply::Array(items) = eval("local t = {} t[1] = t return t") else { panic!("a table is a list") };
    drop(items);
}

#[test]
fn what_a_script_changes_of_its_world_is_gone_after_it() {
    let mut line = Line::alone(&Options::default());
    let mut eval =
        |script: &str| line.call(&[b"EVAL", script.as_bytes(), b"0"]).expect("nobody else is here");
    for attempt in [
        "rawset(string, 'upper', function() return 'mine' end) return 1",
        "string.upper = function() return 'mine' end",
        "getmetatable('').__index.upper = function() return 'mine' end",
        "getmetatable(_G).__index = function() return 'mine' end return 1",
        "getmetatable(string).__index.upper = function() return 'mine' end return 1",
        "table.insert(string, 'mine') return 1",
        "local _, t = pairs(string) t.upper = function() return 'mine' end",
        "local _, t = pairs(_G) t.mine = 'mine'",
        "local _, t = pairs(redis) t.call = function() return 'mine' end",
        "setmetatable(_G, {__index = function() return 'mine' end})",
        "coroutine.wrap(function() upper = 1 end)()",
        "loadstring('upper = 1')()",
        "for name in pairs(_G) do rawset(_G, name, nil) end",
    ] {
        eval(attempt);
        let said = eval("return {string.upper('a'), ('a'):upper(), #string, tostring(rawget(_G, 'upper'))}");
        let texts = ["A", "A"].map(|text| Reply::Bulk(text.into()));
        let Reply::Array(items) = said else { panic!("{attempt}: {said:?}") };
        assert_eq!(items[2], Reply::Integer(0), "{attempt}");
        assert!(matches!(eval("return mine"), Reply::Error(_)), "{attempt}: an unknown name stays unknown");
        assert_eq!(items[..2], texts, "{attempt}");
        assert_eq!(items[3], Reply::Bulk("nil".into()), "{attempt}");
    }
}

/// Bytes that are nearly requests.
fn nearly() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just(b"*3\r\n".to_vec()),
        Just(b"*1\r\n".to_vec()),
        Just(b"$3\r\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"SET k v\r\n".to_vec()),
        Just(b"GET".to_vec()),
        Just(b"MULTI\r\n".to_vec()),
        Just(b"\"".to_vec()),
        Just(b"EVAL \"return 1\" 0\r\n".to_vec()),
        Just(b"HELLO 3\r\n".to_vec()),
        Just(b"$9999999999\r\n".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..12),
    ];
    proptest::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

/// The same inputs every time; `PROPTEST_CASES` makes them more, and `STAMPEDE_SEED` others.
fn fuzz(cases: u32) -> TestRunner {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let cases = number("PROPTEST_CASES").and_then(|cases| u32::try_from(cases).ok()).unwrap_or(cases);
    let rng_seed = RngSeed::Fixed(number("STAMPEDE_SEED").unwrap_or(7));
    TestRunner::new(Config { cases, rng_seed, failure_persistence: None, ..Config::default() })
}

#[test]
fn bytes_that_are_nearly_requests_do_no_harm() {
    let server = server();
    let outcome = fuzz(300).run(&nearly(), |bytes| {
        let stream = connect(&server);
        (&stream).write_all(&bytes).expect("it is open");
        stream.shutdown(std::net::Shutdown::Write).expect("half of it");
        to_the_end(&stream);
        Ok(())
    });
    outcome.expect("no input fails");
    assert_well(&server);
}

/// Names of commands and words that mean something to them.
fn words() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let names = Line::alone(&Options { dialect: Dialect::Valkey, ..Options::default() })
        .call(&[b"COMMAND", b"LIST"])
        .expect("nobody else is here");
    let Reply::Array(names) = names else { panic!("a list") };
    let mut known: Vec<Vec<u8>> = names
        .into_iter()
        .filter_map(|name| if let Reply::Bulk(name) = name { Some(name) } else { None })
        // They end the server or the test.
        .filter(|name| !matches!(name.as_slice(), b"shutdown" | b"debug"))
        .collect();
    let options = "k h 0 1 -1 2 9223372036854775807 -9223372036854775808 1e4932 0.1 NX XX GT LT EX PX EXAT PXAT KEEPTTL GET \
                   IFEQ PERSIST MATCH COUNT TYPE REPLACE DB FILTERBY ID INFO LIST DOCS LOAD EXISTS ENCODING KEYSLOT * [a-\\";
    known.extend(options.split(' ').map(|word| word.as_bytes().to_vec()));
    known.extend(
        [&b""[..], b"\x00\xff", b"return redis.call(unpack(ARGV))", b"#!lua flags=no-writes\nreturn 1"]
            .map(<[u8]>::to_vec),
    );
    let word = prop_oneof![
        9 => proptest::sample::select(known),
        1 => proptest::collection::vec(any::<u8>(), 0..8),
    ];
    proptest::collection::vec(word, 1..7)
}

#[test]
fn no_words_harm_the_dispatcher() {
    for (dialect, cluster) in
        [(Dialect::Redis, false), (Dialect::Valkey, false), (Dialect::Redis, true), (Dialect::Valkey, true)]
    {
        let line = std::cell::RefCell::new(Line::alone(&Options { dialect, cluster, ..Options::default() }));
        let outcome = fuzz(3_000).run(&words(), |words| {
            let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
            line.borrow_mut().call(&words).expect("nobody else is here");
            Ok(())
        });
        outcome.expect("no input fails");
        line.borrow_mut().call(&[b"RESET"]).expect("nobody else is here");
        assert_eq!(line.borrow_mut().call(&[b"PING"]), Ok(Reply::Status("PONG")));
    }
}
