//! What a learner does by hand, against every server that is installed: it is in the journal, and the journal gives it again.
#![cfg(feature = "app")]

mod support;

use std::sync::Arc;

use stampede::judge::{self, Order};
use stampede::lab::{
    Event, Fact, Intervention, Journal, Lab, LabTime, Lever, Phase, Setup, Span, Wire, WorkerId, World,
};
use stampede::lesson::{Lesson, Shelf};
use support::{run, server, servers, setup, wire};

const A: WorkerId = WorkerId(0);

/// Runs a setup, and pulls each lever as soon as the clock stands at its time.
fn run_with(setup: Setup, wire: Box<dyn Wire>, levers: &[(u64, &str)]) -> Vec<Event> {
    let mut lab = Lab::open(setup, wire).expect("the lab opens");
    for (millis, lever) in levers {
        let at = LabTime::START + Span::from_millis(*millis);
        while lab.next_at().is_some_and(|next| next <= at) {
            lab.tick().expect("the server stays");
        }
        lab.wait_until(at);
        lab.act(lever.parse().expect("a lever")).expect("the server stays");
    }
    while lab.tick().expect("the server stays") {}
    lab.journal().events().to_vec()
}

/// The same run again, from nothing but its journal.
fn again(mut setup: Setup, events: &[Event], wire: Box<dyn Wire>) -> Vec<Event> {
    setup.schedule = judge::acts(events.iter()).collect();
    let mut lab = Lab::open(setup, wire).expect("the lab opens");
    while lab.tick().expect("the server stays") {}
    lab.journal().events().to_vec()
}

const PATIENT: &str = r#"
    while not send("SET", lock, token(), "NX", "PX", 60000) do sleep(100) end
    note("in")
    send("DEL", lock)"#;

#[test]
fn a_learners_command_moves_the_world_on_and_replays_to_the_same_journal() {
    for server in servers() {
        let holder = r#"send("SETNX", lock, token()) sleep(1000)"#;
        let setup = setup(&[holder, PATIENT]);
        let events = run_with(
            setup.clone(),
            wire(&server),
            &[(2050, "> TTL lock:product:123"), (2070, "> DEL lock:product:123")],
        );
        let typed: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.fact {
                Fact::Typed { reply, effects } => Some((reply.as_integer(), effects.len())),
                _ => None,
            })
            .collect();
        assert_eq!(typed, [(Some(-1), 0), (Some(1), 1)], "it stood for ever, and is gone");
        let entered = events.iter().find(|event| matches!(&event.fact, Fact::Noted { text } if text == "in"));
        let entered = entered.expect("B gets in").at.as_micros();
        assert!((2_070_000..2_200_000).contains(&entered), "B gets in at its next try: {entered}");
        let world = World::after(&events);
        assert_eq!(world.lock_tally.of_others, 0, "the learner is no worker that steals");
        assert!(!world.touched_from_outside);
        assert!(again(setup, &events, wire(&server)) == events);
    }
}

