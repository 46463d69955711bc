//! The learner's hands on the screen: a command, a fault, a fork, a repair.
#![cfg(feature = "app")]

mod support;

use std::path::PathBuf;

use stampede::lab::Phase;
use stampede::tui::Headless;
use support::screen::{app, at, picture, plain, run_of};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// Lesson 3, where A has died between SETNX and EXPIRE.
fn at_the_immortal_lock(width: u16, height: u16) -> Headless {
    let mut app = at(2, 0, width, height);
    while !app.world().is_some_and(|world| world.lock.is_immortal() && world.crashes > 0) {
        app.press(if app.asks() { "s" } else { "]" });
    }
    app
}

#[test]
fn a_typed_del_frees_the_immortal_lock_and_the_herd_comes_back() {
    for (width, height) in SIZES {
        let mut app = at_the_immortal_lock(width, height);
        app.press(";");
        app.type_line("ttl l");
        app.press("Tab");
        app.press("Enter");
        app.type_line("DEL lock:product:123");
        if (width, height) == SIZES[0] {
            insta::assert_snapshot!("typing-80x24", picture(&app.frame()));
        }
        app.press("Enter");
        assert!(app.world().is_some_and(|world| world.lock.current().is_none()));
        insta::assert_snapshot!(format!("prompt-{width}x{height}"), picture(&app.frame()));
        app.press("Esc");
        let before = app.world().map(|world| world.database.hits);
        for _ in 0..3 {
            app.press(if app.asks() { "s" } else { "]" });
        }
        assert!(app.world().map(|world| world.database.hits) > before, "somebody fills again");
    }
}

#[test]
fn the_prompt_helps_refuses_and_remembers() {
    let mut app = at(3, 0, 120, 40);
    app.press("]");
    let place = app.place();
    app.press(";");
    for (line, told) in [
        ("help setnx", "SETNX key value"),
        ("shutdown", "would take this server away"),
        ("MULTI", "would change or block the connection"),
        ("GET \"x", "a quote is not closed"),
    ] {
        app.press("C-u");
        app.type_line(line);
        app.press("Enter");
        let shown = plain(&app.frame());
        assert!(shown.contains(told), "{line}:\n{shown}");
    }
    app.press("C-u");
    for _ in 0..2 {
        app.press("Up");
    }
    assert!(plain(&app.frame()).contains("redis> MULTI"));
    assert_eq!(app.place(), place, "none of this was sent");
}

#[test]
fn nothing_is_done_to_the_past() {
    let mut app = at(3, 0, 80, 24);
    app.press("]");
    app.press("Left");
    let place = app.place();
    for key in [";", "!"] {
        app.press(key);
        assert!(plain(&app.frame()).contains("this is the past: End goes to now"), "{key}");
    }
    assert_eq!(app.place(), place);
}

#[test]
fn a_worker_dies_by_hand_and_the_line_says_how_to_have_it_again() {
    for (width, height) in SIZES {
        let mut app = at(3, 0, width, height);
        app.press("]");
        app.press("!");
        insta::assert_snapshot!(format!("levers-{width}x{height}"), picture(&app.frame()));
        app.press("Enter");
        let crashed = |app: &Headless| {
            app.world().map(|world| world.workers.iter().filter(|seen| seen.phase == Phase::Crashed).count())
        };
        assert_eq!(crashed(&app), Some(1));
        app.press("y");
        let line = app.copied().expect("a line is copied").to_owned();
        assert!(line.contains("--with '") && line.contains(" crash'") && line.contains("--step "), "{line}");
    }
}

#[test]
fn a_fork_goes_on_otherwise_and_the_old_run_can_be_had_back() {
    let mut app = at(3, 0, 80, 24);
    app.press("]");
    app.press("!");
    app.press("Enter");
    for _ in 0..2 {
        app.press(if app.asks() { "s" } else { "]" });
    }
    let (_, newest, events) = app.place().unwrap();
    for _ in 0..5 {
        app.press("Left");
    }
    let step = app.place().unwrap().0;
    let shown = plain(&app.frame());
    app.press("f");
    assert_eq!(app.place().map(|place| (place.0, place.1)), Some((step, step)));
    assert_eq!(app.world().map(|world| world.crashes), Some(1), "what was done by hand before is done again");
    let lanes = |shown: &str| shown.lines().skip(1).take(9).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lanes(&plain(&app.frame()))[1..], lanes(&shown)[1..], "the same up to here");
    app.press("L");
    insta::assert_snapshot!("runs-80x24", picture(&app.frame()));
    app.press("C");
    insta::assert_snapshot!("runs-compared-80x24", picture(&app.frame()));
    app.press("Esc");
    app.press("L");
    app.press("Enter");
    assert_eq!(app.place(), Some((newest, newest, events)), "the old run, as far as it was");
}

