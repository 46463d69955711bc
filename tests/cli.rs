//! The command line as scripts see it: output, errors, exit codes.
#![cfg(feature = "app")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Output, Stdio};

use assert_cmd::Command;

fn stampede(args: &[&str]) -> Output {
    let mut command = Command::cargo_bin("stampede").expect("the program is built");
    command.args(args).env_remove("REDIS_URL").output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("it ends by itself")
}

#[test]
fn help_teaches() {
    let help = text(&stampede(&["--help"]).stdout);
    for word in ["run", "check", "doctor", "--redis", "--key-prefix", "Exit codes", "stampede run all"] {
        assert!(help.contains(word), "{word} in {help}");
    }
    let run = text(&stampede(&["run", "--help"]).stdout);
    assert!(run.contains("--take") && run.contains("--set") && run.contains("KNOB=VALUE"), "{run}");
}

#[test]
fn list_shows_lessons_takes_and_knobs() {
    let list = text(&stampede(&["list"]).stdout);
    for word in ["01-herd", "04-wrong-release", "compare-and-delete", "knob", "readers"] {
        assert!(list.contains(word), "{word} in {list}");
    }
}

#[test]
fn usage_errors_say_what_there_is() {
    for (args, complaint) in [
        (vec!["run", "99"], "there are 01-herd"),
        (vec!["run", "herd", "--take", "x"], "`no-guard`"),
        (vec!["run", "herd", "--set", "px=1"], "`readers`"),
        (vec!["run", "herd", "--set", "readers=many"], "40 to 400"),
        (vec!["run", "herd", "--set", "readers=9999"], "40 to 400"),
        (vec!["run", "herd", "--set", "readers"], "KNOB=VALUE"),
        (vec!["check", "/nowhere/at/all"], "/nowhere/at/all"),
    ] {
        let output = stampede(&args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(text(&output.stderr).contains(complaint), "{args:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{args:?}: programs read standard output");
    }
}

#[test]
fn the_environment_has_an_exit_code_of_its_own() {
    let output = stampede(&["run", "herd", "--redis", "redis://127.0.0.1:1/"]);
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("hint:"));
    let output = stampede(&["run", "herd", "--redis", "not a url"]);
    assert_eq!(code(&output), 3);
    let output = stampede(&["play", "herd"]);
    assert_eq!(code(&output), 3, "no terminal here");
    assert!(text(&output.stderr).contains("needs a terminal"));
    let mut elsewhere = Command::cargo_bin("stampede").expect("the program is built");
    let output = elsewhere
        .args(["run", "herd"])
        .env("REDIS_URL", "redis://cache.example.org")
        .output()
        .expect("it runs");
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("cache.example.org"));
}

