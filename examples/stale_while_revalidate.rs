//! A value that is fresh for 300 ms and kept for a minute: after that readers get the old one at once, while it is
//! computed anew behind their backs.
//!
//! `cargo run --example stale_while_revalidate`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use common::{Failure, pause, redis};
use stampede::guard::{Expiry, Guard, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let (connection, _server) = redis().await?;
    let expiry = Expiry { soft: Duration::from_millis(300), hard: Duration::from_mins(1), jitter: 0.0 };
    let guard = Guard::builder(connection)
        .namespace("example:")
        .options(Options { expiry, ..Options::default() })
        .build()?;
    guard.invalidate("headline").await?;
    let edition = Arc::new(AtomicU32::new(1));
    for _ in 0..12 {
        let edition = Arc::clone(&edition);
        let answer = guard
            .get_or_recompute("headline", move || async move {
                pause(Duration::from_millis(200)).await;
                Ok(format!("edition {}", edition.fetch_add(1, Ordering::Relaxed)))
            })
            .await?;
        println!("{:<12} {:?}", answer.value, answer.provenance);
        pause(Duration::from_millis(100)).await;
    }
    Ok(())
}
