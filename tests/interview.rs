//! The mock interview in the app, and the picture of what was learned.
#![cfg(feature = "app")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use stampede::clock::HandSet;
use stampede::drill::{At, Calendar, Confidence, Did, Entry, Grade, Level, Store};
use stampede::tui::{App, Headless, Notebook, Opening};
use support::screen::{app, picture, plain};

const DAY: Duration = Duration::from_hours(24);

/// Noon of some day.
fn noon() -> Arc<HandSet> {
    Arc::new(HandSet::at(DAY * 20_000 + Duration::from_hours(12)))
}

/// An app whose clock is moved by hand; its progress is kept in memory.
fn timed(clock: &Arc<HandSet>, opening: Opening) -> App {
    let store = Store::forgetful(Calendar::default());
    App { notebook: Notebook::new(store, Arc::clone(clock) as _), ..app(opening) }
}

fn frame(app: &Headless) -> String {
    plain(&app.frame())
}

fn pass(app: &mut Headless, clock: &HandSet, seconds: u64) {
    clock.advance(Duration::from_secs(seconds));
    app.tick();
}

#[test]
fn the_clock_runs_while_an_answer_is_given_and_only_then() {
    let clock = noon();
    let mut app = Headless::start(timed(&clock, Opening::Interview(Some(Level::Senior))), 80, 24);
    pass(&mut app, &clock, 90);
    assert!(frame(&app).contains("Enter starts the clock: 20 seconds."), "{}", frame(&app));
    app.press("Enter");
    pass(&mut app, &clock, 7);
    let running = frame(&app);
    assert!(running.contains("▸ in 20 seconds   0:07") && !running.contains("over time"), "{running}");
    pass(&mut app, &clock, 18);
    let late = frame(&app);
    assert!(late.contains("0:25") && late.contains("over time"), "{late}");
    app.press("Enter");
    let given = frame(&app);
    assert!(given.contains("0:25") && given.contains("too long") && given.contains("1 minute"), "{given}");
    app.press("Enter");
    pass(&mut app, &clock, 60);
    app.press("Enter");
    let given = frame(&app);
    assert!(given.contains("1:00") && given.contains("in time"), "a minute may be used to its end\n{given}");
    pass(&mut app, &clock, 600);
    assert_eq!(frame(&app), given, "between two answers it stands still");
}

#[test]
fn red_flags_are_found_in_what_is_typed_and_every_key_is_text_meanwhile() {
    let mut app = Headless::start(app(Opening::Interview(Some(Level::Junior))), 80, 24);
    app.press("Enter");
    app.type_line("I query SETNX; d m p q I ? then DEL");
    for _ in 0..3 {
        app.press("Backspace");
    }
    app.type_line("del the lock");
    let typed = frame(&app);
    assert!(typed.contains("I query SETNX; d m p q I ? then del the lock"), "{typed}");
    app.press("Enter");
    let told = frame(&app);
    assert!(told.contains("red flag  “setnx”: SETNX and EXPIRE are two commands"), "{told}");
    assert!(told.contains("nothing is understood"), "{told}");
    for _ in 0..4 {
        app.press("Enter");
    }
    app.press("1");
    app.press("9");
    assert!(frame(&app).contains("1 of 1"), "there is one point: {}", frame(&app));
    app.press("Enter");
    let kept = &app.progress().interviews[0];
    assert_eq!((kept.points, kept.of, kept.flags), (1, 1, 2), "it is kept with each question");
}

#[test]
fn the_debrief_opens_the_lesson_of_each_miss_and_another_interview_asks_other_things() {
    let clock = noon();
    let mut app = Headless::start(timed(&clock, Opening::Map), 80, 24);
    app.press("I");
    assert!(frame(&app).contains("What are you interviewed for?"), "{}", frame(&app));
    app.press("j");
    app.press("Enter");
    let all_of_it = |app: &mut Headless| {
        let mut asked = Vec::new();
        while !frame(app).contains("debrief") {
            if frame(app).contains("starts the clock") {
                asked.push(frame(app).lines().nth(3).unwrap_or_default().trim().to_owned());
            }
            app.press("Enter");
        }
        asked.dedup();
        asked
    };
    let first = all_of_it(&mut app);
    let debrief = frame(&app);
    assert!(debrief.contains("0 of 16 points") && debrief.contains("look again"), "{debrief}");
    assert_eq!(app.progress().interviews.len(), 1);
    app.press("2");
    let lesson = frame(&app);
    assert!(lesson.contains("Whose lock is it?") && lesson.contains("I goes back"), "{lesson}");
    app.press("I");
    assert_eq!(frame(&app), debrief, "what else was missed is where it was");
    clock.advance(DAY);
    app.press("r");
    assert!(frame(&app).contains("▸ principal") && frame(&app).contains("last time 0 %"), "{}", frame(&app));
    app.press("Enter");
    let second = all_of_it(&mut app);
    assert_eq!(first[0], second[0], "the main question is asked each time");
    assert_ne!(first[1..], second[1..], "the others take turns");
    assert!(frame(&app).matches("principal   0 %").count() == 2, "{}", frame(&app));
}