#[test]
fn without_a_server_on_the_path_the_embedded_one_is_used() {
    let bare = |args: &[&str]| {
        let mut program = Command::cargo_bin("stampede").expect("the program is built");
        program.args(args).env("PATH", "/nonexistent").env_remove("REDIS_URL").output().expect("it runs")
    };
    let output = bare(&["run", "herd"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("on embedded redis 7.0"), "{}", text(&output.stdout));
    let output = bare(&["doctor"]);
    assert!(text(&output.stdout).contains("redis-cli -s "), "{}", text(&output.stdout));
    let output = bare(&["run", "herd", "--server", "spawn"]);
    assert_eq!(code(&output), 3);
    let said = text(&output.stderr);
    assert!(
        said.contains("--server embedded") && said.contains("apt install") && said.contains("--redis"),
        "{said}"
    );
}

#[test]
fn json_is_one_object_a_lesson_and_the_same_every_time() {
    let one = ["run", "04-wrong-release", "--format", "json", "--journal", "--seed", "3"];
    assert!(stampede(&one).stdout == stampede(&one).stdout, "two runs print the same bytes");
    let all = ["run", "all", "--server", "embedded", "--format", "json", "--journal", "--seed", "3"];
    let first = stampede(&all);
    assert_eq!(code(&first), 0, "{}", text(&first.stderr));
    let lines: Vec<serde_json::Value> = text(&first.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("one object a line"))
        .collect();
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/lessons")).expect("lessons");
    let lessons = folders.filter(|entry| entry.as_ref().is_ok_and(|entry| entry.path().is_dir())).count();
    assert_eq!(lines.len(), lessons);
    for lesson in &lines {
        assert!(lesson["server"]["kind"].is_string() && lesson["seed"] == 3);
        for take in lesson["takes"].as_array().expect("takes") {
            assert_eq!(take["verdict"], "holds");
            assert!(take["totals"]["db_hits"].is_u64() && take["totals"]["outcomes"]["fresh"].is_u64());
            let journal = take["journal"].as_array().expect("a journal");
            assert_eq!(journal[0]["kind"], "began");
            assert!(journal.iter().all(|event| event["at_ms"].is_number()));
        }
    }
}

#[test]
fn a_new_lesson_is_well_and_true_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lesson = folder.path().join("90-mine");
    let path = lesson.to_str().expect("a plain path");
    assert_eq!(code(&stampede(&["new", path])), 0);
    assert_eq!(code(&stampede(&["check", path])), 0);
    let run = stampede(&["run", "90-mine", "--server", "embedded", "--lessons", path]);
    assert_eq!(code(&run), 0, "{}", text(&run.stdout));
    let again = stampede(&["new", path]);
    assert_eq!(code(&again), 2);
    assert!(text(&again.stderr).contains("there already"));
}

#[test]
fn a_handout_asks_and_its_key_answers() {
    let sheet = stampede(&["handout", "4", "--server", "embedded"]);
    let key = stampede(&["handout", "4", "--server", "embedded", "--key"]);
    assert_eq!((code(&sheet), code(&key)), (0, 0));
    let (sheet, key) = (text(&sheet.stdout), text(&key.stdout));
    let answer = "DEL takes a name, not an owner";
    assert!(sheet.contains("2. [ ] B's lock is deleted") && !sheet.contains(answer), "{sheet}");
    assert!(sheet.contains("lock │AAAA"), "the timeline up to the question is there");
    assert!(key.contains(answer) && key.contains("**right.**"), "{key}");
}

#[test]
fn a_comparison_has_a_row_for_each_take() {
    let table = stampede(&["compare", "15", "--server", "embedded"]);
    let table = text(&table.stdout);
    assert_eq!(code(&stampede(&["compare", "15", "--take", "nothing"])), 2);
    for row in ["a failover, a fill", "the same, a payment", "no failover, a pause", "the resource checks"] {
        assert!(table.contains(row), "{table}");
    }
}

#[test]
fn a_broken_claim_is_exit_code_one_and_a_dead_worker_says_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lesson = folder.path().join("90-mine");
    std::fs::create_dir(&lesson).expect("a folder in it");
    let text = r#"+++
title = "Mine"
question = "Does it hold?"
minutes = 1
keys = { value = "mine:1" }
database = { schema = "CREATE TABLE t (id INTEGER)", pool = 1, p50 = "1ms", p99 = "1ms" }

[[takes]]
name = "only"
title = "the only one"
sound = true
program = "p.lua"
cast = [{ at = "0s" }]
claims = [{ text = "one query ran, not {db.hits}", end = "db.hits == 1" }]
+++
"#;
    // Line ends of another system are no mistake.
    std::fs::write(lesson.join("lesson.md"), text.replace('\n', "\r\n")).expect("a file in that");
    std::fs::write(lesson.join("p.lua"), "send(\"GET\", key)\nos.exit(1)\n").expect("and another");
    let output = stampede(&["run", "mine", "--lessons", &folder.path().display().to_string()]);
    assert_eq!(code(&output), 1, "{}", text_of(&output));
    let said = text_of(&output);
    assert!(said.contains("BROKEN: one query ran, not 0"), "{said}");
    assert!(said.contains("A failed: p.lua:2: `os` is not defined"), "{said}");
}

