//! What an author is told: each mistake with its file, line, column, the line itself and what was expected.
#![cfg(feature = "app")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stampede::judge::{self, Budget, Lines};
use stampede::lesson::{Folder, LessonError, lint, load};
use stampede::tui::crowded;

/// `stampede new` and the worked example of the README are one and the same.
#[test]
fn the_lesson_to_begin_from_is_the_one_in_the_readme_and_is_well() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/lessons/README.md");
    let readme = std::fs::read_to_string(readme).expect("lessons/README.md is there");
    for (name, text) in stampede::cli::TEMPLATE {
        assert!(readme.contains(text), "{name} differs from the README's");
    }
    let files = stampede::cli::TEMPLATE.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let path = "90-mine".to_owned();
    let folder = Folder { name: path.clone(), path, files: files.into_iter().collect() };
    let lesson = load(&folder).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(lint(&lesson), Vec::<String>::new());
}

const PROGRAM: &str = "local value = send(\"GET\", key)\nreturn serve(value)\n";

const LESSON: &str = r#"+++
title = "A small lesson"
question = "What is wrong?"
minutes = 1

[keys]
value = "product:1"

[knobs.px]
label = "lease"
default = 5
min = 1
max = 9

[database]
schema = "CREATE TABLE t (id INTEGER)"
pool = 2
p50 = "1ms"
p99 = "2ms"

[[takes]]
name = "only"
title = "the only take"
sound = true
program = "p.lua"
cast = [{ at = "0ms" }]

[[takes.claims]]
text = "nothing was queried ({db.hits})"
end = "db.hits == 0"
+++

The hook.

# only

## A beat

```beat
until = "ended"
```

It ended after {time}.
"#;

fn folder(lesson: &str, program: &str) -> Folder {
    let files = [("lesson.md", lesson), ("p.lua", program)];
    Folder {
        name: "90-small".to_owned(),
        path: "my/90-small".to_owned(),
        files: files
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect::<BTreeMap<_, _>>(),
    }
}

fn mistake(from: &str, to: &str) -> LessonError {
    assert!(LESSON.contains(from), "the fixture has `{from}`");
    load(&folder(&LESSON.replace(from, to), PROGRAM)).expect_err("this is a mistake")
}

/// The error shown, with its caret under the first character of `at`.
fn assert_points(error: &LessonError, at: &str, expected: &str) {
    let column = error.source_line.find(at).unwrap_or_else(|| panic!("the line has `{at}`: {error}")) + 1;
    assert_eq!(error.column, column, "{error}");
    assert!(error.to_string().contains(expected), "{error}");
    assert!(error.to_string().contains("my/90-small/"), "{error}");
}

