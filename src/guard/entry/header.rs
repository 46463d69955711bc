//! The form of an entry: header and payload.
//!
//! ```text
//!  0        4      5          21           29         37        45       53       61
//!  | magic  | kind | id (16)  | retry at   | written  | soft    | hard   | cost   | payload …
//!  |<----------- stamp ----->|
//! ```
//! Times are milliseconds of the server's clock since 1970, lives are milliseconds, the cost is in microseconds; all
//! are 64 bits, big-endian.

use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};

/// What every entry of this version begins with. The first byte is not valid UTF-8, so that no text is taken for one.
const MAGIC: [u8; 4] = [0xC5, b'S', b'G', 1];
const KIND: usize = MAGIC.len();
const STAMP: usize = KIND + 1 + 16;
const HEADER: usize = STAMP + 5 * 8;

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard) enum Kind {
    Value = b'V' as isize,
    /// The source said that there is no such thing.
    NotFound = b'N' as isize,
    /// The source failed; the payload is what it said.
    Failed = b'F' as isize,
    /// Somebody is filling an empty place.
    Claim = b'C' as isize,
}

/// What identifies one entry: no two ever have the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guard) struct Stamp(Bytes);

/// An entry as it stands under a value's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::guard) struct Entry {
    pub(in crate::guard) kind: Kind,
    pub(in crate::guard) id: u128,
    /// After a refresh that failed: nobody tries again before this time of the server's clock.
    pub(in crate::guard) retry_at: Duration,
    /// When the fill began, by the server's clock: the value cannot be newer than that.
    pub(in crate::guard) written: Duration,
    /// How long it is fresh.
    pub(in crate::guard) soft: Duration,
    /// How long the server keeps it.
    pub(in crate::guard) hard: Duration,
    /// How long the fill took.
    pub(in crate::guard) cost: Duration,
    pub(in crate::guard) payload: Bytes,
}

impl Stamp {
    pub(in crate::guard) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Entry {
    /// The claim of the fill with this number.
    pub(in crate::guard) fn claim(id: u128, written: Duration) -> Self {
        let zero = Duration::ZERO;
        Self {
            kind: Kind::Claim,
            id,
            retry_at: zero,
            written,
            soft: zero,
            hard: zero,
            cost: zero,
            payload: Bytes::new(),
        }
    }

    pub(in crate::guard) fn stamp(&self) -> Stamp {
        let mut stamp = BytesMut::with_capacity(STAMP);
        self.write_stamp(&mut stamp);
        Stamp(stamp.freeze())
    }

    fn write_stamp(&self, out: &mut BytesMut) {
        out.put_slice(&MAGIC);
        out.put_u8(self.kind as u8);
        out.put_u128(self.id);
    }

    pub(in crate::guard) fn encode(&self) -> Bytes {
        let mut out = BytesMut::with_capacity(HEADER + self.payload.len());
        self.write_stamp(&mut out);
        out.put_slice(&retry_field(self.retry_at));
        for time in [self.written, self.soft, self.hard] {
            out.put_u64(millis(time));
        }
        out.put_u64(u64::try_from(self.cost.as_micros()).unwrap_or(u64::MAX));
        out.put_slice(&self.payload);
        out.freeze()
    }

    /// Reads an entry; the payload shares the bytes. `None` when they are not one of this version.
    pub(in crate::guard) fn decode(bytes: &Bytes) -> Option<Self> {
        let header = bytes.get(..HEADER)?;
        let kind = match header.strip_prefix(&MAGIC)?.first()? {
            b'V' => Kind::Value,
            b'N' => Kind::NotFound,
            b'F' => Kind::Failed,
            b'C' => Kind::Claim,
            _ => return None,
        };
        let mut numbers = header.get(STAMP..)?.chunks_exact(8);
        let mut number = || Some(u64::from_be_bytes(numbers.next()?.try_into().ok()?));
        Some(Self {
            kind,
            id: u128::from_be_bytes(header.get(KIND + 1..STAMP)?.try_into().ok()?),
            retry_at: Duration::from_millis(number()?),
            written: Duration::from_millis(number()?),
            soft: Duration::from_millis(number()?),
            hard: Duration::from_millis(number()?),
            cost: Duration::from_micros(number()?),
            payload: bytes.slice(HEADER..),
        })
    }

    /// How old it is at `now`. A time of writing that lies ahead (the server's clock was set back) counts as now.
    pub(in crate::guard) fn age(&self, now: Duration) -> Duration {
        now.saturating_sub(self.written)
    }

    pub(in crate::guard) fn is_fresh(&self, now: Duration) -> bool {
        self.age(now) < self.soft
    }
}

/// What all entries begin with.
pub(in crate::guard::entry) fn magic() -> &'static [u8] {
    &MAGIC
}

/// What all claims begin with.
pub(in crate::guard::entry) fn claim_prefix() -> [u8; KIND + 1] {
    let mut prefix = [Kind::Claim as u8; KIND + 1];
    prefix[..KIND].copy_from_slice(&MAGIC);
    prefix
}

/// Where the time of the next try stands in an entry.
pub(in crate::guard::entry) const RETRY_AT: usize = STAMP;

pub(in crate::guard::entry) fn retry_field(at: Duration) -> [u8; 8] {
    millis(at).to_be_bytes()
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds() -> impl Strategy<Value = Kind> {
        prop::sample::select(vec![Kind::Value, Kind::NotFound, Kind::Failed, Kind::Claim])
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            kind in kinds(),
            id: u128,
            times in prop::array::uniform4(any::<u64>()),
            cost: u64,
            payload: Vec<u8>,
        ) {
            let [retry_at, written, soft, hard] = times.map(Duration::from_millis);
            let cost = Duration::from_micros(cost);
            let entry = Entry { kind, id, retry_at, written, soft, hard, cost, payload: payload.into() };
            let bytes = entry.encode();
            prop_assert_eq!(Entry::decode(&bytes), Some(entry.clone()));
            prop_assert!(bytes.starts_with(entry.stamp().as_bytes()));
            prop_assert_eq!(&bytes[RETRY_AT..RETRY_AT + 8], &retry_field(retry_at));
            prop_assert_eq!(bytes.starts_with(&claim_prefix()), kind == Kind::Claim);
        }

        #[test]
        fn foreign_bytes_are_nobody_s_entry(bytes: Vec<u8>) {
            prop_assume!(!bytes.starts_with(&MAGIC));
            prop_assert_eq!(Entry::decode(&bytes.into()), None);
        }

        #[test]
        fn a_damaged_entry_is_none_or_another_but_never_a_panic(cut in 0usize..80, byte: u8) {
            let mut bytes = Entry::claim(7, Duration::ZERO).encode().to_vec();
            bytes.truncate(cut);
            if let Some(last) = bytes.last_mut() {
                *last = byte;
            }
            let _ = Entry::decode(&bytes.into());
        }
    }

    #[test]
    fn an_entry_from_the_future_is_fresh_for_its_soft_life_at_most() {
        let written = Duration::from_secs(100);
        let entry = Entry { soft: Duration::from_secs(10), ..Entry::claim(1, written) };
        assert!(entry.is_fresh(Duration::from_secs(40)));
        assert!(entry.is_fresh(Duration::from_secs(109)));
        assert!(!entry.is_fresh(Duration::from_secs(110)));
    }
}
