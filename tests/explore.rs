//! The judge that tries everything: what it finds is real, short, and the same each time.
#![cfg(feature = "app")]

mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stampede::judge::{Budget, Exploration, Lines, Order, explore};
use stampede::lab::{LabError, World};
use stampede::lesson::{Lesson, Shelf, Trial};
use stampede::server::Server;
use support::{connected, server, servers, wire};

fn lesson(number: usize) -> Lesson {
    Shelf::open(None).expect("the lessons are well").lessons[number - 1].clone()
}

fn order(lesson: Lesson, take: &str, program: Option<&str>) -> Order {
    let (take, _) = lesson.take(take).expect("a take");
    Order { repair: program.map(Into::into), ..Order::new(Arc::new(lesson), take, 7) }
}

fn lines(servers: &[Server]) -> Vec<Lines<'_>> {
    servers.iter().map(|server| Box::new(move || Ok(wire(server))) as Lines<'_>).collect()
}

fn explored(order: &Order, budget: Budget, servers: &[Server]) -> Exploration {
    explore(order, budget, &mut lines(servers), &AtomicBool::new(false), |_| {}).expect("the program starts")
}

const SMALL: Budget = Budget { schedules: 400, seeds: 5 };

/// Takes the lock, and gives it back only where it is still its own, by the client's own look.
const CHECKS_FIRST: &str = r#"
    local value = send("GET", key)
    if value then return serve(value) end
    local mine = token()
    while not send("SET", lock, mine, "NX", "PX", 30000) do sleep(50) end
    local row = db.query("SELECT * FROM product WHERE id = 123")
    send("SET", key, row.body, "EX", 300)
    if send("GET", lock) == mine then send("DEL", lock) end
    return serve(row.body)"#;

#[test]
fn what_only_a_pause_breaks_is_found_with_nothing_else_in_it() {
    let order = order(lesson(4), "compare-and-delete", Some(CHECKS_FIRST));
    let server = [server()];
    let found = explored(&order, Budget { schedules: 2_000, seeds: 3 }, &server);
    let counterexample = found.counterexample.as_ref().expect("the gap between GET and DEL is found");
    let schedule: Vec<String> = counterexample.order.schedule.iter().map(ToString::to_string).collect();
    assert!(
        matches!(&schedule[..], [one] if one.contains("pause") && one.contains("after GET 2")),
        "{schedule:?}"
    );
    assert_eq!(found.exhausted, Some(0), "nothing breaks it with nothing going wrong");
    // It plays back to a broken law, with the numbers it was told with.
    let setup = counterexample.order.setup();
    let world = World::after(&support::run(setup, &server[0]));
    assert!(world.lock_tally.of_others > 0, "{}", counterexample.breach.text);
}

#[test]
fn the_answer_does_not_depend_on_how_many_servers_work_on_it() {
    let order = order(lesson(4), "compare-and-delete", Some(CHECKS_FIRST));
    let tell = |servers: &[Server]| {
        let found = explored(&order, SMALL, servers);
        let schedule =
            found.counterexample.map(|found| (format!("{:?}", found.order.schedule), found.breach));
        (found.progress, found.exhausted, found.queries, schedule)
    };
    assert_eq!(tell(&[server()]), tell(&[server(), server(), server()]));
}

#[test]
fn every_server_gives_the_same_answer_over_its_socket() {
    let order = order(lesson(4), "bare-del", None);
    let reference = explored(&order, SMALL, &[server()]);
    for server in servers() {
        let mut line: Vec<Lines<'_>> = vec![Box::new(|| Ok(connected(&server)))];
        let found = explore(&order, SMALL, &mut line, &AtomicBool::new(false), |_| {}).unwrap();
        let breach = |found: &Exploration| found.counterexample.as_ref().map(|found| found.breach.clone());
        assert_eq!(breach(&found), breach(&reference), "{:?}", server.identity());
    }
}

#[test]
fn a_program_that_never_ends_or_fails_is_told_so() {
    let mut plain = lesson(4);
    plain.trial = Trial { workers: Some(2), ..Trial::default() };
    let breach = |program: &str| {
        let order = order(plain.clone(), "compare-and-delete", Some(program));
        explored(&order, SMALL, &[server()]).counterexample.map(|found| found.breach.text)
    };
    assert_eq!(breach("while true do sleep(10) end").as_deref(), Some("everybody comes to an end"));
    let failing = breach("local row = nil\nserve(row.body)").expect("it fails");
    assert!(failing.contains("without an error") && failing.contains("row"), "{failing}");
    assert_eq!(breach("serve('x')"), None, "no law says more");
}

#[test]
fn a_program_that_does_not_compile_is_an_error_with_its_line() {
    let order = order(lesson(4), "compare-and-delete", Some("local ok = 1\nif then"));
    let server = [server()];
    let found = explore(&order, SMALL, &mut lines(&server), &AtomicBool::new(false), |_| {});
    let told = found.err().map(|error| error.to_string()).expect("an error");
    assert!(told.contains("repair.lua") && told.contains('2'), "{told}");
}

#[test]
fn it_stops_when_told() {
    let order = order(lesson(4), "compare-and-delete", None);
    let server = [server()];
    let found = explore(&order, SMALL, &mut lines(&server), &AtomicBool::new(true), |_| {});
    assert!(matches!(found, Err(LabError::Interrupted)));
}

#[test]
fn more_of_the_budget_tries_more_and_says_how_far_it_came() {
    let order = order(lesson(4), "compare-and-delete", None);
    let tell = |schedules| {
        let found = explored(&order, Budget { schedules, seeds: 3 }, &[server(), server()]);
        (found.progress.tried, found.exhausted)
    };
    assert_eq!(tell(2), (2, None));
    assert_eq!(tell(3), (3, Some(0)));
    assert_eq!(tell(40), (40, Some(0)));
    let (tried, exhausted) = tell(1_000);
    assert_eq!((tried, exhausted), (1_000, Some(1)));
}
