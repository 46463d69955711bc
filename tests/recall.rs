//! Cards on the screen, and what the app remembers of a learner.
#![cfg(feature = "app")]

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use stampede::clock::HandSet;
use stampede::drill::{Calendar, Limits, Standing, Store, question_of};
use stampede::tui::{App, Headless, Notebook, Opening, Sitting};
use support::screen::{app, picture, plain, run_of};

const DAY: Duration = Duration::from_hours(24);

/// Noon of some day.
fn noon() -> Arc<HandSet> {
    Arc::new(HandSet::at(DAY * 20_000 + Duration::from_hours(12)))
}

fn cards(only: &str) -> Opening {
    let limits = Limits { new: 60, ..Limits::default() };
    Opening::Cards(Sitting { only: Some(only.to_owned()), limits, ..Sitting::default() })
}

/// An app whose progress is kept in this folder, by this clock.
fn kept(folder: &Path, clock: &Arc<HandSet>, opening: Opening) -> App {
    let (store, told) = Store::open(folder, Calendar::default());
    App { notebook: Notebook::new(store, Arc::clone(clock) as _), told, ..app(opening) }
}

fn frame(app: &Headless) -> String {
    plain(&app.frame())
}

/// The kind of the card on the screen, as the pane's title has it.
fn kind(app: &Headless) -> String {
    let frame = frame(app);
    let title = frame.lines().find(|line| line.trim_start().starts_with('─')).unwrap_or_default();
    title.trim_start_matches([' ', '─']).split(" ─").next().unwrap_or_default().trim().to_owned()
}

/// Answers a card in some way, and grades it.
fn answer(app: &mut Headless) {
    app.press(if kind(app) == "recall" { "Enter" } else { "1" });
    for key in ["2", "3", "4", "5", "6", "Enter"] {
        if frame(app).contains("Enter: the next card") || frame(app).contains("how well?") {
            break;
        }
        app.press(key);
    }
    app.press(if frame(app).contains("how well?") { "3" } else { "Enter" });
}

#[test]
fn each_kind_of_card_at_three_sizes() {
    for (width, height) in [(60, 20), (80, 24), (120, 40)] {
        let mut app = Headless::start(app(cards("interview")), width, height);
        let mut seen = BTreeSet::new();
        for _ in 0..60 {
            let kind = kind(&app);
            if seen.insert(kind.clone()) {
                let name = format!("card-{}-{width}x{height}", kind.replace([' ', '?'], "-"));
                insta::assert_snapshot!(name, picture(&app.frame()));
            }
            answer(&mut app);
        }
        assert_eq!(seen.len(), 6, "{seen:?}");
    }
}

#[test]
fn an_answer_is_shown_graded_and_taken_back() {
    let mut app = Headless::start(app(cards("interview")), 80, 24);
    let question = frame(&app);
    assert!(question.contains("Say it aloud") && question.contains("0 asked"), "{question}");
    app.press("3");
    assert_eq!(app.progress().entries, 0, "what was not shown is not graded");
    app.press("Enter");
    let told = frame(&app);
    assert!(told.contains("how well?") && told.contains("10m"), "{told}");
    app.press("3");
    assert!(frame(&app).contains("1 asked"), "{}", frame(&app));
    app.press("u");
    assert!(frame(&app).contains("0 asked"), "{}", frame(&app));
    assert_eq!(frame(&app), question, "the same card is asked again");
    let graded = app.progress().cards.values().filter(|card| card.memory.is_some()).count();
    assert_eq!((graded, app.progress().entries), (0, 2));
}

#[test]
fn a_wrong_choice_is_told_and_comes_back() {
    let mut app = Headless::start(app(cards("interview")), 80, 24);
    while kind(&app) != "red flag?" {
        answer(&mut app);
    }
    app.press("1");
    let told = frame(&app);
    assert!(told.contains("not so") && told.contains("SET NX PX is one"), "{told}");
    let before = app.progress().entries;
    app.press("2");
    assert_eq!(app.progress().entries, before, "it was graded with the answer");
    app.press("Enter");
    assert!(!frame(&app).contains("SETNX, and then"), "{}", frame(&app));
}

