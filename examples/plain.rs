//! A value that takes a second to compute, asked for by ten callers at once, twice.
//!
//! `cargo run --example plain`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

mod common;

use std::future::IntoFuture;
use std::time::Duration;

use common::{Failure, pause, redis};
use futures::future::join_all;
use stampede::guard::{Guard, SourceError};

async fn expensive(n: u64) -> Result<u64, SourceError> {
    println!("  computing, for a second");
    pause(Duration::from_secs(1)).await;
    Ok((1..=n).product())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let (connection, _server) = redis().await?;
    let guard = Guard::builder(connection).namespace("example:").build()?;
    guard.invalidate("factorial:20").await?;
    for round in ["nothing in the cache", "a warm cache"] {
        println!("{round}, ten callers:");
        let calls = (0..10).map(|_| {
            // Callers in this process share the load, however long it takes.
            let patient = Duration::from_secs(5);
            let call = guard.get_or_recompute("factorial:20", || expensive(20));
            call.options(|options| options.losers.wait = patient).into_future()
        });
        for answer in join_all(calls).await {
            let answer = answer?;
            println!("  {} {:?}", answer.value, answer.provenance);
        }
    }
    Ok(())
}
