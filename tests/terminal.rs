//! The app in a real pseudo-terminal: it opens, it resizes, and it always gives the terminal back.

#![cfg(all(feature = "app", unix))]

mod support;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use stampede::clock::Wall;
use stampede::drill::{Calendar, Store};
use stampede::judge::Order;
use stampede::lesson::Shelf;
use stampede::server::find_on_path;
use stampede::tui::{App, Glyphs, Notebook, Opening, ThemeName};

/// The longest a condition may take to come true on a slow machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program in a terminal, and what that terminal shows.
struct Session {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    /// Where it keeps progress, unless it is told another place.
    state: tempfile::TempDir,
    parser: vt100::Parser,
    received: Vec<u8>,
}

fn open(args: &[&str], size: (u16, u16)) -> Session {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_stampede"));
    command.args(args);
    start(command, size)
}

/// Lesson 4 on the embedded server and, where one is installed, on a private one.
fn on_our_servers() -> Vec<Session> {
    let installed = find_on_path("redis-server").is_some() || find_on_path("valkey-server").is_some();
    let wishes = if installed { vec!["embedded", "spawn"] } else { vec!["embedded"] };
    wishes.into_iter().map(|wish| open(&["play", "4", "--server", wish], (80, 24))).collect()
}

fn start(mut command: CommandBuilder, size: (u16, u16)) -> Session {
    let size = PtySize { cols: size.0, rows: size.1, pixel_width: 0, pixel_height: 0 };
    let pty = native_pty_system().openpty(size).expect("the system has pseudo-terminals");
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    command.env_remove("REDIS_URL");
    let state = tempfile::tempdir().expect("there is a temporary folder");
    command.env("XDG_STATE_HOME", state.path());
    let child = pty.slave.spawn_command(command).expect("the program starts");
    let mut reader = pty.master.try_clone_reader().expect("a terminal can be read");
    let (tell, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            if tell.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let keyboard = pty.master.take_writer().expect("a terminal can be written to");
    let parser = vt100::Parser::new(cells(size.rows), cells(size.cols), 0);
    Session { master: pty.master, child, keyboard, output, parser, received: Vec::new(), state }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has cells")
}

impl Session {
    fn type_keys(&mut self, keys: &[u8]) {
        self.keyboard.write_all(keys).and_then(|()| self.keyboard.flush()).expect("the terminal takes keys");
    }

    fn take_output(&mut self, wait: Duration) -> bool {
        let Ok(bytes) = self.output.recv_timeout(wait) else { return false };
        self.parser.process(&bytes);
        self.received.extend(bytes);
        true
    }

    fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    /// Reads until the screen fulfils a condition.
    #[track_caller]
    fn wait_for(&mut self, what: &str, fulfilled: impl Fn(&str) -> bool) {
        let end = stampede::clock::now() + PATIENCE;
        while !fulfilled(&self.screen()) {
            self.take_output(Duration::from_millis(50));
            assert!(stampede::clock::now() < end, "{what} did not come; the screen shows\n{}", self.screen());
        }
    }

    #[track_caller]
    fn wait_text(&mut self, text: &str) {
        self.wait_for(text, |screen| screen.contains(text));
    }

    /// Waits for the program to end, and for the last of its output; returns its exit code.
    #[track_caller]
    fn wait_end(&mut self) -> u32 {
        let end = stampede::clock::now() + PATIENCE;
        loop {
            self.take_output(Duration::from_millis(20));
            if let Some(status) = self.child.try_wait().expect("a child can be asked") {
                while self.take_output(Duration::from_millis(100)) {}
                return status.exit_code();
            }
            assert!(
                stampede::clock::now() < end,
                "the program does not end; the screen shows\n{}",
                self.screen()
            );
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.process_id().expect("a running child has a number");
        let status =
            std::process::Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
        assert!(status.expect("kill runs").success());
    }

    fn is_stopped(&self) -> bool {
        let pid = self.child.process_id().expect("a running child has a number").to_string();
        let state = std::process::Command::new("ps").args(["-o", "stat=", "-p", &pid]).output();
        state.expect("ps runs").stdout.starts_with(b"T")
    }

    #[track_caller]
    fn assert_given_back(&self) {
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left");
        assert!(!screen.hide_cursor(), "the cursor is back");
    }

    /// The folder of the private server, as the help page tells it.
    fn server_socket(&mut self) -> String {
        self.type_keys(b"?");
        self.wait_text("redis-cli -s ");
        let screen = self.screen();
        let (_, after) = screen.split_once("redis-cli -s ").expect("it is on the screen");
        let socket: String = after.chars().take_while(|c| !c.is_whitespace() && *c != '│').collect();
        self.type_keys(b"\x1b");
        self.wait_for("the help page closes", |screen| !screen.contains("redis-cli -s "));
        socket
    }
}

/// Waits until a path is gone.
#[track_caller]
fn wait_gone(path: &str) {
    let end = stampede::clock::now() + PATIENCE;
    while Path::new(path).exists() {
        std::thread::yield_now();
        assert!(stampede::clock::now() < end, "{path} is still there");
    }
}

/// The PATH there is, except that a folder with a server is replaced by one with all else that is in it. (Tools stay where
/// they are if they can: cargo builds everything anew for a compiler in another place.)
fn path_without_servers(scratch: &Path) -> OsString {
    let is_server = |name: &str| name.starts_with("redis") || name.starts_with("valkey");
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let path = std::env::var_os("PATH").expect("there is a PATH");
    let folders = std::env::split_paths(&path).enumerate().map(|(index, folder)| {
        let names = names(&folder);
        if !names.iter().any(|name| is_server(name)) {
            return folder;
        }
        let other = scratch.join(index.to_string());
        std::fs::create_dir(&other).expect("a folder of our own");
        for name in names.iter().filter(|name| !is_server(name)) {
            std::os::unix::fs::symlink(folder.join(name), other.join(name)).expect("a link in it");
        }
        other
    });
    std::env::join_paths(folders).expect("no colon in a folder of our own")
}

fn assert_plays_on_the_embedded_server(mut session: Session) {
    session.wait_text("LIVE embedded redis");
    session.type_keys(b"]");
    session.wait_text("beat 1/");
    session.type_keys(b"q");
    assert_eq!(session.wait_end(), 0);
    session.assert_given_back();
}

#[test]
fn without_a_server_on_the_path_it_plays_on_the_embedded_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_stampede"));
    command.args(["play", "1"]);
    command.env("PATH", path_without_servers(folder.path()));
    assert_plays_on_the_embedded_server(start(command, (80, 24)));
}

/// What a newcomer types, on a machine without a server.
#[test]
#[ignore = "it builds; .ci/run asks for it"]
fn the_first_command_of_the_readme_plays_a_lesson() {
    let readme = include_str!("../README.md");
    let line = readme.lines().find(|line| line.starts_with("cargo run")).expect("a first command");
    let words = line.split('#').next().unwrap_or_default().split_whitespace();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = CommandBuilder::from_argv(words.map(Into::into).collect());
    command.cwd(env!("CARGO_MANIFEST_DIR"));
    command.env("PATH", path_without_servers(folder.path()));
    assert_plays_on_the_embedded_server(start(command, (80, 24)));
}

#[test]
fn it_opens_resizes_and_quits() {
    let mut session = open(&[], (80, 24));
    session.wait_text("The stampede");
    session.type_keys(b"\r");
    session.wait_text("LIVE");
    for (cols, rows) in [(120, 40), (200, 60), (60, 20), (10, 3), (80, 24)] {
        session
            .master
            .resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
            .expect("terminals resize");
        session.parser.screen_mut().set_size(cells(rows), cells(cols));
        let wanted = if cols < 40 { "10x3 is" } else { "LIVE" };
        session.wait_text(wanted);
    }
    session.type_keys(b"q");
    assert_eq!(session.wait_end(), 0);
    session.assert_given_back();
}

#[test]
fn ctrl_c_leaves_from_anywhere() {
    for before in [&b""[..], b"?", b"\r", b"\r ", b"\r]", b"\re"] {
        let mut session = open(&[], (80, 24));
        session.wait_text("The stampede");
        session.type_keys(before);
        session.type_keys(b"\x03");
        assert_eq!(session.wait_end(), 0, "{before:?}");
        session.assert_given_back();
    }
}

#[test]
fn signals_end_it_cleanly_and_the_server_with_it() {
    for name in ["TERM", "HUP", "INT"] {
        let mut session = open(&["play", "4"], (80, 24));
        session.wait_text("LIVE");
        let socket = session.server_socket();
        assert!(Path::new(&socket).exists());
        session.signal(name);
        assert_eq!(session.wait_end(), 0, "{name}");
        session.assert_given_back();
        wait_gone(&socket);
    }
}

#[test]
fn the_server_ends_even_when_we_are_killed() {
    for mut session in on_our_servers() {
        session.wait_text("LIVE");
        let socket = session.server_socket();
        session.signal("KILL");
        session.wait_end();
        wait_gone(&socket);
        wait_gone(socket.trim_end_matches("/redis.sock"));
    }
}

#[test]
fn ctrl_z_stops_it_and_fg_brings_it_back() {
    let mut session = open(&["play", "4"], (80, 24));
    session.wait_text("LIVE");
    session.received.clear();
    session.type_keys(b"\x1a");
    let end = stampede::clock::now() + PATIENCE;
    // The terminal is given back before the program stops, and a CONT in between would go unheard.
    while session.parser.screen().alternate_screen() || !session.is_stopped() {
        session.take_output(Duration::from_millis(50));
        assert!(stampede::clock::now() < end, "Ctrl-Z gives the terminal back and stops the program");
    }
    session.signal("CONT");
    session.wait_text("LIVE");
    assert!(session.parser.screen().alternate_screen());
    session.type_keys(b"q");
    assert_eq!(session.wait_end(), 0);
    session.assert_given_back();
}

#[test]
fn the_editor_has_the_terminal_to_itself_and_gives_it_back() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let editor = folder.path().join("an editor");
    let script = "#!/bin/sh\necho EDITING\nread line\necho \"-- $line\" >> \"$1\"\n";
    std::fs::write(&editor, script).expect("a file in it");
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o700)).expect("ours to run");
    let state = folder.path().join("state").display().to_string();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_stampede"));
    command.args(["--server", "embedded", "--state", &state, "play", "4"]);
    command.env("VISUAL", format!("'{}'", editor.display()));
    let mut session = start(command, (100, 30));
    session.wait_text("LIVE");
    session.type_keys(b"E");
    session.wait_text("c judge");
    session.type_keys(b"E");
    session.wait_text("EDITING");
    assert!(!session.parser.screen().alternate_screen(), "the editor has a screen like any program");
    session.type_keys(b"q, Q and E are text here\r");
    session.wait_text("-- q, Q and E are text here");
    assert!(session.parser.screen().alternate_screen());
    // Ctrl-C in the editor ends the editor.
    session.type_keys(b"E");
    session.wait_for("the second time", |screen| screen.matches("EDITING").count() == 2);
    session.type_keys(b"\x03");
    session.wait_text("did not end well");
    session.type_keys(b"\x1b");
    session.wait_text("LIVE");
    session.type_keys(b"q");
    assert_eq!(session.wait_end(), 0);
    session.assert_given_back();
}