#[test]
fn steps_are_put_in_order_and_one_can_be_taken_back() {
    let mut app = Headless::start(app(cards("interview")), 80, 24);
    while kind(&app) != "order the steps" {
        answer(&mut app);
    }
    let place = |app: &Headless, step: &str| {
        let frame = frame(app);
        let line = frame.lines().find(|line| line.contains(step)).map(str::to_owned);
        let line = line.unwrap_or_else(|| panic!("{step} is not in\n{frame}"));
        line.trim_start().chars().next().map(String::from).expect("a number stands before it")
    };
    app.press("6");
    app.press("Backspace");
    for step in [
        "SET lock token",
        "GET the value once",
        "query the database",
        "SET the value",
        "compare the token",
        "answer",
    ] {
        let number = place(&app, step);
        app.press(if number == "·" { "0" } else { &number });
    }
    assert!(frame(&app).contains("right"), "{}", frame(&app));
}

#[test]
fn certain_and_wrong_in_a_lesson_is_asked_the_next_day() {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let clock = noon();
    let mut lesson = Headless::start(kept(folder.path(), &clock, run_of(2, 0)), 80, 24);
    lesson.press("]");
    lesson.press("]");
    for key in ["1", "3"] {
        lesson.press(key);
    }
    lesson.play_out();
    let card = question_of("03-immortal-lock", "crash-between", 2);
    assert!(lesson.progress().cards.contains_key(&card), "{:?}", lesson.progress());
    drop(lesson);
    let asked = |clock: &Arc<HandSet>| {
        let mut app = Headless::start(kept(folder.path(), clock, Opening::Map), 80, 24);
        app.press("d");
        frame(&app)
    };
    assert!(!asked(&clock).contains("A is gone, and EXPIRE"), "not today");
    clock.advance(DAY);
    let tomorrow = asked(&clock);
    assert!(tomorrow.contains("A is gone, and EXPIRE") && tomorrow.contains("1 due"), "{tomorrow}");
}

#[test]
fn it_opens_where_the_learner_left() {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let clock = noon();
    let again = || Headless::start(kept(folder.path(), &clock, Opening::Resume), 80, 24);
    assert!(frame(&again()).contains("0 of 17 done"), "a new learner begins on the map");
    let mut first = Headless::start(kept(folder.path(), &clock, run_of(0, 0)), 80, 24);
    first.press("]");
    drop(first);
    let mut second = again();
    assert!(frame(&second).contains("here you left"), "{}", frame(&second));
    // To the end of the take, with every question answered.
    for _ in 0..12 {
        if second.asks() {
            second.press("2");
            if second.asks() {
                second.press("2");
            }
            second.play_out();
        } else {
            second.press("]");
        }
    }
    assert_eq!(second.progress().standing_of_take("01-herd", "no-guard"), Standing::Done);
    drop(second);
    let third = frame(&again());
    assert!(
        third.contains("lessons") && third.contains("▸ -  1"),
        "done: the map, at the first lesson that is not\n{third}"
    );
}

#[test]
fn two_apps_at_once_hear_of_each_other() {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let clock = noon();
    let start = || Headless::start(kept(folder.path(), &clock, cards("interview")), 80, 24);
    let (mut one, mut two) = (start(), start());
    answer(&mut one);
    assert_eq!(two.progress().entries, 0);
    let asked = frame(&two);
    two.hear();
    assert_eq!(two.progress(), one.progress());
    assert_ne!(frame(&two), asked, "what was answered there is not asked here");
    answer(&mut two);
    answer(&mut one);
    one.hear();
    two.hear();
    assert_eq!((one.progress(), one.progress().entries), (two.progress(), 3));
}

#[test]
fn the_next_lesson_comes_when_this_one_is_done() {
    let mut app = Headless::start(app(run_of(0, 0)), 80, 24);
    // Every question is passed over: seen, and not done.
    let watch = |app: &mut Headless, key: &str| {
        for _ in 0..40 {
            if app.asks() {
                app.press(key);
                app.press("2");
                app.play_out();
            } else {
                app.press("]");
            }
        }
    };
    let takes = ["no-guard", "warm-cache"];
    watch(&mut app, "s");
    app.press("Enter");
    watch(&mut app, "s");
    let stand = |app: &Headless| app.progress().standing("01-herd", takes);
    assert_eq!(stand(&app), Standing::Watched);
    app.press("n");
    let held = frame(&app);
    assert!(held.contains("not done yet") && held.contains("▸ o no guard"), "{held}");
    for _ in takes {
        app.press("Enter");
        watch(&mut app, "2");
        app.press("t");
        app.press("j");
    }
    app.press("Esc");
    assert_eq!(stand(&app), Standing::Done);
    assert!(frame(&app).contains("n next lesson"), "{}", frame(&app));
    app.press("n");
    assert!(frame(&app).contains("2/17  One winner"), "{}", frame(&app));
}
