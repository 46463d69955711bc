//! What the screen shows, cell by cell: every beat of every take at 80x24, and every layout.
//!
//! Snapshots keep colours, as `Debug` of a buffer prints them. Look at the picture before you accept a new one.
#![cfg(feature = "app")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use stampede::lab::Wire;
use stampede::tui::{Glyphs, Headless, Opening, ServerCard, ThemeName};
use support::screen::{app, at, lessons, picture, plain, run_of};

/// Goes on to the next place where the screen stops: a question, or the end of a beat.
fn go_on(app: &mut Headless) {
    if app.asks() {
        app.press("2");
        // What was seen is said without being asked how sure.
        if app.asks() {
            app.press("3");
        }
        app.play_out();
    } else {
        app.press("]");
    }
}

#[test]
fn every_beat_of_every_take() {
    for (index, lesson) in lessons().iter().enumerate() {
        for (take, about) in lesson.takes.iter().enumerate() {
            let mut app = at(index, take, 80, 24);
            let mut stops = 0;
            loop {
                let name = format!("{}-{}-{stops}", lesson.slug, about.name);
                insta::assert_snapshot!(name.clone(), picture(&app.frame()));
                if !app.asks() && app.beats().is_some_and(|(reached, all)| reached == all) {
                    break;
                }
                go_on(&mut app);
                stops += 1;
                assert!(stops < 40, "{name}: every take comes to its end");
            }
        }
    }
}

#[test]
fn every_layout() {
    for (width, height) in [(60, 20), (80, 24), (120, 40), (200, 60), (40, 12), (30, 5)] {
        let mut app = at(3, 0, width, height);
        for _ in 0..4 {
            go_on(&mut app);
        }
        insta::assert_snapshot!(format!("layout-{width}x{height}"), picture(&app.frame()));
    }
}

#[test]
fn maps_popups_themes_and_ascii() {
    for (width, height) in [(60, 20), (80, 24), (120, 40)] {
        let app = app(Opening::Map);
        let mut app = Headless::start(app, width, height);
        app.press("Down");
        insta::assert_snapshot!(format!("map-{width}x{height}"), picture(&app.frame()));
        app.press("Enter");
        for (key, name) in [("?", "help"), ("t", "takes"), ("e", "knobs")] {
            app.press(key);
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), picture(&app.frame()));
            app.press("Esc");
        }
    }
    let mut bare = app(run_of(3, 0));
    bare.glyphs = Glyphs::Ascii;
    bare.theme = ThemeName::Mono;
    let mut bare = Headless::start(bare, 80, 24);
    for _ in 0..4 {
        go_on(&mut bare);
    }
    let frame = bare.frame();
    assert!(plain(&frame).is_ascii(), "{}", plain(&frame));
    insta::assert_snapshot!("ascii-mono", picture(&frame));
}

#[test]
fn forward_and_back_show_the_same_frames_and_send_nothing() {
    for (lesson, take) in [(1, 0), (2, 1), (3, 0)] {
        let mut app = at(lesson, take, 120, 40);
        let mut frames = vec![app.frame()];
        for _ in 0..60 {
            app.press(if app.asks() { "s" } else { "Right" });
            // A question about what was seen stands where the text stands later.
            if app.asks() && app.place().is_some_and(|(cursor, ..)| cursor as usize == frames.len()) {
                app.press("s");
            }
            if app.is_playing() {
                app.press("Space");
            }
            let (cursor, newest, _) = app.place().expect("a lesson is open");
            assert_eq!(cursor, newest, "the cursor follows the lab");
            if frames.len() == cursor as usize {
                frames.push(app.frame());
            }
        }
        let (_, newest, events) = app.place().expect("a lesson is open");
        assert!(newest > 10, "something happened");
        app.press("Home");
        for frame in &frames[1..] {
            app.press("Right");
            let (cursor, ..) = app.place().expect("a lesson is open");
            same(frame, &app.frame(), cursor);
        }
        for frame in frames.iter().rev().skip(1) {
            app.press("Left");
            let (cursor, ..) = app.place().expect("a lesson is open");
            same(frame, &app.frame(), cursor);
        }
        assert_eq!(app.place().map(|(_, _, events)| events), Some(events), "looking back wrote nothing");
    }
}

/// Compares two frames in everything but what says where the newest step is: the badge, the scrubber, and what the
/// learner can do now.
fn same(live: &Buffer, later: &Buffer, step: u32) {
    let strip = |buffer: &Buffer| -> Vec<String> {
        let mut rows: Vec<String> = plain(buffer).lines().map(without_invitation).collect();
        let height = rows.len();
        rows.remove(height - 2);
        rows.remove(0);
        rows
    };
    let (live, later) = (strip(live), strip(later));
    let differ: Vec<_> = live.iter().zip(&later).filter(|(a, b)| a != b).collect();
    assert!(differ.is_empty(), "step {step}: {differ:#?}");
}

/// A row with its "Enter or Space: go on." blotted out, up to the pane's edge.
fn without_invitation(row: &str) -> String {
    match row.split_once("Enter") {
        None => row.to_owned(),
        Some((before, after)) => {
            let edge = after.find('│').unwrap_or(after.len());
            let (text, rest) = after.split_at(edge);
            format!("{before}{}{rest}", " ".repeat("Enter".len() + text.chars().count()))
        }
    }
}

