//! What the requests of a process share in the lab, and what surrounds it: threads, loads, permits, tasks beside the
//! program, clocks, impatient clients, a slow Redis, a failover.
#![cfg(feature = "app")]

mod support;

use stampede::lab::{
    AppSetup, Event, Fact, Fault, Harm, Heard, LabTime, Member, Role, Setup, Span, Turn, WorkerId, World,
};
use support::{run, server, servers, setup};

const A: WorkerId = WorkerId(0);

/// Workers that all run one program.
fn many(program: &str, count: usize) -> Setup {
    Setup { cast: vec![Member::default(); count], ..setup(&[program]) }
}

fn notes(events: &[Event]) -> Vec<String> {
    let mut notes = Vec::new();
    for event in events {
        if let (Fact::Noted { text }, Some(worker)) = (&event.fact, event.worker) {
            notes.push(format!("{worker} {text}"));
        }
    }
    notes
}

fn errors(events: &[Event]) -> Vec<&str> {
    let error = |event: &Event| matches!(event.fact, Fact::Finished { error: Some(_) });
    let text = |event| match event {
        &Event { fact: Fact::Finished { error: Some(ref text) }, .. } => text.as_str(),
        _ => "",
    };
    events.iter().filter(|event| error(event)).map(text).collect()
}

fn fault(harm: Harm, when: &str) -> Fault {
    Fault { harm, when: when.parse().expect("a moment") }
}

#[test]
fn a_process_has_so_many_threads_and_the_others_wait_in_line() {
    let mut setup = many("sleep(100) return serve('v')", 5);
    setup.app = AppSetup { processes: 1, threads: Some(2) };
    let world = World::after(&run(setup, &server()));
    assert_eq!((world.threads.peak, world.threads.queue_peak, world.threads.held), (2, 3, 0));
    assert_eq!(world.outcomes.percentile(100), Some(Span::from_millis(300)), "the wait in line counts");
}

#[test]
fn each_process_has_threads_of_its_own() {
    let mut setup = many("sleep(100) return serve('v')", 4);
    setup.app = AppSetup { processes: 2, threads: Some(1) };
    for (process, member) in [0, 1, 0, 1].into_iter().zip(&mut setup.cast) {
        member.process = process;
    }
    let world = World::after(&run(setup, &server()));
    assert_eq!((world.threads.peak, world.threads.queue_peak), (2, 2));
}

#[test]
fn a_crash_frees_the_thread_and_an_observer_needs_none() {
    let mut setup = many("sleep(100) return serve('v')", 3);
    setup.app.threads = Some(1);
    setup.cast[2].role = Role::Observer;
    setup.faults = vec![fault(Harm::Crash(A), "at 50ms")];
    let events = run(setup, &server());
    let served = events.iter().find(|event| matches!(event.fact, Fact::Served { .. })).expect("someone");
    assert_eq!(served.worker, Some(WorkerId(2)), "it waited for nobody");
    let world = World::after(&events);
    assert_eq!(world.outcomes.percentile(100), Some(Span::from_millis(150)));
}

#[test]
fn a_client_that_left_is_an_answer_that_failed_and_its_thread_goes_to_others() {
    let mut setup = many("sleep(100) return serve('v')", 3);
    setup.app.threads = Some(1);
    setup.cast[1].patience = Some(Span::from_millis(30));
    setup.cast[0].patience = Some(Span::from_millis(200));
    let events = run(setup, &server());
    let left: Vec<_> = events.iter().filter(|event| event.fact == Fact::ClientLeft).collect();
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].worker, left[0].at), (Some(WorkerId(1)), LabTime::from_micros(30_000)));
    let world = World::after(&events);
    assert_eq!((world.outcomes.fresh, world.outcomes.failed), (2, 1));
    assert_eq!(world.now, LabTime::from_micros(200_000), "patience that is not needed keeps nobody");
}