#[test]
fn an_interview_that_is_left_goes_on_and_one_that_is_ended_keeps_what_was_answered() {
    let clock = noon();
    let mut app = Headless::start(timed(&clock, Opening::Interview(Some(Level::Junior))), 80, 24);
    app.press("Enter");
    app.type_line("half an");
    app.press("Esc");
    assert!(frame(&app).contains("0 of 17 done"), "{}", frame(&app));
    clock.advance(Duration::from_secs(5));
    app.press("I");
    assert!(frame(&app).contains("half an") && frame(&app).contains("0:05"), "{}", frame(&app));
    for _ in 0..6 {
        app.press("Enter");
    }
    assert!(frame(&app).contains("question 2 of 3"), "{}", frame(&app));
    app.press("x");
    assert!(frame(&app).contains("0 of 1 points"), "{}", frame(&app));
    let mut nothing = Headless::start(timed(&clock, Opening::Interview(Some(Level::Junior))), 80, 24);
    nothing.press("x");
    assert!(frame(&nothing).contains("nothing is kept"), "{}", frame(&nothing));
    assert_eq!(nothing.progress().entries, 0);
}

#[test]
fn each_stage_of_an_interview_at_three_sizes() {
    for (width, height) in [(60, 20), (80, 24), (120, 40)] {
        let clock = noon();
        let mut app = Headless::start(timed(&clock, Opening::Interview(None)), width, height);
        let shown = |app: &Headless, stage: &str| {
            insta::assert_snapshot!(format!("interview-{stage}-{width}x{height}"), picture(&app.frame()));
        };
        shown(&app, "level");
        app.press("Enter");
        shown(&app, "ready");
        app.press("Enter");
        app.type_line("SET lock token NX PX, then I just delete the lock when the value is stored");
        pass(&mut app, &clock, 23);
        shown(&app, "answering");
        app.press("Enter");
        shown(&app, "given");
        for _ in 0..4 {
            app.press("Enter");
        }
        app.press("1");
        app.press("3");
        shown(&app, "rubric");
        app.press("Enter");
        app.press("x");
        app.press("j");
        shown(&app, "debrief");
    }
}

/// A learner who has been at it for some weeks.
fn experienced(clock: &Arc<HandSet>) -> App {
    let mut store = Store::forgetful(Calendar::default());
    let at = |day: u64, minute: u64| At(((19_960 + day) * 24 * 60 + 12 * 60 + minute) * 60_000);
    let mut note = |at: At, did: Did| store.append(Entry { at, did }).expect("memory takes everything");
    for day in 0..40 {
        for minute in 0..4 {
            let grade = Grade::ALL[usize::try_from((day * 7 + minute * 3) % 4).expect("it is small")];
            note(at(day, minute), Did::Graded { card: format!("order-race-{}", (day + minute) % 9), grade });
        }
        let card =
            ["token-why", "reply-nx-taken", "order-race"][usize::try_from(day % 3).expect("it is small")];
        note(at(day, 9), Did::Graded { card: card.to_owned(), grade: Grade::Good });
    }
    let lesson = || "04-wrong-release".to_owned();
    for take in ["bare-del", "get-then-del"] {
        note(at(3, 20), Did::Watched { lesson: lesson(), take: take.to_owned(), answered: true });
    }
    let predicted = |right| Did::Predicted {
        lesson: lesson(),
        take: "bare-del".to_owned(),
        beat: 2,
        confidence: Confidence::ThinkSo,
        right,
    };
    note(at(3, 21), predicted(true));
    note(at(3, 22), predicted(false));
    note(at(3, 23), Did::Said { lesson: lesson(), points: 3, of: 4 });
    note(at(3, 24), Did::Repaired { lesson: lesson(), queries: 42, solution: Some(40) });
    note(at(3, 25), Did::Reached { lesson: lesson(), goal: 1 });
    for (day, points) in [(5, 6), (20, 9), (33, 13)] {
        note(
            at(day, 30),
            Did::Answered {
                interview: at(day, 30),
                level: Level::Senior,
                question: "main".to_owned(),
                points,
                of: 14,
                flags: u32::from(day < 10),
                missed: vec!["05-lock-ttl".to_owned()],
            },
        );
    }
    App { notebook: Notebook::new(store, Arc::clone(clock) as _), ..app(Opening::Map) }
}

#[test]
fn progress_is_a_picture_at_three_sizes() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut app = Headless::start(experienced(&noon()), width, height);
        app.press("p");
        insta::assert_snapshot!(format!("progress-{width}x{height}"), picture(&app.frame()));
    }
    let mut app = Headless::start(experienced(&noon()), 80, 24);
    for _ in 0..3 {
        app.press("j");
    }
    let map = frame(&app);
    assert!(map.contains("predicted 1/2, said 3/4,"), "{map}");
    assert!(map.contains("✓ goal: "), "{map}");
}

#[test]
fn the_wish_is_turned_where_its_picture_is() {
    let mut app = Headless::start(experienced(&noon()), 200, 60);
    app.press("p");
    for key in ["Right", "Right", "Left"] {
        app.press(key);
    }
    assert!(frame(&app).contains("wished for: 91 %"), "{}", frame(&app));
    app.press("Esc");
    assert!(!frame(&app).contains("wished for"), "{}", frame(&app));
}
