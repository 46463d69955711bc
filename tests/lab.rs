//! The lab's promises, against every server that is installed.
#![cfg(feature = "app")]

mod support;

use stampede::lab::{Event, Fact, Fault, Harm, Heard, LabTime, Quality, Reply, Span, WorkerId, World};
use support::{run, server, servers, setup};

const A: WorkerId = WorkerId(0);

fn notes(events: &[Event]) -> Vec<&str> {
    let mut notes = Vec::new();
    for event in events {
        if let Fact::Noted { text } = &event.fact {
            notes.push(text.as_str());
        }
    }
    notes
}

fn error(events: &[Event]) -> String {
    let found = events.iter().find_map(|event| match &event.fact {
        Fact::Finished { error } => error.clone(),
        _ => None,
    });
    found.expect("a worker ends with an error")
}

fn fault(harm: Harm, when: &str) -> Fault {
    Fault { harm, when: when.parse().expect("a moment") }
}

#[test]
fn a_command_is_three_events_half_a_round_trip_apart() {
    for server in servers() {
        let events = run(setup(&[r#"send("SET", key, "v", "EX", 300)"#]), &server);
        let at = |wanted: fn(&Fact) -> bool| {
            events.iter().find(|event| wanted(&event.fact)).unwrap().at.as_micros()
        };
        assert_eq!(at(|fact| matches!(fact, Fact::Sent { .. })), 0);
        assert_eq!(at(|fact| matches!(fact, Fact::Executed { .. })), 500);
        assert_eq!(at(|fact| matches!(fact, Fact::Answered { .. })), 1000);
        let world = World::after(&events);
        let deadline = world.value().unwrap().deadline.unwrap();
        assert_eq!(deadline, LabTime::from_micros(300_000_500), "snapped to the number in the command");
    }
}

#[test]
fn keys_end_in_lab_time_and_countdowns_read_exact() {
    for server in servers() {
        let program = r#"
            send("SET", lock, "t", "NX", "PX", 5000)
            sleep(3000)
            note(send("PTTL", lock)); note(send("TTL", lock))
            sleep(1996)
            note(send("EXISTS", lock)); sleep(1); note(send("EXISTS", lock))
            send("SETNX", lock, "t"); sleep(3600000)
            note(send("TTL", lock)); note(send("EVAL", script, 1, lock))"#;
        let mut setup = setup(&[program]);
        let script = "return redis.call('pttl', KEYS[1])".to_owned();
        setup.globals.insert("script".to_owned(), stampede::lab::Global::Text(script));
        let events = run(setup, &server);
        assert_eq!(notes(&events), ["1999", "2", "1", "0", "-1", "-1"]);
    }
}

#[test]
fn replies_arrive_as_lua_values() {
    let server = server();
    let program = r#"
        note(send("GET", key) == nil)
        note(send("SET", key, "v"))
        note(type(send("STRLEN", key)))
        local all = send("MGET", key, lock)
        note(all[1]); note(all[2] == false)
        local reply, problem = try_send("INCR", key)
        note(reply == nil); note(problem.code)"#;
    let events = run(setup(&[program]), &server);
    assert_eq!(notes(&events), ["true", "OK", "number", "v", "true", "true", "ERR"]);
}

#[test]
fn pcall_survives_waiting_and_keeps_error_tables() {
    let server = server();
    let program = r#"
        local ok, problem = pcall(function()
            send("SET", key, "v")
            sleep(5)
            pcall(function() sleep(1); error({ deep = true }) end)
            send("INCR", key)
        end)
        note(ok); note(problem.code); note(now())
        local _, mine = pcall(error, { code = "MINE" })
        note(mine.code)"#;
    let events = run(setup(&[program]), &server);
    assert_eq!(notes(&events), ["false", "ERR", "8", "MINE"]);
}

#[test]
fn the_sandbox_has_no_way_out_and_says_so() {
    let server = server();
    for name in
        ["os", "io", "require", "debug", "coroutine", "loadstring", "load", "getfenv", "dofile", "rawset"]
    {
        let events = run(setup(&[&format!("local x = {name}")]), &server);
        assert!(error(&events).contains(&format!("`{name}` is not defined")), "{name}: {}", error(&events));
    }
    let events = run(
        setup(&[
            "note(math.random == nil and string.find == nil and ('x').gsub == nil and math.floor(1.5) == 1)",
        ]),
        &server,
    );
    assert_eq!(notes(&events), ["true"]);
    let events = run(setup(&["math.mine = 1", "sleep(1) note(math.mine == nil)"]), &server);
    assert!(error(&events).contains("`mine` cannot be changed here"), "{}", error(&events));
    assert_eq!(notes(&events), ["true"], "workers share nothing");
    for (program, complaint) in [
        (r#"send("FLUSHALL")"#, "not a command that workers may send"),
        (r#"send("MULTI")"#, "change or block the connection"),
        (r#"send("GET", "someone:else")"#, "not one of this lesson's keys"),
        (r#"send("GET", {})"#, "expected a string or a number"),
        ("for k in pairs({ [{}] = 1 }) do end", "has no order"),
        (r#"db.query("DELETE FROM product")"#, "only reads"),
        ("note(tostring({}) .. tostring(print)); sleep(-1)", "milliseconds from 0 up"),
    ] {
        let events = run(setup(&[program]), &server);
        assert!(error(&events).contains(complaint), "{program}: {}", error(&events));
    }
}

#[test]
fn a_worker_that_never_waits_is_stopped_at_its_line() {
    let server = server();
    for program in [
        "local n = 0\nwhile true do\nn = n + 1 end",
        "\nwhile true do pcall(function() local x = 1 end) end",
        "while true do pcall(function() while true do end end) end",
        "local function f(n) if n > 0 then for i = 1, 100 do pcall(f, n - 1) end end end f(6)",
        "while true do local s = ('x'):rep(4000) end",
    ] {
        let events = run(setup(&[program]), &server);
        let error = error(&events);
        assert!(error.contains("without waiting") && error.contains("line "), "{error}");
    }
}

#[test]
fn a_run_without_end_is_ended() {
    let server = server();
    let mut lab = stampede::lab::Lab::open(setup(&["while true do\nsleep(0) end"]), support::wire(&server))
        .expect("it opens");
    let error = loop {
        match lab.tick() {
            Ok(more) => assert!(more, "this program never ends"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("goes on and on") && error.contains("A ") && error.contains("line 2"), "{error}");
}

#[test]
fn a_query_without_end_fails() {
    let server = server();
    let endless = r#"
        local ok, problem = pcall(db.query,
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c")
        note(problem.code)"#;
    assert_eq!(notes(&run(setup(&[endless]), &server)), ["DATABASE"]);
}

#[test]
fn faults_reach_only_whom_they_can() {
    let server = server();
    let with = |faults: Vec<Fault>| {
        let mut setup = setup(&[r#"send("GET", key) sleep(10) serve("v")"#]);
        setup.cast[0].arrives = LabTime::from_micros(5_000);
        setup.faults = faults;
        World::after(&run(setup, &server))
    };
    let crashed =
        with(vec![fault(Harm::Crash(A), "at 1ms"), fault(Harm::Pause(A, Span::from_secs(1)), "at 2ms")]);
    assert_eq!(crashed.workers[0].phase, stampede::lab::Phase::Crashed, "the dead neither arrive nor pause");
    let twice = with(vec![
        fault(Harm::Pause(A, Span::from_secs(2)), "at 1ms"),
        fault(Harm::Pause(A, Span::from_secs(1)), "at 7ms"),
    ]);
    assert_eq!(
        twice.workers[0].served.map(|(at, _)| at),
        Some(LabTime::from_micros(2_012_000)),
        "the longer pause counts"
    );
    let lost = with(vec![fault(Harm::LoseReply(A), "at 5700us")]);
    assert_eq!(lost.outcomes.failed, 1, "between executed and answered the reply can still be lost");
}

#[test]
fn each_worker_knows_the_line_it_stands_on() {
    let server = server();
    let events =
        run(setup(&["\nsend(\"GET\", key)\n\nsleep(\n  5)\npcall(function()\n sleep(1) end)"]), &server);
    let line = |wanted: fn(&Fact) -> bool| events.iter().find(|event| wanted(&event.fact)).unwrap().line;
    assert_eq!(line(|fact| matches!(fact, Fact::Sent { .. })), Some(2));
    let slept: Vec<_> =
        events.iter().filter(|e| matches!(e.fact, Fact::Slept { .. })).map(|e| e.line).collect();
    assert_eq!(slept, [Some(4), Some(7)]);
}

#[test]
fn a_crash_falls_before_between_or_after() {
    for server in servers() {
        let crashed = |when| {
            let mut setup = setup(&[r#"send("SETNX", lock, token()) send("EXPIRE", lock, 30)"#]);
            setup.faults = vec![fault(Harm::Crash(A), when)];
            World::after(&run(setup, &server))
        };
        assert!(crashed("before SETNX").lock.lives.is_empty(), "nothing was sent");
        for when in ["executed SETNX", "after SETNX", "before EXPIRE"] {
            assert!(crashed(when).lock.is_immortal(), "{when}");
        }
        assert!(!crashed("after EXPIRE").lock.is_immortal());
    }
}

#[test]
fn a_lost_reply_is_a_timeout_and_the_command_ran() {
    for server in servers() {
        let mut setup = setup(&[r#"
            local _, problem = try_send("SET", lock, "t", "NX", "PX", px)
            note(problem.code); note(now()); note(send("GET", lock))"#]);
        setup.faults = vec![fault(Harm::LoseReply(A), "executed SET")];
        let events = run(setup, &server);
        assert_eq!(notes(&events), ["TIMEOUT", "500", "t"]);
        assert!(
            events.iter().any(|event| matches!(event.fact, Fact::Answered { heard: Heard::TimedOut, .. }))
        );
    }
}

#[test]
fn a_dropped_connection_raises_once_and_then_a_new_one_serves() {
    let server = server();
    for (when, ran) in [("before SET", "nil"), ("executed SET", "v"), ("after GET", "nil")] {
        let mut setup = setup(&[r#"
            send("GET", key)
            local _, problem = try_send("SET", key, "v")
            note(problem.code); note(tostring(send("GET", key)))"#]);
        setup.faults = vec![fault(Harm::DropConnection(A), when)];
        assert_eq!(notes(&run(setup, &server)), ["DISCONNECTED", ran], "{when}");
    }
}

#[test]
fn a_paused_worker_stands_still_and_hears_later() {
    let server = server();
    let mut setup = setup(&[r#"send("GET", key) note(now())"#]);
    setup.faults = vec![fault(Harm::Pause(A, Span::from_secs(8)), "after GET")];
    assert_eq!(notes(&run(setup, &server)), ["8001"]);
}

#[test]
fn the_pool_queues_and_failures_follow_the_schedule() {
    let server = server();
    let program = r#"
        local ok, row = pcall(db.query, "SELECT body, version FROM product WHERE id = ?", 123)
        if ok then serve(row.body .. row.version) else fail(row.code) end"#;
    let mut setup = setup(&[program; 3]);
    for member in &mut setup.cast {
        member.fill = Some(Span::from_millis(100));
    }
    setup.faults = vec![fault(Harm::DatabaseFails(Span::from_millis(50)), "at 80ms")];
    let world = World::after(&run(setup, &server));
    assert_eq!((world.database.hits, world.database.peak, world.database.queue_peak), (3, 2, 1));
    assert_eq!(
        (world.outcomes.fresh, world.outcomes.failed),
        (2, 1),
        "the queued one starts during the outage"
    );
    assert_eq!(world.now, LabTime::from_micros(200_000));
}

#[test]
fn the_first_answer_counts_and_an_uncaught_error_is_a_failed_one() {
    let server = server();
    let world =
        World::after(&run(setup(&["stale('s') serve('f')", "error('boom')", "local x = 1"]), &server));
    assert_eq!(world.workers[0].served.unwrap().1, Quality::Stale);
    assert_eq!((world.outcomes.stale, world.outcomes.failed, world.outcomes.unanswered), (1, 1, 1));
    assert!(world.workers[1].error.as_deref().unwrap().contains("boom"));
}

#[test]
fn error_texts_stay_out_of_the_journal() {
    let journals: Vec<String> = servers()
        .iter()
        .map(|server| {
            let events = run(setup(&[r#"send("SET", key, "v") try_send("INCR", key)"#]), server);
            let error = events
                .iter()
                .any(|event| matches!(&event.fact, Fact::Executed { reply: Reply::Error { .. }, .. }));
            assert!(error, "INCR of a word is an error");
            events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect()
        })
        .collect();
    assert!(journals.windows(2).all(|pair| pair[0] == pair[1]), "{journals:#?}");
    assert!(journals.iter().all(|journal| !journal.contains("integer or out of range")));
}

/// A lab stopped where its worker holds the lock, and a connection of somebody else.
fn holding(server: &stampede::server::Server, px: &str) -> (stampede::lab::Lab, redis::Connection) {
    let program = format!(
        r#"send("SET", lock, "mine", "NX", "PX", {px}) sleep(100) note(tostring(send("GET", lock)))"#
    );
    let mut lab = stampede::lab::Lab::open(setup(&[&program]), support::wire(server)).expect("the lab opens");
    while World::after(lab.journal().events()).lock.current().is_none() {
        assert!(lab.tick().expect("the server stays"), "the worker takes the lock");
    }
    lab.hold().expect("the server stays");
    (lab, server.connect().expect("the server answers"))
}

fn finish(mut lab: stampede::lab::Lab) -> Vec<Event> {
    while lab.tick().expect("the server stays") {}
    lab.journal().events().to_vec()
}

#[test]
fn what_somebody_outside_does_is_noticed_and_the_run_goes_on_with_it() {
    for server in servers() {
        for (command, left) in [
            ("DEL lock:product:123", "nil"),
            ("SET lock:product:123 other", "other"),
            ("PERSIST lock:product:123", "mine"),
        ] {
            let (mut lab, mut outside) = holding(&server, "5000");
            let mut words = command.split(' ');
            let mut cmd = redis::cmd(words.next().expect("a command"));
            let () = words.fold(&mut cmd, |cmd, word| cmd.arg(word)).query(&mut outside).expect("it answers");
            lab.hold().expect("the server stays");
            let world = World::after(lab.journal().events());
            assert!(world.touched_from_outside && !lab.journal().is_reproducible(), "{command}");
            assert_eq!(world.lock.is_immortal(), !command.starts_with("DEL"), "{command}");
            assert_eq!(notes(&finish(lab)), [left], "{command}");
        }
    }
}

#[test]
fn what_somebody_else_put_in_a_key_is_left_to_them() {
    let server = server();
    for (value, left) in [("mine", None), ("theirs", Some("theirs".to_owned()))] {
        let (lab, mut outside) = holding(&server, "5000");
        let () =
            redis::cmd("SET").arg("lock:product:123").arg(value).query(&mut outside).expect("it answers");
        drop(lab);
        let found: Option<String> =
            redis::cmd("GET").arg("lock:product:123").query(&mut outside).expect("it answers");
        assert_eq!(found, left);
    }
}

#[test]
fn a_deadline_set_from_outside_counts_from_there() {
    let server = server();
    let (mut lab, mut outside) = holding(&server, "5000");
    let () =
        redis::cmd("PEXPIRE").arg("lock:product:123").arg(60_000).query(&mut outside).expect("it answers");
    lab.hold().expect("the server stays");
    let world = World::after(lab.journal().events());
    let left =
        world.lock.current().and_then(stampede::lab::Life::deadline).expect("a deadline").since(lab.now());
    assert!(left > Span::from_secs(59) && left <= Span::from_secs(60), "{left}");
}

#[test]
fn a_key_that_ran_out_while_we_were_stopped_is_put_back() {
    for server in servers() {
        let (mut lab, mut outside) = holding(&server, "300");
        let gone = |outside: &mut redis::Connection| {
            let exists: i64 =
                redis::cmd("EXISTS").arg("lock:product:123").query(outside).expect("it answers");
            exists == 0
        };
        while !gone(&mut outside) {
            std::thread::yield_now();
        }
        lab.hold().expect("the server stays");
        assert!(!gone(&mut outside), "it is back");
        let events = finish(lab);
        assert!(events.iter().any(|event| matches!(event.fact, Fact::PutBack { .. })));
        assert_eq!(notes(&events), ["mine"], "and the worker never knew");
    }
}

/// Until a commit's query ends, everybody reads what was there before, and the world knows from when on a value is old.
#[test]
fn a_commit_takes_effect_when_it_ends() {
    for server in servers() {
        let write = r#"
            sleep(10)
            db.commit("UPDATE product SET body = 'roaster', version = 12 WHERE id = 123")
            note("committed")"#;
        let read = r#"
            sleep(20)
            local row = db.query("SELECT * FROM product WHERE id = 123")
            send("SET", key, row.body, "EX", 300)
            note(row.version)
            serve(row.body)
            note(db.query("SELECT * FROM product WHERE id = 123").version)
            local ok, problem = pcall(db.query, "DELETE FROM product")
            note(tostring(problem))"#;
        let mut setup = setup(&[write, read]);
        setup.database.truth = Some("SELECT body FROM product WHERE id = 123".to_owned());
        for (member, fill) in setup.cast.iter_mut().zip([50, 100]) {
            member.fill = Some(Span::from_millis(fill));
        }
        let events = run(setup, &server);
        let expected = ["committed", "11", "12", "DATABASE the database says: db.query only reads"];
        assert_eq!(notes(&events), expected);
        let world = World::after(&events);
        assert!(world.is_outdated(), "version 11 was stored after version 12 was committed");
        assert_eq!((world.outcomes.outdated, world.outcomes.fresh), (1, 1));
        assert_eq!((world.database.commits, world.database.hits), (1, 3));
    }
}