#[test]
fn one_request_loads_for_all_of_its_process() {
    let program =
        "local v = singleflight(key, function() sleep(100) note('loads') return 'v' end) return serve(v)";
    let mut setup = many(program, 6);
    for (index, member) in setup.cast.iter_mut().enumerate() {
        member.process = u16::from(index >= 4);
    }
    let events = run(setup, &server());
    assert_eq!(notes(&events), ["A loads", "E loads"]);
    let world = World::after(&events);
    assert_eq!((world.outcomes.fresh, world.coalesced), (6, 4));
}

#[test]
fn followers_share_an_error_and_outlive_their_leader() {
    let failing = "singleflight(key, function() sleep(10) error({code = 'GONE', message = 'away'}) end)";
    let events = run(many(failing, 3), &server());
    assert_eq!(errors(&events), ["table", "GONE away", "GONE away"]);
    let program = "return serve(singleflight(key, function() note('loads') sleep(100) return 'v' end))";
    let mut setup = many(program, 3);
    setup.faults = vec![fault(Harm::Crash(A), "at 50ms")];
    let events = run(setup, &server());
    assert_eq!(notes(&events), ["A loads", "B loads"]);
    assert_eq!(World::after(&events).outcomes.fresh, 2);
}

#[test]
fn permits_bound_and_the_wait_for_one_is_bounded_too() {
    let program = "local ok = permit(2, 150, function() sleep(100) end) note(ok and 'had one' or 'had none')";
    let events = run(many(program, 6), &server());
    assert_eq!(
        notes(&events),
        ["A had one", "B had one", "E had none", "F had none", "C had one", "D had one"]
    );
    let mut setup = many(program, 4);
    setup.faults = vec![fault(Harm::Crash(A), "at 50ms")];
    let events = run(setup, &server());
    assert_eq!(notes(&events), ["B had one", "C had one", "D had one"], "a crash gives its permit back");
    let gives = "pcall(function() permit(1, 5, function() error('no') end) end)
                 note(permit(1, 0, function() end) and 'free' or 'taken')";
    assert_eq!(notes(&run(many(gives, 1), &server())), ["A free"], "so does an error");
}

#[test]
fn a_task_runs_beside_the_program_until_it_is_stopped() {
    let program = r#"
        send("SET", lock, "t", "NX", "PX", 300)
        local beats = 0
        local watchdog = background(function()
          while true do sleep(100) beats = beats + 1 send("PEXPIRE", lock, 300) end
        end)
        db.query("SELECT 1")
        watchdog.stop()
        note(beats)"#;
    for server in servers() {
        let mut setup = many(program, 1);
        setup.cast[0].fill = Some(Span::from_millis(1_050));
        let events = run(setup, &server);
        assert_eq!(notes(&events), ["A 10"]);
        let world = World::after(&events);
        assert_eq!(world.lock_tally.extended, 10);
        assert!(world.now < LabTime::from_micros(1_200_000), "nothing is left running");
    }
}

#[test]
fn a_task_that_nobody_stops_goes_on_and_its_error_is_the_workers() {
    let program =
        "background(function() for i = 1, 3 do sleep(100) note(i) end error('tired') end) serve('v')";
    let events = run(many(program, 1), &server());
    assert_eq!(notes(&events), ["A 1", "A 2", "A 3"]);
    assert_eq!(errors(&events), ["p1.lua:1: tired"]);
    let mut setup = many(program, 1);
    setup.ends = Some(LabTime::from_micros(150_000));
    assert_eq!(notes(&run(setup, &server())), ["A 1"], "but not beyond the end of the run");
}

#[test]
fn clocks_may_differ_and_lab_time_does_not() {
    let mut setup = many("note(now()) sleep(10)", 2);
    setup.cast[1].clock_ahead = Some(Span::from_secs(40));
    let events = run(setup, &server());
    assert_eq!(notes(&events), ["A 0", "B 40000"]);
    assert_eq!(events.last().map(|event| event.at), Some(LabTime::from_micros(10_000)));
}

