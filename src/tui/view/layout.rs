//! Which layout a size gets, and how it is divided.

/// Below this nothing useful fits.
pub(super) const SMALLEST: (u16, u16) = (40, 12);

/// The layouts, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    TooSmall,
    /// Timeline and story by turns.
    Tiny,
    Compact,
    Standard,
    /// Boxes, and a column with lessons and facts.
    Wide,
    /// Three columns.
    Huge,
}

impl Class {
    pub(super) fn of(width: u16, height: u16) -> Self {
        match (width, height) {
            (200.., 60..) => Self::Huge,
            (120.., 40..) => Self::Wide,
            (80.., 24..) => Self::Standard,
            (60.., 20..) => Self::Compact,
            (w, h) if w >= SMALLEST.0 && h >= SMALLEST.1 => Self::Tiny,
            _ => Self::TooSmall,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_gets_the_largest_layout_that_fits() {
        for (size, class) in [
            ((200, 60), Class::Huge),
            ((199, 60), Class::Wide),
            ((120, 40), Class::Wide),
            ((300, 39), Class::Standard),
            ((80, 24), Class::Standard),
            ((79, 24), Class::Compact),
            ((60, 20), Class::Compact),
            ((59, 20), Class::Tiny),
            ((40, 12), Class::Tiny),
            ((39, 12), Class::TooSmall),
            ((1, 1), Class::TooSmall),
        ] {
            assert_eq!(Class::of(size.0, size.1), class, "{size:?}");
        }
    }
}