fn text_of(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn check_points_at_the_mistake() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let lesson = folder.path().join("90-mine");
    std::fs::create_dir(&lesson).expect("a folder in it");
    std::fs::write(lesson.join("lesson.md"), "+++\ntitel = \"x\"\n+++\n").expect("a file in that");
    let output = stampede(&["check", &folder.path().display().to_string()]);
    assert_eq!(code(&output), 1);
    let said = text(&output.stderr);
    assert!(
        said.contains("lesson.md:2:1") && said.contains("^^^^^") && said.contains("did you mean `title`?"),
        "{said}"
    );
    let output = stampede(&["check", concat!(env!("CARGO_MANIFEST_DIR"), "/lessons/02-one-winner")]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
}

#[test]
fn a_foreign_server_keeps_what_it_has() {
    let server = support::server();
    let url = server.redis_cli().replace("redis-cli -s ", "redis+unix://");
    let mut connection = server.connect().expect("the server answers");
    let () =
        redis::cmd("SET").arg("product:123").arg("precious").query(&mut connection).expect("SET answers");
    let output = stampede(&["run", "herd", "--redis", &url]);
    assert_eq!(code(&output), 3);
    let said = text(&output.stderr);
    assert!(said.contains("`product:123`") && said.contains("--key-prefix"), "{said}");
    let output = stampede(&["run", "herd", "--redis", &url, "--key-prefix", "try:"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).expect("KEYS answers");
    assert_eq!(keys, ["product:123"]);
}

#[test]
fn completions_and_the_manual_are_printed() {
    assert!(text(&stampede(&["completions", "bash"]).stdout).contains("stampede"));
    assert!(text(&stampede(&["man"]).stdout).contains(".TH"));
    let doctor = text(&stampede(&["doctor"]).stdout);
    assert!(
        doctor.contains("redis-server") && doctor.contains("terminal") && doctor.contains("locale"),
        "{doctor}"
    );
}

#[test]
fn explore_tells_what_breaks_a_program_and_what_it_survives() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("mine.lua");
    std::fs::write(&program, "send('SETNX', lock, token())\nserve('x')\n").expect("a file in it");
    let path = program.display().to_string();
    let output = stampede(&["explore", "3", "--program", &path, "--max", "50"]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 1, "{said}");
    assert!(
        said.contains("mine.lua") && said.contains("breaks") && said.contains("is not repaired yet"),
        "{said}"
    );
    let output = stampede(&["explore", "2", "--max", "40", "--seeds", "3"]);
    let said = text(&output.stdout);
    assert_eq!(code(&output), 0, "{said}");
    assert!(said.contains("survives 40 schedules, not every single fault among them"), "{said}");
    assert_eq!(code(&stampede(&["explore", "3", "--program", "/nowhere/at-all.lua"])), 2);
    std::fs::write(&program, "if then").expect("the file stays");
    let output = stampede(&["explore", "3", "--program", &path]);
    let said = text(&output.stderr);
    assert!(code(&output) != 0 && said.contains(":1:"), "{said}");
}

#[test]
fn what_goes_wrong_can_be_said_on_the_command_line() {
    let output = stampede(&["run", "2", "--with", "A crash after SET", "--workers", "3", "--journal"]);
    let said = text(&output.stdout);
    assert!(said.contains("\"kind\":\"crashed\"") && said.contains("A crash after SET"), "{said}");
    let output = stampede(&["run", "2", "--with", "A sulks"]);
    let said = text(&output.stderr);
    assert_eq!(code(&output), 2);
    assert!(said.contains("is no intervention; expected a fault"), "{said}");
}

#[test]
fn a_saved_run_is_had_again_and_compared() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("run.jsonl");
    let path = file.display().to_string();
    let output = stampede(&[
        "run",
        "4",
        "--take",
        "bare-del",
        "--workers",
        "3",
        "--with",
        "B crash after SET",
        "--journal",
    ]);
    let told = text(&output.stdout);
    let events: Vec<&str> = told.lines().filter(|line| line.starts_with('{')).collect();
    std::fs::write(&file, events.join("\n")).expect("a file in it");
    let again = stampede(&["run", "--journal-in", &path]);
    assert_eq!(code(&again), 0, "{}", text(&again.stderr));
    assert!(text(&again.stdout).contains(&format!("the same {} events", events.len())));
    let tampered = events.join("\n").replacen("\"reply\":{\"integer\":1}", "\"reply\":{\"integer\":2}", 1);
    assert_ne!(tampered, events.join("\n"));
    std::fs::write(&file, tampered).expect("the file stays");
    let again = stampede(&["run", "--journal-in", &path]);
    let said = text(&again.stdout);
    assert_eq!(code(&again), 1, "{said}");
    assert!(said.contains("differs") && said.contains("saved ") && said.contains("now "), "{said}");
    std::fs::write(&file, "nothing\n").expect("the file stays");
    let again = stampede(&["run", "--journal-in", &path]);
    assert_eq!(code(&again), 2);
    assert!(text(&again.stderr).contains("line 1 of the journal is not an event"));
}