#[test]
fn the_fixture_itself_is_well() {
    let lesson = load(&folder(LESSON, PROGRAM)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((lesson.number(), lesson.takes.len(), lesson.takes[0].beats.len()), (90, 1, 1));
}

#[test]
fn mistakes_in_the_front_matter_are_pointed_at() {
    assert_points(&mistake("minutes = 1", "minuets = 1"), "minuets", "did you mean `minutes`?");
    assert_points(&mistake("minutes = 1", "minutes = \"one\""), "\"one\"", "u32");
    assert_points(&mistake("p50 = \"1ms\"", "p50 = \"1 parsec\""), "\"1 parsec\"", "400ms");
    assert_points(&mistake("pool = 2", "pool = 0"), "0", "from 1 up");
    assert_points(&mistake("default = 5", "default = 50"), "50", "from 1 to 9");
    assert_points(&mistake("CREATE TABLE", "CREATE TABEL"), "\"CREATE", "SQL");
    for truth in ["SELECT body FROM nowhere", "DELETE FROM product"] {
        let line = format!("truth = \"{truth}\"\npool = 2");
        assert_points(&mistake("pool = 2", &line), &format!("\"{truth}"), "ought to be");
    }
    assert_points(
        &mistake("program = \"p.lua\"", "program = \"q.lua\""),
        "\"q.lua\"",
        "did you mean `p.lua`?",
    );
    assert_points(&mistake("at = \"0ms\"", "at = \"noon\""), "\"noon\"", "0ms..20ms");
    assert_points(
        &mistake("end = \"db.hits == 0\"", "end = \"db.hist == 0\""),
        "db.hist",
        "did you mean `db.hits`?",
    );
    assert_points(&mistake("end = \"db.hits == 0\"", "end = \"db.hits\""), "\"db.hits\"", "a truth");
    assert_points(&mistake("({db.hits})", "({db.hits)"), "{db.hits", "this brace is never closed");
    assert_points(&mistake("[knobs.px]", "[knobs.send]"), "5", "lower-case letters");
    let faults = "program = \"p.lua\"\nfaults = [{ worker = \"A\", pause = \"before GET\", lasts = \"1s\" }]";
    assert_points(&mistake("program = \"p.lua\"", faults), "{ worker", "`after GET`");
    assert_points(&mistake("end = \"db.hits == 0\"\n", ""), "[[takes.claims]]", "`always`, `end` or `once`");
}

#[test]
fn mistakes_in_the_body_are_pointed_at() {
    assert_points(&mistake("# only\n", "# olny\n"), "# olny", "did you mean `only`?");
    assert_points(&mistake("until = \"ended\"", "until = \"B.done\""), "B.done", "the cast has 1");
    assert_points(&mistake("until = \"ended\"", "untill = \"ended\""), "untill", "did you mean `until`?");
    assert_points(&mistake("```beat\nuntil = \"ended\"\n```\n", ""), "## A beat", "a ```beat block");
    assert_points(&mistake("after {time}.", "after {tame}."), "tame", "did you mean `time`?");
    assert_points(&mistake("after {time}.", "after `{tame}`."), "tame", "did you mean `time`?");
    assert_points(&mistake("The hook.", "- a\n  - b"), "- b", "one level");
    assert_points(&mistake("The hook.", "## Too early"), "## Too early", "# take-name");
    assert_points(&mistake("The hook.", "![a picture](x.png)"), "![a picture]", "paragraphs, lists");
}

#[test]
fn questions_have_one_right_answer() {
    let question = |options: &str| {
        let block = format!("\n```predict\nquestion = \"What?\"\n{options}\n```\n\nIt ended");
        mistake("\nIt ended", &block)
    };
    let option = "[[options]]\ntext = \"a\"\nwhen = \"ended\"\nbecause = \"so\"\n";
    assert!(question(option).to_string().contains("two to four"));
    assert!(question(&option.repeat(2)).to_string().contains("exactly one"));
}

#[test]
fn mistakes_in_programs_are_pointed_at() {
    let error = load(&folder(LESSON, "local ok = true\nif ok than\nend\n")).expect_err("this is no Lua");
    assert_eq!((error.path.as_str(), error.line), ("my/90-small/p.lua", 2), "{error}");
    assert!(error.message.contains("'then' expected"), "{error}");
}

#[test]
fn files_that_nothing_uses_are_named() {
    let mut folder = folder(LESSON, PROGRAM);
    folder.files.insert("old.lua".to_owned(), String::new());
    let error = load(&folder).expect_err("a stray file");
    assert!(error.to_string().contains("old.lua"), "{error}");
}

#[test]
fn a_folder_without_its_parts_says_what_is_missing() {
    let mut empty = folder(LESSON, PROGRAM);
    empty.files.remove("lesson.md");
    assert!(load(&empty).expect_err("no lesson.md").to_string().contains("lesson.md"));
    let missing = load(&folder("title = 1", PROGRAM)).expect_err("no fences");
    assert!(missing.to_string().contains("`+++`"), "{missing}");
    let open = load(&folder("+++\ntitle = \"x\"\n", PROGRAM)).expect_err("no end");
    assert!(open.to_string().contains("no end"), "{open}");
}

/// The fixture with everything a lesson has, for rules beyond what loading insists on.
const TRIAL: &str = r#"[[laws]]
text = "the value ends some day"
end = "not value.immortal"

[repair]
task = "The page is old."
take = "only"
program = "repair.lua"
solution = "solution.lua"
hints = ["point", "narrow", "show"]
"#;

const REPAIR: &str = "send(\"SET\", key, \"v\")\nsend(\"EXPIRE\", key, 300)\nreturn serve(\"v\")\n";

const SOLUTION: &str = "send(\"SET\", key, \"v\", \"EX\", 300)\nreturn serve(\"v\")\n";

fn whole() -> Folder {
    let question = r#"
```predict
question = "What now?"

[[options]]
text = "it ends"
right = true
when = "ended"
because = "It does."

[[options]]
text = "it goes on"
when = "not ended"
because = "It does not."
```

```seen
question = "What was there?"
options = [
  { text = "nobody", when = "readers == 0" },
  { text = "somebody", when = "readers > 0" },
]
```

It ended"#;
    let mut folder = folder(&LESSON.replace("\nIt ended", question), PROGRAM);
    let card = |id: &str| format!("[[cards]]\nid = \"{id}\"\nask = \"What?\"\ntell = \"That.\"\n");
    let goal =
        "[[goals]]\ntext = \"Query.\"\ntake = \"only\"\nwhen = \"db.hits > 0\"\nhand = [\"> DEL k\"]\n";
    let goal = goal.replace("> DEL", "0 at 0s: > DEL");
    let study = format!(
        "[say]\nquestion = \"What?\"\npoints = [\"a\", \"b\", \"c\"]\n{}{}{}{goal}",
        card("one"),
        card("two"),
        card("three")
    );
    folder.files.insert("study.toml".to_owned(), study);
    for (name, text) in [("trial.toml", TRIAL), ("repair.lua", REPAIR), ("solution.lua", SOLUTION)] {
        folder.files.insert(name.to_owned(), text.to_owned());
    }
    folder
}

/// The complaints about the whole fixture after a change to one of its files.
fn complaints(file: &str, from: &str, to: &str) -> Vec<String> {
    let mut folder = whole();
    let text = folder.files.get_mut(file).expect("the fixture has this file");
    assert!(text.contains(from), "{file} has `{from}`");
    *text = text.replacen(from, to, 1);
    match load(&folder) {
        Ok(lesson) => lint(&lesson).into_iter().chain(crowded(&lesson)).collect(),
        Err(error) => vec![error.to_string()],
    }
}

fn assert_complains(file: &str, from: &str, to: &str, expected: &str) {
    let complaints = complaints(file, from, to);
    assert!(
        complaints.len() == 1 && complaints[0].contains(expected),
        "`{from}` became `{to}`; expected one complaint with `{expected}`, got {complaints:#?}"
    );
}

#[test]
fn a_whole_lesson_has_nothing_to_complain_of() {
    assert_eq!(complaints("lesson.md", "The hook.", "The hook."), Vec::<String>::new());
}

#[test]
fn a_missing_part_is_named() {
    assert_complains("lesson.md", "The hook.\n", "", "the hook is missing");
    assert_complains("lesson.md", "It ended after {time}.", "", "explains nothing");
    assert_complains(
        "study.toml",
        "[say]\nquestion = \"What?\"\npoints = [\"a\", \"b\", \"c\"]\n",
        "",
        "no `[say]`",
    );
    assert_complains("study.toml", "\"a\", ", "", "has 2 points");
    let third = "[[cards]]\nid = \"three\"\nask = \"What?\"\ntell = \"That.\"\n";
    assert_complains("study.toml", third, "", "has 2 cards");
    let mut bare = whole();
    bare.files.remove("study.toml");
    bare.files.remove("trial.toml");
    bare.files.retain(|name, _| !["repair.lua", "solution.lua"].contains(&name.as_str()));
    assert_eq!(lint(&load(&bare).unwrap_or_else(|error| panic!("{error}"))).len(), 5);
    let law = "[[laws]]\ntext = \"the value ends some day\"\nend = \"not value.immortal\"\n";
    assert_complains("trial.toml", law, "", "no `[[laws]]`");
    assert_complains(
        "lesson.md",
        "sound = true",
        "sound = false",
        "say in `[[breaks]]` how little breaks a law",
    );
    let silent = lint(&load(&folder(LESSON, PROGRAM)).unwrap_or_else(|error| panic!("{error}")));
    assert!(silent.iter().any(|complaint| complaint.contains("asks nothing")), "{silent:#?}");
}

#[test]
fn what_does_not_fit_is_measured() {
    assert_complains("lesson.md", "It ended after", &"word ".repeat(160), "takes 18 rows of 47 columns");
    assert_complains("lesson.md", "\"nobody\"", &format!("\"{}\"", "word ".repeat(13)), "longer than 60");
    assert_complains("lesson.md", "\"it ends\"", &format!("\"{}\"", "word ".repeat(13)), "longer than 60");
    assert_complains("study.toml", "That.", &"x".repeat(121), "121 characters");
    assert_complains("trial.toml", "The page is old.", &"x".repeat(301), "301 characters; 300 fit");
    assert_complains(
        "trial.toml",
        "\"point\"",
        &format!("\"{}\"", "x".repeat(161)),
        "hint 1 has 161 characters",
    );
    assert_complains("trial.toml", "some day", &"x".repeat(110), "longer than 110");
    assert_complains(
        "repair.lua",
        "return",
        &format!("-- {}\nreturn", "x".repeat(40)),
        "repair.lua:3 is 43 characters",
    );
    assert_complains(
        "p.lua",
        "return serve(value)",
        &format!("return serve(value) -- {}", "x".repeat(30)),
        "41 fit",
    );
}

#[test]
fn mistakes_in_the_study_are_pointed_at() {
    assert_complains("study.toml", "\"two\"", "\"one\"", "two cards have this id");
    assert_complains("study.toml", "points", "pionts", "did you mean `points`?");
    let goal = "\n[[goals]]\ntext = \"Do it.\"\ntake = \"olny\"\nwhen = \"ended\"\nby = { px = 5 }\n[[cards]]\nid = \"one\"";
    assert_complains("study.toml", "[[cards]]\nid = \"one\"", goal, "did you mean `only`?");
    let goal = goal.replace("olny", "only").replace("px = 5", "px = 50");
    assert_complains("study.toml", "[[cards]]\nid = \"one\"", &goal, "outside the knob's range");
}

#[test]
fn mistakes_in_what_is_to_be_seen_are_pointed_at() {
    assert_complains(
        "lesson.md",
        "  { text = \"nobody\", when = \"readers == 0\" },\n",
        "",
        "two to four of them",
    );
    assert_complains("lesson.md", "readers == 0", "raeders == 0", "did you mean `readers`?");
    assert_complains("lesson.md", "## A beat", "# other\n\n```seen\n```\n\n## A beat", "belongs to no beat");
    assert_complains("study.toml", "0 at 0s: > DEL k", "A sulks at noon", "is no intervention");
    let both = "options = [\n  { text = \"nobody\", when = \"readers == 0\" },\n  { text = \"somebody\", when = \"readers > 0\" },\n]\n```";
    let block = format!("```seen\nquestion = \"What was there?\"\n{both}");
    assert_complains("lesson.md", &block, "", "no beat has a ```seen block");
    let goal = "[[goals]]\ntext = \"Query.\"\ntake = \"only\"\nwhen = \"db.hits > 0\"\nhand = [\"0 at 0s: > DEL k\"]\n";
    assert_complains("study.toml", goal, "", "no `[[goals]]`");
}

#[test]
fn mistakes_in_the_trial_are_pointed_at() {
    assert_complains("trial.toml", "[[laws]]", "[[lasw]]", "did you mean `laws`?");
    assert_complains("trial.toml", "end = \"not value.immortal\"", "end = \"value.ttl\"", "a truth");
    assert_complains("trial.toml", "end = \"not value.immortal\"", "", "one of `always` or `end`");
    assert_complains("trial.toml", "take = \"only\"", "take = \"olny\"", "did you mean `only`?");
    assert_complains("trial.toml", "\"narrow\", ", "", "three: point, narrow, show");
    assert_complains("trial.toml", "\"solution.lua\"", "\"solutoin.lua\"", "did you mean `solution.lua`?");
    assert_complains(
        "trial.toml",
        "[repair]",
        "[[breaks]]\ntake = \"only\"\nby = 0\n[repair]",
        "is marked as right",
    );
    assert_complains("trial.toml", "[repair]", "spared = [\"rain\"]\n[repair]", "unknown");
    assert_complains("repair.lua", "return", "retrun", "a Lua 5.1 program");
    let mut needy = whole();
    let text = needy.files.get_mut("lesson.md").expect("the fixture has it");
    *text = text.replacen("sound = true", "sound = true\nneeds = \"cluster\"", 1);
    let error = load(&needy).expect_err("not everybody has a cluster");
    assert!(error.to_string().contains("a take that runs everywhere"), "{error}");
}

/// What only many runs show.
fn tried(file: &str, from: &str, to: &str) -> Vec<String> {
    let mut folder = whole();
    let text = folder.files.get_mut(file).expect("the fixture has it");
    assert!(text.contains(from), "{file} has `{from}`");
    *text = text.replacen(from, to, 1);
    let lesson = Arc::new(load(&folder).unwrap_or_else(|error| panic!("{error}")));
    let server = support::server();
    let mut lines: Vec<Lines<'_>> = vec![Box::new(|| Ok(support::wire(&server)))];
    let mut complaints = Vec::new();
    for case in judge::cases(&lesson, 7) {
        let budget = Budget { schedules: 100, seeds: 2 };
        let found = judge::explore(&case.order, budget, &mut lines, &AtomicBool::new(false), |_| {});
        complaints.extend(
            case.astray(&found.expect("it can be run")).map(|astray| format!("{} {astray}", case.name)),
        );
    }
    complaints
}

#[test]
fn an_exercise_is_broken_as_given_and_can_be_repaired() {
    assert_eq!(tried("trial.toml", "some day", "some day"), Vec::<String>::new());
    assert_eq!(
        tried("repair.lua", REPAIR, SOLUTION),
        ["repair.lua is said to be wrong, and should break a law"]
    );
    assert_eq!(
        tried("solution.lua", SOLUTION, REPAIR),
        ["solution.lua is said to be right, and should survive"]
    );
    let law = "end = \"not value.immortal\"";
    let complaints = tried("trial.toml", law, "end = \"answered > 5 or value.immortal\"");
    assert!(
        complaints.iter().any(|complaint| complaint.starts_with("only is said to be right")),
        "{complaints:#?}"
    );
}

/// What only a run shows.
fn audit(from: &str, to: &str) -> Vec<String> {
    let mut folder = whole();
    let text = folder.files.get_mut("lesson.md").expect("the fixture has it");
    assert!(text.contains(from), "lesson.md has `{from}`");
    *text = text.replacen(from, to, 1);
    let lesson = Arc::new(load(&folder).unwrap_or_else(|error| panic!("{error}")));
    let server = support::server();
    judge::audit(&lesson, 7, |_| Ok(support::wire(&server))).expect("a server of ours stays")
}

fn assert_audit(from: &str, to: &str, expected: &str) {
    let complaints = audit(from, to);
    assert!(
        complaints.len() == 1 && complaints[0].contains(expected),
        "`{from}` became `{to}`; expected one complaint with `{expected}`, got {complaints:#?}"
    );
}

#[test]
fn a_lesson_that_does_not_tell_the_truth_is_found_out_by_its_run() {
    assert_eq!(audit("The hook.", "The hook."), Vec::<String>::new());
    assert_audit(
        "end = \"db.hits == 0\"",
        "end = \"db.hits == 1\"",
        "claims what does not hold: nothing was queried (0)",
    );
    assert_audit("until = \"ended\"", "until = \"db.hits == 1\"", "never comes");
    assert_audit("when = \"readers > 0\"", "when = \"readers > 90\"", "0 of what may be seen");
    assert_audit("when = \"readers == 0\"", "when = \"readers < 90\"", "2 of what may be seen");
    assert_audit(
        "when = \"not ended\"",
        "when = \"db.hits == 0\"",
        "option 2 of “A beat” in `only` comes true",
    );
    assert_audit(
        "when = \"ended\"",
        "when = \"db.hits == 1\"",
        "option 1 of “A beat” in `only` is marked right, and does not",
    );
}

#[test]
fn a_mistake_that_breaks_nothing_is_none() {
    let (_, rest) = LESSON.split_once("[[takes]]").expect("the fixture has a take");
    let (take, _) = rest.split_once("+++\n\nThe hook.").expect("and an end");
    let take = format!("[[takes]]{take}");
    let second = take.replace("\"only\"", "\"other\"").replace("sound = true", "sound = false");
    assert_audit(
        "+++\n\nThe hook.",
        &format!("{second}+++\n\nThe hook."),
        "every claim of the right ones holds in it too",
    );
}
