//! Progress is never lost, whatever becomes of its files; and what comes up is what should.
#![cfg(feature = "app")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use stampede::drill::{
    At, Calendar, Card, Confidence, Day, Deck, Did, Entry, Grade, Interview, Kind, Limits, Progress,
    Retention, Store, StoreError, forecast, question_of, queue,
};
use stampede::tui::{Expected, Glyphs, Opening, course, pose};

const DAY: u64 = 24 * 60 * 60 * 1000;

/// Noon of some day.
const NOON: u64 = 20_000 * DAY + DAY / 2;

fn graded(at: u64, card: &str, grade: Grade) -> Entry {
    Entry { at: At(at), did: Did::Graded { card: card.to_owned(), grade } }
}

fn open(folder: &Path) -> (Store, Vec<String>) {
    Store::open(folder, Calendar::default())
}

fn after(entries: &[Entry]) -> Progress {
    let mut progress = Progress::default();
    progress.take_all(entries);
    progress
}

/// Some answers, one a minute.
fn some(count: usize) -> Vec<Entry> {
    let one = |index: usize| {
        let at = At(NOON + index as u64 * 60_000);
        let did = match index % 4 {
            0 => Did::Watched { lesson: "01-herd".to_owned(), take: format!("take {index}"), answered: true },
            1 => Did::Predicted {
                lesson: "01-herd".to_owned(),
                take: "take".to_owned(),
                beat: index as u32,
                confidence: Confidence::Certain,
                right: false,
            },
            _ => Did::Graded { card: format!("card-{}", index % 7), grade: Grade::ALL[index % 4] },
        };
        Entry { at, did }
    };
    (0..count).map(one).collect()
}

#[test]
fn what_was_answered_is_there_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("not/there/yet");
    let entries = some(30);
    let (mut store, told) = open(&place);
    assert_eq!(told, Vec::<String>::new(), "a new learner is told nothing");
    for entry in &entries {
        store.append(entry.clone()).unwrap();
    }
    assert_eq!(*store.progress(), after(&entries));
    // Not closed: as after kill -9.
    drop(store);
    let (store, told) = open(&place);
    assert_eq!((store.progress(), told), (&after(&entries), Vec::new()));
    store.close().unwrap();
    let (store, told) = open(&place);
    assert_eq!((store.progress(), told), (&after(&entries), Vec::new()), "from the snapshot");
}

#[test]
fn two_programs_at_once_lose_nothing_of_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, _) = open(folder.path());
    let (mut two, _) = open(folder.path());
    let entries = some(20);
    for (index, entry) in entries.iter().enumerate() {
        if index % 3 == 0 { &mut one } else { &mut two }.append(entry.clone()).unwrap();
    }
    one.close().unwrap();
    two.close().unwrap();
    assert_eq!(*open(folder.path()).0.progress(), after(&entries));
}

#[test]
fn many_threads_at_once_write_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                let (mut store, _) = open(folder);
                for index in 0..25 {
                    store.append(graded(NOON + index, &format!("{thread}-{index}"), Grade::Good)).unwrap();
                }
                store.close().unwrap();
            });
        }
    });
    let (store, told) = open(folder.path());
    assert_eq!((store.progress().cards.len(), told), (100, Vec::new()));
}

#[test]
fn what_cannot_be_written_waits_and_is_written_later() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("answers.jsonl");
    // A disk that is always full.
    std::os::unix::fs::symlink("/dev/full", &log).unwrap();
    let entries = some(5);
    let (mut store, _) = open(&folder.path().join("elsewhere"));
    drop(store);
    (store, _) = open(folder.path());
    for entry in &entries[..4] {
        let error = store.append(entry.clone()).unwrap_err().to_string();
        assert!(error.contains("answers.jsonl") && error.contains("wait in memory"), "{error}");
    }
    assert_eq!(*store.progress(), after(&entries[..4]), "it counts all the same");
    fs::remove_file(&log).unwrap();
    store.append(entries[4].clone()).unwrap();
    drop(store);
    assert_eq!(*open(folder.path()).0.progress(), after(&entries));
}

