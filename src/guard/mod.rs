//! The cache guard: expensive values are recomputed by one caller, wherever the others are.
//!
//! When a hot entry of a cache expires, every request that needs it goes to the source at once: a *cache stampede*. The
//! guard stands between the requests and the source. One caller, of all processes that share a Redis, wins a lock and
//! computes the value; the others get the old one, or wait for the new one, or are turned away in a controlled manner.
//!
//! ```no_run
//! # #[derive(serde::Serialize, serde::Deserialize)] struct Product;
//! # async fn load_from_database() -> Result<Product, stampede::guard::SourceError> { Ok(Product) }
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use stampede::guard::Guard;
//!
//! let client = redis::Client::open("redis://127.0.0.1")?;
//! let guard = Guard::builder(client.get_connection_manager().await?).build()?;
//!
//! let answer = guard.get_or_recompute("product:123", || async {
//!     // Runs once, however many ask.
//!     load_from_database().await
//! }).await?;
//! # let _: Product = answer.value;
//! # Ok(())
//! # }
//! ```
//!
//! # What happens
//!
//! ```text
//!   GET value ──fresh──────────────────────────────► Hit              one command
//!      │ └─────stale──► refresh in the background ─► Stale            one command
//!    nothing
//!      ▼
//!   one load for all callers in this process (singleflight)
//!      │
//!   SET lock token NX PX lease ──nil──► look again now and then ────► Waited, or what the options say
//!      │ OK
//!   look again, and claim the empty place
//!      │
//!   the fill, watched: deadline, progress, lease
//!      │
//!   store, if the place is still as it was ► compare-and-delete ───► Recomputed, the others Coalesced
//! ```
//!
//! # When not to use it
//!
//! The lock makes double work rare, not impossible: a lease can end while its holder still works (a pause of the
//! process, a failover of Redis), and then two fill at once. That is harmless as long as a fill only *reads*: the second
//! does what the first did, and an older result never replaces a newer one. **Do not put side effects into a fill.** One
//! that charges a card or sends mail needs fencing tokens, checked by the resource itself, not a lock. And what must be
//! exact at every moment (stock, permissions, balances) should not come from a cache at all.
//!
//! # What it promises
//!
//! - A lock always has an end, and nobody removes another's.
//! - No caller waits without a deadline: each wait in [`Options`] has one, and `build` refuses those above [`LONGEST`].
//! - Who asks after [`invalidate`](Guard::invalidate) has returned is given nothing older, unless the answer says so
//!   ([`Provenance::Stale`], [`Provenance::Fallback`]).
//! - At most one fill of a key runs at a time, unless a lease has ended or Redis could not be asked; and never more in
//!   one process than it has [permits](Builder::permits).
//! - A value that the source gave reaches its caller, whatever goes wrong with storing it.
//! - A fill that hangs is ended at [`Lease::max_hold`]: key, lock and waiters are free again.
//! - Dropping a request at any await leaves nothing behind but, at worst, a lock until its lease ends.
//!
//! # Choosing
//!
//! Begin with a preset and change what you must: the table at [`Options`] says what each turns on. The options of a guard
//! are the defaults of its calls, and each call can change them: `guard.get_or_recompute(…).options(|o| …)`,
//! [`never_stale`](Request::never_stale), [`or`](Request::or) a value, [`within`](Request::within) a deadline.
//! The errors say what to do: [`Error::NotFound`] is a 404, [`Error::Contended`] and [`Error::Shed`] are a 503 with
//! `Retry-After`, [`Error::Source`] is the source's own.
//!
//! # How old is a value?
//!
//! Its age is told by the clock of the Redis server alone. Each process asks for that once in half a minute and knows it
//! in between from its own monotonic clock, so that a read needs no second command, and application servers whose clocks
//! are wrong do no harm.
//!
//! # Features
//!
//! Without default features only this module and [`clock`](crate::clock) are built, with none of the terminal app's
//! dependencies. `metrics` sends all counters to the `metrics` crate's recorder. Spans and events go to `tracing`.

mod answer;
mod builder;
mod call;
mod core;
mod entry;
mod error;
mod fill;
mod flight;
#[expect(clippy::module_inception, reason = "the room is named after what it holds")]
mod guard;
#[cfg(all(test, shuttle))]
mod interleavings;
mod lease;
mod metrics;
mod naming;
mod options;
mod request;
mod scripts;
mod sync;
mod wire;

pub use answer::{Answer, Provenance, Stored};
pub use builder::Builder;
pub use entry::{Codec, CodecError, Inspected, Json, Raw, inspect, is_stamp};
pub use error::{Error, NotFound, SourceError};
pub use fill::Fill;
pub use guard::Guard;
pub use metrics::{Bucket, Histogram, Snapshot};
pub use options::{
    Expiry, Fallback, LONGEST, Lease, Losers, Negative, Options, OptionsError, Poll, Refresh, Renewal, Term,
};
pub use request::Request;
pub use scripts::{SCRIPTS, script_of};
pub use wire::{BreakerOptions, Connection, Trouble};