#[test]
fn nothing_runs_past_an_open_question() {
    let mut app = at(2, 0, 80, 24);
    app.press("]");
    let before = app.place();
    for key in ["Space", "Right", "]", "0", "9", "Enter", "PageDown"] {
        app.press(key);
        app.pass(Duration::from_secs(5));
        assert_eq!(app.place(), before, "{key}");
        assert!(app.asks(), "{key}");
    }
    app.press("2");
    app.press("u");
    app.press("2");
    app.press("1");
    app.play_out();
    assert!(app.place() > before);
    let before = app.place();
    for key in ["Space", "Right", "]", "0", "9", "Enter"] {
        app.press(key);
        assert!(app.asks() && app.place() == before, "{key}: what was seen is asked first");
    }
    app.press("2");
    let frame = plain(&app.frame());
    assert!(frame.contains(" right ") && frame.contains("Well seen: "), "{frame}");
}

#[test]
fn a_number_and_g_go_to_that_step() {
    let mut app = at(3, 0, 80, 24);
    app.press("1");
    app.press("2");
    app.press("G");
    assert_eq!(app.place().map(|(cursor, ..)| cursor), Some(12), "forward, by running");
    app.press("5");
    app.press("G");
    assert_eq!(app.place().map(|(cursor, newest, _)| (cursor, newest)), Some((5, 12)), "back, by looking");
    assert!(plain(&app.frame()).contains("PAST 5 of 12"));
    app.press("g");
    app.press("g");
    assert_eq!(app.place().map(|(cursor, ..)| cursor), Some(0));
    app.press("G");
    assert_eq!(app.place().map(|(cursor, ..)| cursor), Some(12));
}

#[test]
fn at_normal_speed_lab_time_is_wall_time() {
    let mut app = at(3, 0, 80, 24);
    app.press("=");
    app.press("Space");
    for _ in 0..40 {
        app.pass(Duration::from_millis(33));
    }
    assert!(app.is_playing());
    let shown = plain(&app.frame());
    assert!(shown.contains("t 1.320 s"), "40 frames of 33 ms: {shown}");
    app.press("<");
    app.pass(Duration::from_millis(100));
    let shown = plain(&app.frame());
    assert!(shown.contains("t 1.370 s"), "half of 100 ms more: {shown}");
}

#[test]
fn takes_stand_side_by_side() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut app = at(6, 0, width, height);
        app.press("C");
        insta::assert_snapshot!(format!("compare-{width}x{height}"), plain(&app.frame()));
        app.press("Esc");
        assert!(app.world().is_some_and(|world| world.step == 0), "the run on the screen has not moved");
    }
}

#[test]
fn a_survey_shows_how_numbers_move_with_a_knob() {
    let mut app = at(4, 2, 80, 24);
    app.press("v");
    insta::assert_snapshot!("survey-80x24", plain(&app.frame()));
    app.resize(120, 40);
    insta::assert_snapshot!("survey-120x40", plain(&app.frame()));
    let mut other = at(0, 0, 80, 24);
    other.press("v");
    assert!(plain(&other.frame()).contains("no survey"));
}

#[test]
fn a_word_leads_to_its_lesson() {
    let mut app = at(0, 0, 80, 24);
    app.press("w");
    app.press("j");
    app.press("j");
    app.press("j");
    insta::assert_snapshot!("words-80x24", plain(&app.frame()));
    app.press("Enter");
    assert!(plain(&app.frame()).contains("4/17"), "compare-and-delete is shown by lesson 4");
}

#[test]
fn a_row_of_the_log_is_told_at_length() {
    let mut app = at(3, 0, 80, 24);
    for key in ["]", "]", "Tab", "Tab", "Enter"] {
        app.press(key);
    }
    insta::assert_snapshot!("details-80x24", plain(&app.frame()));
    app.press("k");
    app.press("Esc");
    assert!(app.place().is_some_and(|(cursor, newest, _)| cursor == newest), "looking moved nothing");
}

#[test]
fn an_answer_is_said_and_graded() {
    let mut app = at(6, 0, 80, 24);
    for key in ["a", "Enter", "1", "3", "3"] {
        app.press(key);
    }
    let shown = plain(&app.frame());
    assert!(shown.contains("1 of 5"), "{shown}");
}

#[test]
fn turning_a_knob_starts_the_take_again_with_it() {
    let mut app = at(0, 0, 80, 24);
    app.press("]");
    app.press("e");
    for _ in 0..3 {
        app.press("Left");
    }
    app.press("Enter");
    assert_eq!(app.place().map(|(cursor, ..)| cursor), Some(0));
    assert_eq!(app.world().map(stampede::lab::World::readers), Some(140));
}

#[test]
fn a_key_that_is_taken_is_told_on_the_screen() {
    let server = support::server();
    let mut connection = server.connect().expect("the server answers");
    let () =
        redis::cmd("SET").arg("product:123").arg("precious").query(&mut connection).expect("SET answers");
    let mut app = app(run_of(0, 0));
    let card = ServerCard {
        name: "redis 7".to_owned(),
        reach: String::new(),
        private: true,
        compares_by: Vec::new(),
    };
    app.connect = Arc::new(move |_| {
        let wire: Box<dyn Wire> = support::wire(&server);
        Ok((wire, card.clone()))
    });
    let app = Headless::start(app, 80, 24);
    let shown = plain(&app.frame());
    assert!(
        shown.contains("STOPPED") && shown.contains("product:123") && shown.contains("--key-prefix"),
        "{shown}"
    );
    let kept: String = redis::cmd("GET").arg("product:123").query(&mut connection).expect("GET answers");
    assert_eq!(kept, "precious");
}