#[test]
fn a_server_killed_in_the_middle_is_a_message_and_a_restart() {
    for mut session in on_our_servers() {
        session.wait_text("LIVE");
        let socket = session.server_socket();
        let mut connection = redis::Client::open(format!("redis+unix://{socket}"))
            .expect("an address")
            .get_connection()
            .expect("it answers");
        // The server closes the connection instead of answering.
        let gone: redis::RedisResult<()> = redis::cmd("SHUTDOWN").arg("NOSAVE").query(&mut connection);
        drop(gone);
        session.type_keys(b"]");
        session.wait_text("STOPPED");
        session.wait_text("r starts the take again");
        session.type_keys(b"r");
        session.wait_text("LIVE");
        session.type_keys(b"]");
        session.wait_text("beat 1/");
        session.type_keys(b"q");
        assert_eq!(session.wait_end(), 0);
        session.assert_given_back();
    }
}

/// The processes whose parent is `pid`.
fn children(pid: u32) -> Vec<u32> {
    let output = std::process::Command::new("ps").args(["-o", "pid=", "--ppid", &pid.to_string()]).output();
    let text = String::from_utf8(output.expect("ps runs").stdout).expect("ps prints numbers");
    text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn a_server_that_stops_answering_hangs_nothing() {
    let Some(mut session) = on_our_servers().into_iter().nth(1) else {
        eprintln!("skipped: there is no server program to stop");
        return;
    };
    session.wait_text("LIVE");
    let socket = session.server_socket();
    let supervisor = children(session.child.process_id().expect("it runs"));
    let server = children(*supervisor.first().expect("the server has a supervisor"));
    let stop = std::process::Command::new("kill").args(["-STOP", &server[0].to_string()]).status();
    assert!(stop.expect("kill runs").success());
    session.type_keys(b"]");
    session.wait_text("STOPPED");
    session.type_keys(b"r");
    session.wait_text("LIVE");
    session.type_keys(b"q");
    assert_eq!(session.wait_end(), 0);
    session.assert_given_back();
    wait_gone(&socket);
}

#[test]
fn an_outside_client_reads_what_the_screen_says() {
    for mut session in on_our_servers() {
        session.wait_text("LIVE");
        let socket = session.server_socket();
        // Some steps in, with a lock that has a countdown.
        session.type_keys(b"4G");
        session.wait_text("step 4 ");
        let screen = session.screen();
        let row =
            screen.lines().find(|line| line.contains("PTTL")).expect("the lock panel is there").to_owned();
        let (_, after) = row.split_once("PTTL").expect("it is in the row");
        let shown: i64 = after
            .split('/')
            .next()
            .and_then(|text| text.trim().parse().ok())
            .expect("milliseconds before a slash");
        let mut connection = redis::Client::open(format!("redis+unix://{socket}"))
            .expect("an address")
            .get_connection()
            .expect("it answers");
        let begun = stampede::clock::now();
        while stampede::clock::since(begun) < Duration::from_secs(1) {
            let real: i64 =
                redis::cmd("PTTL").arg("lock:product:123").query(&mut connection).expect("PTTL answers");
            assert!((real - shown).abs() <= 100, "the screen says {shown}, the server {real}");
        }
        session.type_keys(b"q");
        assert_eq!(session.wait_end(), 0);
    }
}

#[test]
fn paused_it_writes_nothing() {
    let mut session = open(&["play", "4"], (80, 24));
    session.wait_text("LIVE");
    session.type_keys(b"4G");
    session.wait_text("step 4 ");
    while session.take_output(Duration::from_millis(300)) {}
    let before = session.received.len();
    session.take_output(Duration::from_secs(1));
    assert_eq!(session.received.len(), before, "a paused screen is silent");
    session.type_keys(b"q");
    session.wait_end();
}

/// Names the child among the tests of this program.
const CHILD: &str = "STAMPEDE_TEST_CHILD";

/// Not a test of its own: what [`a_panic_in_any_thread_gives_the_terminal_back`] runs in its terminal.
#[test]
fn child_whose_lab_panics() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let shelf = Shelf::open(None).expect("the lessons are well");
    let lessons: Vec<_> = shelf.lessons.into_iter().map(Arc::new).collect();
    let order = Order::new(Arc::clone(&lessons[0]), 0, 7);
    let app = App {
        lessons,
        connect: Arc::new(|_| panic!("the lab's thread panics here")),
        bench: Arc::new(|| panic!("nothing is compared here")),
        watch: None,
        state: std::env::temp_dir(),
        theme: ThemeName::Dark,
        glyphs: Glyphs::Unicode,
        prefix: String::new(),
        seed: 7,
        speed: 1.0,
        opening: Opening::Run(Box::new(order), None),
        notebook: Notebook::new(Store::forgetful(Calendar::default()), Arc::new(Wall)),
        told: Vec::new(),
    };
    let error = app.run().expect_err("a panic is not a good end");
    eprintln!("ended: {error}");
}