#[test]
fn what_another_program_writes_is_heard_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, _) = open(folder.path());
    let (mut two, _) = open(folder.path());
    let entries = some(6);
    one.look().unwrap();
    assert_eq!(one.others(), [], "there is no log yet");
    two.append_all(entries[..2].to_vec()).unwrap();
    assert_eq!(one.others(), [], "it looks when it is asked to");
    one.look().unwrap();
    assert_eq!(one.others(), entries[..2]);
    one.look().unwrap();
    assert_eq!(one.others(), []);
    two.append(entries[2].clone()).unwrap();
    one.append(entries[3].clone()).unwrap();
    assert_eq!(one.others(), entries[2..3], "writing looks, too; its own answers are no news");
    assert_eq!(*one.progress(), after(&entries[..4]));
}

/// A folder that may be read and not written, for whoever is not root: the program runs as nobody where we are.
#[test]
fn a_folder_that_may_not_be_written_is_told_and_what_it_has_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let everybody = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    everybody(folder.path(), 0o755);
    // Nobody need not see the folder that it was built in.
    let program = folder.path().join("stampede");
    fs::copy(env!("CARGO_BIN_EXE_stampede"), &program).unwrap();
    let state = folder.path().join("state");
    let (mut store, _) = open(&state);
    store.append_all(some(8)).unwrap();
    store.close().unwrap();
    let files = || -> BTreeMap<_, _> {
        let all = fs::read_dir(&state).unwrap().map(|file| file.unwrap().path());
        all.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
    };
    let before = files();
    for path in before.keys() {
        everybody(path, 0o444);
    }
    everybody(&state, 0o555);
    let run = |args: &[&str]| {
        let mut command = Command::new(&program);
        if fs::metadata(folder.path()).unwrap().uid() == 0 {
            command.uid(65_534).gid(65_534);
        }
        command.args(args).arg("--state").arg(&state).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"said\n3\nq\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, shown, _) = run(&["progress", "show"]);
    assert!(code == Some(0) && shown.contains("1  The stampede"), "{shown}");
    let (code, told, error) = run(&["drill", "--plain", "--deck", "interview"]);
    assert!(told.contains("note: could not write") && told.contains("Permission denied"), "{told}");
    assert!(told.contains("Asked: 1, recalled: 1."), "it goes on all the same: {told}");
    let rescue = error.split("answered is in ").nth(1).and_then(|text| text.split(',').next());
    let rescue = rescue.unwrap_or_else(|| panic!("it is written elsewhere: {error}"));
    assert!(code == Some(3) && fs::read_to_string(rescue).unwrap().contains(r#""grade":"good""#), "{error}");
    fs::remove_file(rescue).unwrap();
    assert_eq!(files(), before);
    everybody(&state, 0o755);
}

#[test]
fn a_folder_that_is_none_is_told_and_nothing_is_lost_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let (mut store, _) = open(&file.join("state"));
    store.append(graded(NOON, "a", Grade::Good)).unwrap_err();
    assert_eq!(store.progress().cards.len(), 1);
    let Err(StoreError::Rescued { rescue, .. }) = store.close() else { panic!("there is a place for it") };
    let (mut later, _) = open(&folder.path().join("elsewhere"));
    assert_eq!(later.import(&fs::read(&rescue).unwrap()).unwrap(), (1, 0));
    fs::remove_file(rescue).unwrap();
}

#[test]
fn a_newer_program_s_snapshot_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let entries = some(8);
    let (mut store, _) = open(folder.path());
    store.append_all(entries.clone()).unwrap();
    store.close().unwrap();
    let newer = r#"{"version":2,"something":"else"}"#;
    let snapshot = folder.path().join("progress.json");
    fs::write(&snapshot, newer).unwrap();
    let (mut store, told) = open(folder.path());
    assert!(told.iter().any(|line| line.contains("newer stampede")), "{told:?}");
    assert_eq!(*store.progress(), after(&entries));
    store.append(graded(NOON + DAY, "a", Grade::Good)).unwrap();
    store.close().unwrap();
    assert_eq!(fs::read_to_string(&snapshot).unwrap(), newer);
}

