//! A redis-server of the test's own that can be stopped, killed and started again at the same address.

use std::process::{Child, Command, Stdio};

use stampede::server::find_on_path;
use tempfile::TempDir;

use crate::support::ms;

pub(crate) struct Redis {
    folder: TempDir,
    child: Child,
}

/// The program, if it is installed; where CI requires it, it must be.
pub(crate) fn program() -> Option<std::path::PathBuf> {
    let found = find_on_path("redis-server");
    let required = std::env::var("STAMPEDE_REQUIRE_SERVERS").unwrap_or_default();
    assert!(
        found.is_some() || !required.contains("redis-server"),
        "redis-server is required and not on PATH"
    );
    if found.is_none() {
        eprintln!("no redis-server on PATH: not tested");
    }
    found
}

impl Redis {
    pub(crate) fn start() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let child = launch(&program()?, &folder);
        Some(Self { folder, child }).inspect(Self::wait)
    }

    pub(crate) fn client(&self) -> redis::Client {
        let address = format!("redis+unix://{}/redis.sock", self.folder.path().display());
        redis::Client::open(address).expect("a good address")
    }

    fn wait(&self) {
        for _ in 0..1_000 {
            if self.client().get_connection().is_ok() {
                return;
            }
            std::thread::park_timeout(ms(10));
        }
        panic!("redis-server does not start");
    }

    pub(crate) async fn ask<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        let mut connection =
            self.client().get_multiplexed_async_connection().await.expect("the server answers");
        let mut command = redis::Cmd::new();
        for word in words {
            command.arg(*word);
        }
        command.query_async(&mut connection).await.expect("the server answers")
    }

    pub(crate) fn signal(&mut self, name: &str) {
        signal(self.child.id(), name);
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    pub(crate) fn start_again(&mut self) {
        self.child = launch(&program().expect("it was there"), &self.folder);
        self.wait();
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn signal(process: u32, name: &str) {
    let done = Command::new("kill").arg(format!("-{name}")).arg(process.to_string()).status();
    assert!(done.expect("there is a kill").success());
}

fn launch(program: &std::path::Path, folder: &TempDir) -> Child {
    let mut command = Command::new(program);
    command.args(["--port", "0", "--save", "", "--unixsocket", "redis.sock"]).current_dir(folder.path());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("redis-server starts")
}
