//! How far something is scrolled that may be longer than its place on the screen.

use std::cell::Cell;

/// Rows that are scrolled out above. Where that ends is known when it is drawn: what was asked for beyond counts no more when
/// the next key comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scroll {
    asked: u16,
    end: Cell<u16>,
}

impl Scroll {
    /// Where the last row is seen.
    pub(super) fn at_end() -> Self {
        Self { asked: u16::MAX, end: Cell::new(u16::MAX) }
    }

    /// Scrolls by so many rows, down if they are more than zero.
    pub(super) fn by(&mut self, rows: i16) {
        self.asked = self.asked.min(self.end.get()).saturating_add_signed(rows);
    }

    /// The rows that are scrolled out of `all`, where `seen` of them have room.
    pub(super) fn out(&self, all: usize, seen: u16) -> u16 {
        let end = u16::try_from(all).unwrap_or(u16::MAX).saturating_sub(seen);
        self.end.set(end);
        self.asked.min(end)
    }

    /// True when it was moved from where it began.
    pub(super) fn is_moved(&self) -> bool {
        self.asked > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_scrolled_beyond_the_end_comes_back_with_the_first_key() {
        let mut scroll = Scroll::default();
        assert_eq!(scroll.out(10, 6), 0);
        for _ in 0..30 {
            scroll.by(1);
        }
        assert_eq!(scroll.out(10, 6), 4);
        scroll.by(-1);
        assert_eq!(scroll.out(10, 6), 3);
        assert_eq!(scroll.out(10, 20), 0, "everything is seen");
        scroll.by(i16::MIN);
        assert!(!scroll.is_moved());
        let mut scroll = Scroll::at_end();
        assert_eq!(scroll.out(10, 6), 4);
        scroll.by(-1);
        assert_eq!(scroll.out(10, 6), 3);
    }
}
