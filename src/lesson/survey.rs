//! What many runs say that one cannot: how numbers move as a knob is turned.

use super::expr::Expr;

/// Runs of some takes over a range of one knob's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The knob that is turned.
    pub knob: String,
    pub values: Vec<i64>,
    /// How many runs, with a seed each, make a point.
    pub seeds: u64,
    /// The take whose queries are the fills that are counted by how long they took.
    pub fills: usize,
    pub curves: Vec<Curve>,
}

/// A number that moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Curve {
    pub label: String,
    pub take: usize,
    /// At the end of a run: a time, whose mean is drawn; or a number, drawn as a share of `of`.
    pub value: Expr,
    pub of: Option<Expr>,
    /// Runs a point, when they are not as many as the survey's.
    pub seeds: Option<u64>,
}