#[test]
fn commands_that_name_no_key_are_seen_to_change_what_they_change() {
    for server in servers() {
        let setup = setup(&[r#"send("SET", key, "v", "EX", 300) sleep(1000) note(send("EXISTS", key))"#]);
        let events = run_with(setup.clone(), wire(&server), &[(500, "> FLUSHALL")]);
        let effects = events.iter().find_map(|event| match &event.fact {
            Fact::Typed { effects, .. } => Some(effects.len()),
            _ => None,
        });
        assert_eq!(effects, Some(1));
        assert!(events.iter().any(|event| matches!(&event.fact, Fact::Noted { text } if text == "0")));
        assert!(again(setup, &events, wire(&server)) == events);
    }
}

#[test]
fn each_harm_by_hand_does_what_it_says_and_replays() {
    let server = server();
    let program = r#"
        for n = 1, 30 do
          local reply, problem = try_send("SET", key, n)
          if problem then note(problem.code) end
          sleep(100)
        end
        db.query("SELECT 1 AS one")
        note("end")"#;
    let setup = setup(&[program]);
    for (lever, wanted) in [
        ("A crash", "crashed"),
        ("A drop", "DISCONNECTED"),
        ("A lose-reply", "TIMEOUT"),
        ("redis down 1s", "DISCONNECTED"),
        ("redis slow 1200ms for 1s", "TIMEOUT"),
        ("failover product:123", "DISCONNECTED"),
    ] {
        let events = run_with(setup.clone(), wire(&server), &[(1050, lever)]);
        let told = |event: &Event| match &event.fact {
            Fact::Crashed => wanted == "crashed",
            Fact::Noted { text } => text == wanted,
            _ => false,
        };
        assert!(events.iter().any(told), "{lever}");
        assert!(again(setup.clone(), &events, wire(&server)) == events, "{lever}");
    }
}

#[test]
fn a_slow_database_takes_its_multiple() {
    let server = server();
    let setup = setup(&[r#"sleep(100) db.query("SELECT 1 AS one")"#]);
    let takes = |events: Vec<Event>| {
        let found = events.into_iter().find_map(|event| match event.fact {
            Fact::QueryStarted { takes, .. } => Some(takes.as_micros()),
            _ => None,
        });
        found.expect("a query")
    };
    let usual = takes(run(setup.clone(), &server));
    assert_eq!(takes(run_with(setup, wire(&server), &[(50, "database slow 5 for 1s")])), 5 * usual);
}

#[test]
fn who_is_frozen_goes_on_when_let() {
    let server = server();
    let setup = setup(&[r#"sleep(1000) note("on")"#]);
    let when = |levers: &[(u64, &str)]| {
        let events = run_with(setup.clone(), wire(&server), levers);
        let on = events.iter().find(|event| matches!(event.fact, Fact::Noted { .. })).expect("it goes on").at;
        (on.as_micros() / 1000, World::after(&events).workers[A.index()].phase)
    };
    assert_eq!(when(&[(500, "A pause 10s")]), (10_500, Phase::Done));
    assert_eq!(when(&[(500, "A pause 10s"), (3000, "A thaw")]), (3000, Phase::Done));
    assert_eq!(when(&[(500, "A thaw")]), (1000, Phase::Done), "who does not stand still is not let go on");
}

#[test]
fn after_the_end_only_commands_do_anything() {
    let server = server();
    let setup = setup(&[r#"send("SET", key, "v")"#]);
    let mut lab = Lab::open(setup, wire(&server)).unwrap();
    while lab.tick().unwrap() {}
    lab.act("A crash".parse().unwrap()).unwrap();
    lab.act("> GET product:123".parse().unwrap()).unwrap();
    let after: Vec<_> = lab.journal().events().iter().skip_while(|event| event.fact != Fact::Ended).collect();
    assert!(matches!(after[..], [_, a, b, c]
        if matches!(a.fact, Fact::Acted { .. }) && matches!(b.fact, Fact::Acted { .. }) && matches!(c.fact, Fact::Typed { .. })));
    assert!(!lab.tick().unwrap());
}

#[test]
fn a_tie_decided_otherwise_is_another_run_and_the_same_each_time() {
    let server = server();
    let race = r#"if send("SETNX", lock, token()) == 1 then note("won") end"#;
    let winner = |schedule: &[&str]| {
        let mut setup = setup(&[race, race, race]);
        setup.schedule = schedule.iter().map(|text| text.parse::<Intervention>().unwrap()).collect();
        let events = run(setup, &server);
        let won = events.iter().find(|event| matches!(event.fact, Fact::Noted { .. }));
        won.and_then(|event| event.worker).expect("one wins")
    };
    let mut lab = Lab::open(setup(&[race, race, race]), wire(&server)).unwrap();
    while lab.tick().unwrap() {}
    // Three arrive at once, three commands are executed at once, three answers arrive at once.
    assert_eq!(lab.ties(), [3, 2, 3, 2, 3, 2]);
    drop(lab);
    assert_eq!(winner(&[]), A);
    assert_eq!(winner(&["tie 2 first 1"]), WorkerId(1));
    assert_eq!(winner(&["tie 2 first 2"]), WorkerId(2));
    assert_eq!(winner(&["tie 2 first 2"]), WorkerId(2));
    assert_eq!(winner(&["tie 0 first 1"]), WorkerId(1), "who arrives first is first at the server");
}

fn lesson(number: usize) -> Arc<Lesson> {
    Arc::new(Shelf::open(None).expect("the lessons are well").lessons[number - 1].clone())
}

#[test]
fn an_order_comes_back_from_the_journal_of_its_run() {
    let server = server();
    let lesson = lesson(4);
    let order = Order {
        knobs: [("px".to_owned(), 5200)].into(),
        schedule: vec![
            "A pause 1s after GET".parse().unwrap(),
            "5 at 1500ms: > DEL lock:product:123".parse().unwrap(),
        ],
        workers: Some(3),
        repair: Some("send('GET', key) sleep(2000) serve('x')".into()),
        prefix: "mine:".to_owned(),
        ..Order::new(Arc::clone(&lesson), 3, 9)
    };
    let mut lab = Lab::open(order.setup(), wire(&server)).unwrap();
    while lab.tick().unwrap() {}
    let mut text = Vec::new();
    lab.journal().write(&mut text).unwrap();
    drop(lab);
    let journal = Journal::read(&text[..]).unwrap();
    let found = judge::replay(&journal, &[lesson]).unwrap();
    assert_eq!(found.setup().cast.len(), 3);
    let mut lab = Lab::open(found.setup(), wire(&server)).unwrap();
    while lab.tick().unwrap() {}
    assert!(lab.journal().events() == journal.events(), "the same run from nothing but its journal");
    let levers = judge::acts(journal.events().iter())
        .filter(|one| matches!(one, Intervention::Act(act) if matches!(act.lever, Lever::Type(_))));
    assert_eq!(levers.count(), 1);
}