/// Says these lines to `stampede drill`.
fn drilled(state: &Path, args: &[&str], said: &str) -> String {
    let mut program = Command::cargo_bin("stampede").expect("the program is built");
    program.args(["drill", "--state"]).arg(state).args(args).write_stdin(said.to_owned());
    let output = program.output().expect("it runs");
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn ten_cards_line_by_line_and_what_stays_of_them() {
    let state = tempfile::tempdir().expect("there is a temporary folder");
    let ten = "said\n3\n".repeat(9) + "said\n1\n";
    let told = drilled(state.path(), &["--deck", "interview", "--new", "10"], &ten);
    assert!(told.starts_with("0 due, 10 new, 0 being learned."), "{told}");
    assert!(told.contains("Again in 10 minutes.") && told.contains("Asked: 10, recalled: 9."), "{told}");

    let told = drilled(state.path(), &["--deck", "4", "--new", "20"], "said\n4\nu\nq\n");
    assert!(told.contains("The last grade is taken back."), "{told}");
    assert!(told.contains("Asked: 0, recalled: 0."), "{told}");
    let told = drilled(state.path(), &["--deck", "4", "--new", "20", "--minutes", "5"], "x\n9\n1\nq\n");
    assert!(told.contains("Expected a number from 1 to 4."), "{told}");

    let with = |args: &[&str]| {
        let mut all = vec!["--state", state.path().to_str().expect("temporary folders have plain names")];
        all.extend(args);
        stampede(&all)
    };
    let shown = text(&with(&["progress", "show"]).stdout);
    assert!(shown.contains("11 of ") && shown.contains("due on the next days"), "{shown}");
    let exported = with(&["progress", "export"]);
    assert_eq!(text(&exported.stdout).lines().count(), 13, "eleven grades, and one that was taken back");
    let file = state.path().join("export.jsonl");
    std::fs::write(&file, &exported.stdout).expect("the folder is ours");
    let file = file.to_str().expect("temporary folders have plain names");
    assert!(text(&with(&["progress", "import", file]).stdout).starts_with("0 answers added"));
    assert!(text(&with(&["progress", "reset"]).stdout).contains("before-reset-1"));
    assert!(text(&with(&["progress", "show"]).stdout).contains("0 of "));
    assert!(text(&with(&["progress", "import", file]).stdout).starts_with("13 answers added"));
    assert_eq!(text(&with(&["progress", "show"]).stdout), shown);

    // A wish is written down once, and stays.
    for _ in 0..2 {
        drilled(state.path(), &["--retention", "85"], "q\n");
    }
    drilled(state.path(), &[], "q\n");
    let wished = text(&with(&["progress", "export"]).stdout);
    assert_eq!(wished.matches(r#"{"wished":{"retention":85}}"#).count(), 1, "{wished}");
    assert_eq!(code(&with(&["drill", "--retention", "100"])), 2);

    let wrong = with(&["drill", "--deck", "nothing"]);
    assert!(code(&wrong) == 2 && text(&wrong.stderr).contains("decks: 01-herd, "), "{}", text(&wrong.stderr));
    let none = with(&["progress", "import", "Cargo.toml"]);
    assert!(code(&none) == 2 && text(&none.stderr).contains("none of its"), "{}", text(&none.stderr));
}

#[test]
fn what_was_answered_is_not_lost_with_whoever_read_the_output() {
    let state = tempfile::tempdir().expect("there is a temporary folder");
    std::fs::create_dir(state.path().join("answers.jsonl")).expect("a folder where the log belongs");
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_stampede"))
        .args(["drill", "--state"])
        .arg(state.path())
        .env("TMPDIR", state.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program is built");
    let mut input = program.stdin.take().expect("it is piped");
    input.write_all(b"\xff\n3\n").expect("it listens");
    let output = BufReader::new(program.stdout.take().expect("it is piped"));
    let noted = output.lines().map_while(Result::ok).any(|line| line.contains("answers wait in memory (1)"));
    assert!(noted, "the output is at an end");
    // Nobody reads from here on.
    let _ = input.write_all(b"said\n3\n");
    drop(input);
    let ended = program.wait_with_output().expect("it ends");
    let said = text(&ended.stderr);
    assert!(code(&ended) == 3 && said.contains("what was answered is in "), "{said}");
    let names = std::fs::read_dir(state.path()).expect("it is ours").filter_map(Result::ok);
    let rescued: Vec<_> =
        names.filter(|entry| entry.file_name().to_string_lossy().starts_with("stampede-answers-")).collect();
    let [rescued] = &rescued[..] else { panic!("{rescued:?}") };
    let kept = std::fs::read_to_string(rescued.path()).expect("it is ours");
    assert!(!kept.is_empty() && kept.lines().all(|line| line.contains("graded")), "{kept}");
}

#[test]
fn a_file_is_no_folder_for_progress() {
    let wrong = stampede(&["progress", "show", "--state", "Cargo.toml"]);
    assert_eq!((code(&wrong), text(&wrong.stdout)), (2, String::new()));
    assert!(text(&wrong.stderr).contains("Cargo.toml is a file"), "{}", text(&wrong.stderr));
}

#[test]
fn an_interview_is_asked_judged_and_kept() {
    let state = tempfile::tempdir().expect("there is a temporary folder");
    let told = |said: &str| {
        let mut program = Command::cargo_bin("stampede").expect("the program is built");
        program
            .args(["interview", "--level", "junior", "--state"])
            .arg(state.path())
            .write_stdin(said.to_owned());
        let output = program.output().expect("it runs");
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        text(&output.stdout)
    };
    // The main question in three forms and its point; then the others, with nothing said.
    let first = told("I use SETNX and EXPIRE\n\n\n1\n\n\n\n\n\n");
    assert!(first.contains("in 20 seconds: ") && first.contains("in 5 minutes: "), "{first}");
    assert!(first.contains("red flag: “setnx”"), "{first}");
    assert!(first.contains("1 of 6 points, 1 red flag."), "{first}");
    assert!(first.contains("lesson 3, The immortal lock") && !first.contains("so far"), "{first}");
    let second = told("\n\n\n1\n\n123\n\n12\n\n");
    assert!(second.contains("6 of 6 points.") && second.contains("so far, junior: 17 %, 100 %"), "{second}");
    assert!(told("q\n").contains("nothing is kept"));
    // Of one that is left, what was answered is kept.
    assert!(told("\n\n\n1\n\nq\n").contains("1 of 1 points."));
    let path = state.path().to_str().expect("temporary folders have plain names");
    let shown = text(&stampede(&["progress", "show", "--state", path]).stdout);
    assert!(shown.contains("mock interviews") && shown.contains("junior 100 %"), "{shown}");
}