#[test]
fn a_panic_in_any_thread_gives_the_terminal_back() {
    let mut command = CommandBuilder::new(std::env::current_exe().expect("this program has a path"));
    command.args(["--exact", "child_whose_lab_panics", "--nocapture"]);
    command.env(CHILD, "1");
    let mut session = start(command, (80, 24));
    session.wait_end();
    session.assert_given_back();
    let said = String::from_utf8_lossy(&session.received).into_owned();
    assert!(said.contains("the lab's thread panics here"), "the panic is told: {said}");
    assert!(said.contains("ended: the lab's thread has died"), "and so is the end: {said}");
}

/// Ten cards, each grade on the disk before the next card; killed in the middle of the eleventh, nothing is lost.
#[test]
fn ten_cards_survive_a_kill() {
    let mut session =
        open(&["drill", "--deck", "interview", "--new", "20", "--server", "embedded"], (80, 24));
    for asked in 0..10 {
        session.wait_for("a card", |screen| {
            screen.contains(&format!("{asked} asked")) && screen.contains("Say it aloud")
        });
        session.type_keys(b"\r");
        session.wait_text("how well?");
        session.type_keys(b"3");
    }
    session.wait_text("10 asked");
    session.signal("KILL");
    session.wait_end();
    let kept = Store::open(&session.state.path().join("stampede"), Calendar::default()).0;
    assert_eq!(kept.progress().cards.values().filter(|card| card.memory.is_some()).count(), 10);
}

/// The clock of an interview runs by itself; whatever is typed is text, and Ctrl-C gives the terminal back all the same.
#[test]
fn an_interview_counts_the_seconds() {
    let mut session = open(&["interview", "--level", "junior", "--server", "embedded"], (80, 24));
    session.wait_text("Enter starts the clock: 20 seconds.");
    session.type_keys(b"\r");
    session.wait_text("0:02");
    session.type_keys(b"quit? d, m, p");
    session.wait_text("quit? d, m, p");
    session.type_keys(b"\x03");
    assert_eq!(session.wait_end(), 0);
    session.assert_given_back();
}
