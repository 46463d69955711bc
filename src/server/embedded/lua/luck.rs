//! `math.random` as scripts in Redis have it: POSIX's `drand48`, going on from one script to the next.

use std::cell::Cell;

/// Its linear congruence, 48 bits of it.
const FACTOR: u64 = 0x5_DEEC_E66D;
const ADDEND: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// What the low bits of a fresh seed are, and what there is before anybody has set one.
const LOW: u64 = 0x330E;
const FIRST: u64 = 0x1234_ABCD_330E;

#[derive(Debug)]
pub(super) struct Luck(Cell<u64>);

impl Luck {
    pub(super) fn new() -> Self {
        Self(Cell::new(FIRST))
    }

    pub(super) fn seed(&self, seed: u32) {
        self.0.set((u64::from(seed) << 16) | LOW);
    }

    /// The next number, 31 bits of it.
    pub(super) fn next(&self) -> u32 {
        let state = (self.0.get().wrapping_mul(FACTOR).wrapping_add(ADDEND)) & MASK;
        self.0.set(state);
        (state >> 17) as u32
    }
}
