//! A minute of traffic in a second, and what the guard counted.
//!
//! `cargo run --example metrics`. With the feature `metrics` the same numbers go to the recorder of the `metrics` crate.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

mod common;

use std::future::IntoFuture;
use std::time::Duration;

use common::{Failure, pause, redis};
use futures::future::join_all;
use stampede::guard::{Expiry, Guard, Options};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let (connection, _server) = redis().await?;
    let expiry = Expiry { soft: Duration::from_millis(100), hard: Duration::from_secs(10), jitter: 0.2 };
    let guard = Guard::builder(connection)
        .namespace("example:")
        .options(Options { expiry, ..Options::default() })
        .build()?;
    for wave in 0..20 {
        let calls = (0..50).map(|n| {
            let key = format!("page:{}", (n * n + wave) % 7);
            let fill = || async {
                pause(Duration::from_millis(30)).await;
                Ok("a page".to_owned())
            };
            guard.get_or_recompute(key, fill).into_future()
        });
        join_all(calls).await;
        pause(Duration::from_millis(25)).await;
    }
    let counted = guard.metrics();
    println!("{counted}");
    let share = (counted.requests - counted.fills) * 100 / counted.requests;
    println!("{share} % of the requests did not reach the source");
    Ok(())
}