#[test]
fn lines_of_a_newer_program_are_passed_over_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let entries = some(3);
    let (mut store, _) = open(folder.path());
    store.append_all(entries.clone()).unwrap();
    drop(store);
    let log = folder.path().join("answers.jsonl");
    let strange = "{\"at\":5,\"did\":{\"dreamt\":{\"of\":\"locks\"}}}\n\u{fffd}garbage\n";
    fs::write(&log, fs::read_to_string(&log).unwrap() + strange).unwrap();
    let (mut store, told) = open(folder.path());
    assert!(told.iter().any(|line| line.contains("2 lines")), "{told:?}");
    assert_eq!(*store.progress(), after(&entries));
    store.append(graded(NOON + DAY, "a", Grade::Good)).unwrap();
    store.close().unwrap();
    assert!(fs::read_to_string(&log).unwrap().contains(strange), "what stands in the log is never changed");
    assert!(
        !folder.path().join("progress.json").exists(),
        "no snapshot of ours hides them from a newer program"
    );
}

#[test]
fn another_log_is_added_once() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let entries = some(12);
    let (mut one, _) = open(here.path());
    let (mut two, _) = open(there.path());
    // Each has every other answer: they lie between each other.
    for (index, entry) in entries.iter().enumerate() {
        if index % 2 == 0 { &mut one } else { &mut two }.append(entry.clone()).unwrap();
    }
    let text = fs::read(there.path().join("answers.jsonl")).unwrap();
    assert_eq!(one.import(&text).unwrap(), (6, 0));
    assert_eq!(one.import(&text).unwrap(), (0, 0));
    assert_eq!(*one.progress(), after(&entries));
    drop(one);
    assert_eq!(*open(here.path()).0.progress(), after(&entries));
}

#[test]
fn beginning_anew_keeps_what_there_was() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Store::reset(folder.path()).unwrap(), None);
    for number in 1..3 {
        let (mut store, _) = open(folder.path());
        store.append_all(some(4)).unwrap();
        store.close().unwrap();
        let aside = Store::reset(folder.path()).unwrap().expect("there was something");
        assert!(aside.ends_with(format!("before-reset-{number}")));
        assert_eq!(open(&aside).0.progress().entries, 4);
        assert_eq!(open(folder.path()).0.progress().entries, 0);
    }
}

#[test]
fn an_import_keeps_what_only_the_snapshot_knows() {
    let folder = tempfile::tempdir().unwrap();
    let entries = some(12);
    let (mut store, _) = open(folder.path());
    store.append_all(entries.clone()).unwrap();
    store.close().unwrap();
    fs::write(folder.path().join("answers.jsonl"), "").unwrap();
    let (mut store, _) = open(folder.path());
    let later = graded(NOON + DAY, "later", Grade::Good);
    let line = serde_json::to_string(&later).unwrap();
    assert_eq!(store.import(b"no answer").unwrap(), (0, 1));
    assert_eq!(store.import(line.as_bytes()).unwrap(), (1, 0));
    let all = after(&[entries, vec![later]].concat());
    assert_eq!(*store.progress(), all);
    store.close().unwrap();
    assert_eq!(*open(folder.path()).0.progress(), all);
}

#[test]
fn a_log_that_cannot_be_read_for_a_moment_is_not_taken_for_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let entries = some(12);
    let (mut store, _) = open(folder.path());
    store.append_all(entries.clone()).unwrap();
    store.close().unwrap();
    let (log, elsewhere) = (folder.path().join("answers.jsonl"), folder.path().join("elsewhere"));
    fs::rename(&log, &elsewhere).unwrap();
    fs::create_dir(&log).unwrap();
    let (store, told) = open(folder.path());
    assert!(told.iter().any(|line| line.contains("could not be read")), "{told:?}");
    assert_eq!(*store.progress(), after(&entries));
    store.close().unwrap();
    fs::remove_dir(&log).unwrap();
    fs::rename(&elsewhere, &log).unwrap();
    assert_eq!(*open(folder.path()).0.progress(), after(&entries));
}

