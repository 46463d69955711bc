//! What stands under a value's key, and how it gets there.
//!
//! An [entry](header) is one Redis string: a header that tells what it is, whose it is and how old it is, and the
//! value's bytes. A fill begins from an entry it has seen (an old value, or the *claim* it has put in an empty place)
//! and may only replace that very one. So whatever removes or replaces an entry in the meantime (an invalidation, a
//! newer fill, a plain `DEL` by somebody who knows nothing of this library, an eviction) makes the fill's result
//! unwelcome, and it is not stored. The idea is that of memcache's leases (Nishtala et al., *Scaling Memcache at
//! Facebook*, NSDI 2013, section 3.2.1); here the old value stays readable meanwhile. Every script touches one key, so
//! that a cluster never has reason to refuse one.

mod codec;
mod header;
mod inspect;
mod memory;
mod store;

pub use codec::{Codec, CodecError, Json, Raw};
pub(super) use header::{Entry, Kind, Stamp};
pub use inspect::{Inspected, inspect, is_stamp};
pub(super) use memory::Memory;
pub(super) use store::{Claimed, Store, prolong};