/// The exercise of lesson 4 at a workbench whose files are in a folder of the test's own.
fn workbench(name: &str, width: u16, height: u16) -> Headless {
    let state = PathBuf::from("target/frames").join(name);
    // Whatever an earlier run of this test has left.
    let _ = std::fs::remove_dir_all(&state);
    let mut app = app(run_of(3, 0));
    app.state = state;
    let mut app = Headless::start(app, width, height);
    app.press("E");
    app
}

#[test]
fn a_repair_is_judged_helped_and_played_back() {
    for (width, height) in SIZES {
        let mut app = workbench(&format!("repair-{width}"), width, height);
        insta::assert_snapshot!(format!("repair-{width}x{height}"), picture(&app.frame()));
        app.press("c");
        app.press("i");
        insta::assert_snapshot!(format!("repair-broken-{width}x{height}"), picture(&app.frame()));
        app.press("Enter");
        insta::assert_snapshot!(format!("repair-played-{width}x{height}"), picture(&app.frame()));
        assert!(plain(&app.frame()).contains("BROKEN"));
        assert!(
            app.place().is_some_and(|(cursor, newest, _)| cursor == newest),
            "it is live, to be gone on with"
        );
    }
}

#[test]
fn what_another_editor_saves_is_noticed_and_a_mistake_is_told_beside_its_line() {
    let mut app = workbench("editor", 80, 24);
    let path = app.program().expect("a program").to_owned();
    std::fs::write(&path, "local x = 1\nif x then\nserve(\n").unwrap();
    app.look();
    let shown = plain(&app.frame());
    insta::assert_snapshot!("repair-mistake-80x24", picture(&app.frame()));
    assert!(shown.contains("^ "), "{shown}");
    app.press("c");
    assert!(!plain(&app.frame()).contains("BROKEN"), "what does not compile is not judged");
}

#[test]
fn the_solution_opens_after_two_honest_tries_and_survives() {
    let mut app = workbench("solution", 120, 40);
    let path = app.program().expect("a program").to_owned();
    app.press("s");
    assert!(plain(&app.frame()).contains("after 2 honest tries more"));
    for attempt in ["serve('x')", "fail('nothing')"] {
        std::fs::write(&path, attempt).unwrap();
        app.look();
        app.press("c");
        // The same once more is no other try.
        app.press("c");
    }
    app.press("s");
    assert!(plain(&app.frame()).contains("the model solution"));
    let lesson = &support::screen::lessons()[3];
    let repair = lesson.trial.repair.as_ref().expect("it has an exercise");
    std::fs::write(&path, &repair.solution.source).unwrap();
    app.look();
    app.press("c");
    let shown = plain(&app.frame());
    assert!(shown.contains("Your fix survives") && shown.contains("the solution makes"), "{shown}");
    let kept = app.progress().lessons[&lesson.slug].repaired.expect("the score is kept");
    assert!(kept.0 > 0 && kept.1.is_some_and(|solution| solution > 0), "{kept:?}");
    app.press("x");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), repair.program.source);
    assert_eq!(std::fs::read_to_string(path.with_extension("1.lua")).unwrap(), repair.solution.source);
}

#[test]
fn every_window_fits_any_screen() {
    for (width, height) in [(40, 12), (60, 20), (30, 5), (300, 100)] {
        let mut app = workbench(&format!("window-{width}"), width, height);
        app.press("i");
        app.frame();
        app.press("Esc");
        for key in [";", "!", "y", "f", "L"] {
            app.press(key);
            app.frame();
            app.press("Esc");
        }
        assert!(app.world().is_some());
    }
}