#[test]
fn beginning_anew_is_noticed_by_programs_that_are_open() {
    let folder = tempfile::tempdir().unwrap();
    let entries = some(9);
    for (number, looks) in [(1, true), (2, false)] {
        let (mut one, _) = open(folder.path());
        one.append_all(entries[..6].to_vec()).unwrap();
        let aside = Store::reset(folder.path()).unwrap().expect("there was something");
        assert!(aside.ends_with(format!("before-reset-{number}")));
        let (mut two, _) = open(folder.path());
        two.append(entries[6].clone()).unwrap();
        assert!(!one.begun_anew(), "it looks when it is asked to");
        if looks {
            one.look().unwrap();
            assert_eq!(*one.progress(), after(&entries[6..7]));
        }
        one.append(entries[7].clone()).unwrap();
        assert!(one.begun_anew() && !one.begun_anew(), "it is told once");
        two.append(entries[8].clone()).unwrap();
        two.close().unwrap();
        one.close().unwrap();
        assert_eq!(*open(folder.path()).0.progress(), after(&entries[6..]));
        assert_eq!(*open(&aside).0.progress(), after(&entries[..6]));
        Store::reset(folder.path()).unwrap();
        fs::remove_dir_all(folder.path().join(format!("before-reset-{}", number + 1))).unwrap();
    }
}

/// What can become of a file.
#[derive(Clone, Debug)]
enum Damage {
    Cut(prop::sample::Index),
    Overwritten(prop::sample::Index, Vec<u8>),
    Gone,
    Garbage(Vec<u8>),
}