#[test]
fn a_slow_redis_is_a_timeout_whose_command_runs_all_the_same() {
    let program = r#"
        local ok, problem = try_send("SET", key, "v", "EX", 300)
        note(ok or problem.code)
        sleep(1000)
        note(send("GET", key))"#;
    for trip in [300, 1_500] {
        for server in servers() {
            let mut setup = many(program, 1);
            setup.reply_timeout = Span::from_millis(200);
            let slow = Harm::RedisSlow(Span::from_millis(trip), Span::from_millis(900));
            setup.faults = vec![fault(slow, "at 0ms")];
            let events = run(setup, &server);
            assert_eq!(notes(&events), ["A TIMEOUT", "A v"], "round trip {trip} ms");
            let heard = |event: &Event| matches!(event.fact, Fact::Answered { heard: Heard::TimedOut, .. });
            let timed_out = events.iter().find(|event| heard(event)).expect("it gave up");
            assert_eq!(timed_out.at, LabTime::from_micros(200_000));
            let executed =
                events.iter().find(|event| matches!(event.fact, Fact::Executed { .. })).expect("it ran");
            assert_eq!(executed.at, LabTime::from_micros(trip * 500));
            assert!(World::after(&events).value().is_some());
        }
    }
}

#[test]
fn a_failover_loses_what_the_replica_had_not_heard_of() {
    let program = r#"
        send("SET", key, "v", "EX", 300)
        send("SET", lock, "t", "NX", "PX", 5000)
        sleep(100)
        local _, problem = try_send("GET", lock)
        note(problem.code)
        note(send("GET", lock) or "gone")
        note(send("GET", key))"#;
    for server in servers() {
        let mut setup = many(program, 1);
        setup.faults = vec![fault(Harm::Failover(vec!["lock:product:123".into()]), "at 50ms")];
        let events = run(setup, &server);
        assert_eq!(notes(&events), ["A DISCONNECTED", "A gone", "A v"]);
        assert!(World::after(&events).lock.current().is_none());
    }
}

#[test]
fn a_query_can_be_the_moment_of_a_crash_and_lose_its_answer() {
    let program = "db.query('SELECT 1') note('one') db.query('SELECT 2') note('two')";
    for (harm, when, expected) in [
        (Harm::Crash(A), "before QUERY 2", vec!["A one"]),
        (Harm::Crash(A), "after QUERY", vec![]),
        (Harm::LoseReply(A), "executed QUERY 2", vec!["A one"]),
    ] {
        let mut setup = many(program, 1);
        setup.faults = vec![fault(harm.clone(), when)];
        let events = run(setup, &server());
        assert_eq!(notes(&events), expected, "{when}");
        let lost = matches!(harm, Harm::LoseReply(_));
        assert_eq!(World::after(&events).database.in_flight, usize::from(lost), "who waits for it waits on");
    }
}

#[test]
fn fills_of_different_products_are_not_one_fill_too_many() {
    let mut setup = many("db.query('SELECT 1') send('SET', key, 'v', 'EX', 300)", 4);
    setup.keys.catalogue = vec!["product:1".into(), "product:2".into()];
    for (member, product) in setup.cast.iter_mut().zip([Some(0), Some(1), None, None]) {
        member.product = product;
    }
    setup.database.pool = 4;
    for server in servers() {
        let world = World::after(&run(setup.clone(), &server));
        assert_eq!(world.database.peak, 4);
        assert_eq!(world.rules.one_fill.len(), 1, "two of them were for the same key");
        assert_eq!(world.keys.len(), 3);
    }
}

#[test]
fn what_waits_is_written_down() {
    let mut setup = many("singleflight('x', function() sleep(5) return 'v' end)", 2);
    setup.app.threads = Some(2);
    let events = run(setup, &server());
    let waits = |event: &&Event| matches!(event.fact, Fact::Waits { on: Turn::Flight, leader: Some(A) });
    assert_eq!(events.iter().filter(waits).count(), 1);
}
