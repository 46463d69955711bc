//! Every lesson tells the truth: its claims, its questions and its beats, on every server and many seeds; and the
//! same journal, byte for byte, whoever runs it.
#![cfg(feature = "app")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use stampede::judge::{self, Order, Verdict};
use stampede::lab::{Intervention, Journal, World};
use stampede::lesson::{Knobs, Lesson, Need, Shelf, lint};
use stampede::server::Server;
use stampede::tui::crowded;
use support::{servers, wire};

/// Seeds that every take runs with in process.
const SEEDS: std::ops::Range<u64> = 1..7;

/// Those of them that it also runs with on every other server: a command takes those thirty times as long.
const SAMPLE: u64 = 1;

/// The seed that the app opens with.
const DEFAULT: u64 = 7;

fn lessons() -> Vec<Arc<Lesson>> {
    let shelf = Shelf::open(None).unwrap_or_else(|error| panic!("the lessons that ship are well: {error}"));
    shelf.lessons.into_iter().map(Arc::new).collect()
}

/// The servers for takes that need this.
fn fleets() -> BTreeMap<Option<Need>, Vec<Server>> {
    let needs = [None, Some(Need::Cluster), Some(Need::CompareAndDelete)];
    needs.into_iter().map(|need| (need, support::servers_with(need))).collect()
}

fn embedded(servers: &[Server]) -> &Server {
    servers.iter().find(|server| server.identity().embedded).expect("one is always there")
}

fn run(lesson: &Arc<Lesson>, take: usize, seed: u64, server: &Server) -> Verdict {
    let order = Order::new(Arc::clone(lesson), take, seed);
    judge::run(order, wire(server), &AtomicBool::new(false))
        .expect("a private server has none of our keys and stays")
}

fn journal(verdict: &Verdict) -> String {
    verdict
        .journal
        .iter()
        .map(|event| serde_json::to_string(event).expect("events are plain data") + "\n")
        .collect()
}

#[test]
fn claims_hold_and_journals_repeat_on_every_server_and_seed() {
    let lessons = lessons();
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                // Servers of our own: two runs at once would meet each other's keys.
                let fleets = fleets();
                while let Some(lesson) = lessons.get(next.fetch_add(1, Ordering::Relaxed)) {
                    for take in 0..lesson.takes.len() {
                        holds_and_repeats(lesson, take, &fleets[&lesson.takes[take].needs]);
                    }
                }
            });
        }
    });
}

fn holds_and_repeats(lesson: &Arc<Lesson>, take: usize, servers: &[Server]) {
    for seed in SEEDS {
        let mut journals = Vec::new();
        for server in servers {
            let times = match (server.identity().embedded, seed) {
                (false, SAMPLE) => 1,
                (false, _) => 0,
                // Twice on one is enough: the others must say the same.
                (true, SAMPLE) => 2,
                (true, _) => 1,
            };
            for _ in 0..times {
                let verdict = run(lesson, take, seed, server);
                let place = format!("{} {} seed {seed} on {}", lesson.slug, verdict.take, server.identity());
                let broken: Vec<_> = verdict.claims.iter().filter(|claim| !claim.holds).collect();
                assert!(broken.is_empty(), "{place}: {broken:#?}");
                journals.push((place, journal(&verdict)));
            }
        }
        for pair in journals.windows(2) {
            let differ = pair[0].1.lines().zip(pair[1].1.lines()).find(|(a, b)| a != b);
            assert!(pair[0].1 == pair[1].1, "{} and {} differ: {differ:#?}", pair[0].0, pair[1].0);
        }
    }
}

/// The embedded server over its socket, which is how everybody else reaches it.
#[test]
fn a_connection_to_the_embedded_server_gives_the_same_journals() {
    let fleets = fleets();
    for lesson in lessons() {
        for take in 0..lesson.takes.len() {
            let server = embedded(&fleets[&lesson.takes[take].needs]);
            let order = Order::new(Arc::clone(&lesson), take, 7);
            let connected = judge::run(order, support::connected(server), &AtomicBool::new(false))
                .expect("nobody else uses the server");
            let in_process = run(&lesson, take, 7, server);
            assert!(journal(&connected) == journal(&in_process), "{} {take}", lesson.slug);
        }
    }
}

#[test]
fn a_journal_is_read_back_as_it_was_written() {
    let fleets = fleets();
    for lesson in lessons() {
        for take in 0..lesson.takes.len() {
            let server = embedded(&fleets[&lesson.takes[take].needs]);
            let mut written = Journal::default();
            written.append(run(&lesson, take, 7, server).journal);
            let mut bytes = Vec::new();
            written.write(&mut bytes).expect("memory takes everything");
            let read = Journal::read(bytes.as_slice()).expect("what was written is a journal");
            let mut again = Vec::new();
            read.write(&mut again).expect("memory takes everything");
            assert!(bytes == again, "{} {take}", lesson.slug);
        }
    }
}