impl Damage {
    fn apply(&self, path: &Path) {
        let Ok(mut text) = fs::read(path) else { return };
        match self {
            Self::Cut(at) => text.truncate(at.index(text.len() + 1)),
            Self::Overwritten(at, with) if !text.is_empty() => {
                let at = at.index(text.len());
                for (byte, new) in text[at..].iter_mut().zip(with) {
                    *byte = *new;
                }
            }
            Self::Overwritten(..) => {}
            Self::Gone => return fs::remove_file(path).expect("it is there"),
            Self::Garbage(bytes) => text.clone_from(bytes),
        }
        fs::write(path, text).expect("the folder is ours");
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        any::<prop::sample::Index>().prop_map(Damage::Cut),
        (any::<prop::sample::Index>(), bytes()).prop_map(|(at, with)| Damage::Overwritten(at, with)),
        Just(Damage::Gone),
        bytes().prop_map(Damage::Garbage),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The log may be cut at any byte, as by a crash in writing: every whole line counts, and the next answer is safe.
    #[test]
    fn a_log_that_is_cut_off_keeps_every_whole_line(count in 1_usize..12, cut in any::<prop::sample::Index>()) {
        let folder = tempfile::tempdir().unwrap();
        let entries = some(count);
        let (mut store, _) = open(folder.path());
        store.append_all(entries.clone()).unwrap();
        drop(store);
        let log = folder.path().join("answers.jsonl");
        let text = fs::read(&log).unwrap();
        let length = cut.index(text.len() + 1);
        fs::write(&log, &text[..length]).unwrap();
        // A line is whole with its last brace, even without its end.
        let whole = text[..length].split(|byte| *byte == b'\n').count() - 1
            + usize::from(text.get(length) == Some(&b'\n'));
        let (mut store, _) = open(folder.path());
        let mut kept = entries[..whole].to_vec();
        prop_assert_eq!(store.progress(), &after(&kept));
        kept.push(graded(NOON + DAY, "later", Grade::Good));
        store.append(kept[whole].clone()).unwrap();
        drop(store);
        let (store, _) = open(folder.path());
        prop_assert_eq!(store.progress(), &after(&kept), "the next answer does not grow onto half a line");
    }

    /// Whatever happens to one of the files, nothing that was answered is lost.
    #[test]
    fn damage_to_any_one_file_loses_nothing(
        count in 1_usize..12,
        which in 0_usize..3,
        damage in damage(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut entries = some(count);
        for part in entries.chunks(4) {
            let (mut store, _) = open(folder.path());
            store.append_all(part.to_vec()).unwrap();
            store.close().unwrap();
        }
        let path = folder.path().join(["progress.json", "progress.backup.json", "answers.jsonl"][which]);
        damage.apply(&path);
        let (mut store, _) = open(folder.path());
        prop_assert_eq!(store.progress(), &after(&entries), "{:?} of {}", damage, path.display());
        let later = graded(NOON + DAY, "later", Grade::Good);
        store.append(later.clone()).unwrap();
        store.close().unwrap();
        entries.push(later);
        let (store, _) = open(folder.path());
        prop_assert_eq!(store.progress(), &after(&entries));
    }

    /// Damage to everything at once never makes opening fail.
    #[test]
    fn opening_never_fails(one in damage(), two in damage(), three in damage()) {
        let folder = tempfile::tempdir().unwrap();
        let (mut store, _) = open(folder.path());
        store.append_all(some(6)).unwrap();
        store.close().unwrap();
        for (name, damage) in [("progress.json", one), ("progress.backup.json", two), ("answers.jsonl", three)] {
            damage.apply(&folder.path().join(name));
        }
        let (mut store, _) = open(folder.path());
        let before = store.progress().entries;
        store.append(graded(NOON + DAY, "later", Grade::Good)).unwrap();
        store.close().unwrap();
        let (store, _) = open(folder.path());
        prop_assert_eq!(store.progress().entries, before + 1);
    }
}

#[test]
fn a_wish_counts_from_then_on_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let wished =
        |percent| Entry { at: At(NOON), did: Did::Wished { retention: Retention::percent(percent) } };
    let (mut store, _) = open(folder.path());
    let interval = |store: &Store, card: &str| store.progress().cards[card].memory.unwrap().interval;
    store.append(graded(NOON, "before", Grade::Easy)).unwrap();
    store.append(wished(70)).unwrap();
    store.append(graded(NOON, "after", Grade::Easy)).unwrap();
    assert!(interval(&store, "after") > interval(&store, "before"), "less is recalled, and asked later");
    let known = store.progress().clone();
    drop(store);
    assert_eq!(*open(folder.path()).0.progress(), known, "as it was, whatever is wished for now");
    let (store, _) = open(folder.path());
    store.close().unwrap();
    assert_eq!(*open(folder.path()).0.progress(), known, "from the snapshot, too");
    assert_eq!(Retention::percent(5), Retention::percent(Retention::MIN));
    assert_eq!(Retention::percent(Retention::MAX).turned(true), Retention::percent(Retention::MAX));
}

fn deck(groups: &[&str]) -> Deck {
    let card = |(index, group): (usize, &&str)| Card {
        id: format!("c{index}"),
        deck: "d".to_owned(),
        group: (*group).to_owned(),
        kind: Kind::Recall { ask: "?".to_owned(), tell: "!".to_owned() },
    };
    Deck { cards: groups.iter().enumerate().map(card).collect() }
}

#[test]
fn cards_of_one_group_come_up_on_different_days() {
    let deck = deck(&["x", "x", "y"]);
    let mut progress = Progress::default();
    let now = queue(&deck, &progress, At(NOON), Limits::default());
    assert_eq!((now.new, now.buried), (vec![0, 2], 1));
    progress.take(&graded(NOON, "c0", Grade::Easy));
    let later = queue(&deck, &progress, At(NOON + 1), Limits::default());
    assert_eq!((later.new, later.buried), (vec![2], 1), "and not after the other was answered, either");
    let tomorrow = queue(&deck, &progress, At(NOON + DAY), Limits::default());
    assert_eq!(tomorrow.new, vec![1, 2]);
}

#[test]
fn a_day_brings_so_many_new_cards_and_no_more() {
    let deck = deck(&["a", "b", "c", "d", "e"]);
    let limits = Limits { new: 2, reviews: 100 };
    let mut progress = Progress::default();
    assert_eq!(queue(&deck, &progress, At(NOON), limits).new, [0, 1]);
    progress.take(&graded(NOON, "c0", Grade::Easy));
    assert_eq!(queue(&deck, &progress, At(NOON), limits).new, [1]);
    progress.take(&graded(NOON, "c1", Grade::Easy));
    assert_eq!(queue(&deck, &progress, At(NOON), limits).new, [0_usize; 0]);
    assert_eq!(queue(&deck, &progress, At(NOON + DAY), limits).new, [2, 3]);
}

#[test]
fn what_is_being_learned_comes_before_what_is_due_and_that_before_new_cards() {
    let deck = deck(&["a", "b", "c", "d"]);
    let mut progress = Progress::default();
    progress.take(&graded(NOON - 40 * DAY, "c1", Grade::Easy));
    progress.take(&graded(NOON - 30 * DAY, "c2", Grade::Easy));
    progress.take(&graded(NOON - 120_000, "c3", Grade::Again));
    let now = queue(&deck, &progress, At(NOON), Limits::default());
    assert_eq!((&now.learning[..], &now.due[..], &now.new[..]), (&[3][..], &[1, 2][..], &[0][..]));
    assert_eq!(now.next(), Some(3));
    progress.take(&graded(NOON, "c3", Grade::Hard));
    let now = queue(&deck, &progress, At(NOON), Limits::default());
    assert_eq!(
        (now.next(), &now.soon[..]),
        (Some(1), &[3][..]),
        "in ten minutes, or when nothing else is left"
    );
}

#[test]
fn the_forecast_counts_every_card_once() {
    let deck = deck(&["a", "b", "c"]);
    let mut progress = Progress::default();
    progress.take(&graded(NOON - 40 * DAY, "c0", Grade::Easy));
    progress.take(&graded(NOON, "c1", Grade::Easy));
    let ahead = usize::try_from(progress.calendar.day(progress.due("c1").unwrap()).0 - 20_000).unwrap();
    let days = forecast(&deck, &progress, At(NOON), 60);
    assert_eq!((days[0], days[ahead], days.iter().sum::<usize>()), (1, 1, 2));
    assert_eq!(progress.calendar.day(At(NOON)), Day(20_000));
}

#[test]
fn the_cards_of_the_interview_are_well() {
    let deck = Deck::of_interview(include_str!("../assets/drill.toml")).unwrap();
    let kinds: BTreeSet<&str> = deck.cards.iter().map(|card| card.kind.name()).collect();
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    for card in &deck.cards {
        let long = match &card.kind {
            Kind::Recall { tell, .. } => tell.chars().count(),
            Kind::RedFlag { because, .. } | Kind::Choice { because, .. } => because.chars().count(),
            _ => 0,
        };
        assert!(long.max(card.kind.ask().chars().count()) <= 130, "{} has {long} characters", card.id);
    }
}

#[test]
fn every_card_of_the_course_can_be_asked() {
    let app = support::screen::app(Opening::Map);
    // Certain, and wrong: the question of a beat is a card then.
    let mut progress = Progress::default();
    let predicted = Did::Predicted {
        lesson: "04-wrong-release".to_owned(),
        take: "bare-del".to_owned(),
        beat: 3,
        confidence: Confidence::Certain,
        right: false,
    };
    progress.take(&Entry { at: At(NOON), did: predicted });
    let deck = course(&app.lessons, &progress).unwrap();
    let mut answers = BTreeMap::new();
    for card in &deck.cards {
        let posed = pose(card, &app.lessons, &app.bench, Glyphs::Unicode)
            .unwrap_or_else(|error| panic!("{}: {error}", card.id));
        let answer = match &posed.expected {
            Expected::Spoken(told) => told.clone(),
            Expected::Choice { right, because } => {
                assert!(!because.is_empty(), "{}", card.id);
                posed.options[*right].clone()
            }
            Expected::Order(order) => {
                order.iter().map(|step| posed.options[*step].clone()).collect::<Vec<_>>().join("; ")
            }
        };
        assert!(!answer.is_empty() && answer != "-", "{}: {answer}", card.id);
        answers.insert(card.id.clone(), answer);
    }
    let told = |id: &str| answers[id].as_str();
    assert_eq!(told("reply-nx-taken"), "(nil)");
    assert_eq!(told("reply-ttl-immortal"), "(integer) -1");
    assert_eq!(told("reply-ttl-gone"), "(integer) -2");
    assert_eq!(told("reply-set-keeps-no-ttl"), "(integer) -1");
    assert_eq!(told("read-owner-after-del"), "B");
    assert_eq!(told("read-fills-at-once"), "3");
    assert!(told("order-race").starts_with("a reader misses") && told("order-race").ends_with("version 11"));
    assert!(told(&question_of("04-wrong-release", "bare-del", 3)).contains("a third one gets in"));
}

#[test]
fn the_interview_leads_to_lessons_that_are_there() {
    let interview = Interview::shipped();
    let lessons = support::screen::lessons();
    for wanted in interview.lessons() {
        assert!(lessons.iter().any(|lesson| lesson.slug == wanted), "{wanted}");
    }
}