#[test]
fn a_claim_that_does_not_hold_is_found() {
    let server = support::server();
    let mut lesson = (*lessons()[0]).clone();
    let knobs: Vec<String> = lesson.knobs.iter().map(|knob| knob.name.clone()).collect();
    for (text, when) in [
        ("db.hits == 1", stampede::lesson::ClaimTime::AtEnd),
        ("db.in_flight <= 3", stampede::lesson::ClaimTime::Always),
        ("lock.held", stampede::lesson::ClaimTime::Once),
    ] {
        let claim = &mut lesson.takes[0].claims[0];
        claim.expr = stampede::lesson::expr::parse(text, &knobs, 200).expect("these are expressions");
        claim.when = when;
        let verdict = run(&Arc::new(lesson.clone()), 0, 7, &server);
        assert!(!verdict.holds() && !verdict.claims[0].holds, "{text}");
        assert!(verdict.claims[1..].iter().all(|claim| claim.holds), "the others still hold");
    }
}

#[test]
fn a_beat_that_never_comes_is_found() {
    let server = support::server();
    let mut lesson = (*lessons()[0]).clone();
    lesson.takes[0].beats[0].until =
        stampede::lesson::expr::parse("lock.held", &[], 1).expect("an expression");
    let verdict = run(&Arc::new(lesson), 0, 7, &server);
    assert!(!verdict.holds());
}

#[test]
fn goals_can_be_reached_and_are_not_reached_already() {
    let server = support::server();
    for lesson in lessons() {
        for goal in &lesson.study.goals {
            for seed in [SAMPLE, DEFAULT] {
                let world = |knobs: &Knobs, schedule: &[Intervention]| {
                    let order = Order::new(Arc::clone(&lesson), goal.take, seed);
                    let order = Order { knobs: knobs.clone(), schedule: schedule.to_vec(), ..order };
                    let run = judge::run(order, wire(&server), &AtomicBool::new(false));
                    World::after(&run.expect("nobody else uses the server").journal)
                };
                let place = format!("{} seed {seed}: {}", lesson.slug, goal.text);
                assert!(!goal.when.holds(&world(&Knobs::new(), &[])), "reached as it is written: {place}");
                // What is typed is typed at a moment of one seed's run.
                let typed = goal.hand.iter().any(|one| matches!(one, Intervention::Act(_)));
                if !typed || seed == DEFAULT {
                    assert!(goal.when.holds(&world(&goal.by, &goal.hand)), "not reached: {place}");
                }
            }
        }
    }
}

#[test]
fn no_two_cards_have_one_id() {
    let mut seen = std::collections::BTreeSet::new();
    for lesson in lessons() {
        for card in &lesson.study.cards {
            assert!(seen.insert(card.id.clone()), "{} of {}", card.id, lesson.slug);
        }
    }
}

#[test]
fn no_key_is_left_behind() {
    for server in servers() {
        for lesson in lessons() {
            // Elsewhere than in process one of each lesson has to do.
            let takes = if server.identity().embedded { lesson.takes.len() } else { 1 };
            for take in (0..takes).filter(|take| lesson.takes[*take].needs.is_none()) {
                run(&lesson, take, 7, &server);
                let mut connection = server.connect().expect("the server stays");
                let size: u64 = redis::cmd("DBSIZE").query(&mut connection).expect("DBSIZE answers");
                assert_eq!(size, 0, "{} take {take} leaves keys behind", lesson.slug);
            }
        }
    }
}

#[test]
fn a_key_that_is_already_there_stops_the_run_untouched() {
    let server = support::server();
    let lesson = lessons().remove(1);
    let mut connection = server.connect().expect("the server answers");
    let () = redis::cmd("SET")
        .arg("lock:product:123")
        .arg("somebody's")
        .query(&mut connection)
        .expect("SET answers");
    let order = |prefix: &str| Order { prefix: prefix.to_owned(), ..Order::new(Arc::clone(&lesson), 0, 7) };
    let error = judge::run(order(""), wire(&server), &AtomicBool::new(false))
        .expect_err("the key is taken")
        .to_string();
    assert!(error.contains("lock:product:123"), "{error}");
    judge::run(order("try:"), wire(&server), &AtomicBool::new(false)).expect("under a prefix there is room");
    let kept: String = redis::cmd("GET").arg("lock:product:123").query(&mut connection).expect("GET answers");
    assert_eq!(kept, "somebody's");
}

#[test]
fn lessons_that_ship_pass_their_own_checker() {
    for lesson in lessons() {
        assert_eq!(lint(&lesson), Vec::<String>::new(), "{}", lesson.slug);
        assert_eq!(crowded(&lesson), Vec::<String>::new(), "{}", lesson.slug);
    }
}

#[test]
fn authors_find_every_name_in_the_readme() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons/README.md");
    let readme = std::fs::read_to_string(readme).expect("lessons/README.md is there");
    for (name, kind, meaning) in stampede::lesson::expr::vocabulary() {
        let row = format!("| `{name}` | {kind} | {meaning} |");
        assert!(readme.contains(&row), "missing in lessons/README.md:\n{row}");
    }
}
