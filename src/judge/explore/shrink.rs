//! From a schedule that breaks a law to one that has nothing in it that the breach does not need.

use super::attempt::{Breach, Law, Patience, attempt};
use super::search::Lines;
use crate::judge::order::Order;
use crate::lab::{Fault, Harm, Intervention, LabError, Span};

/// Takes away what can be taken away, and shortens what can be shortened, as long as the same law breaks.
pub(super) fn shrink(
    mut order: Order,
    mut breach: Breach,
    laws: &[Law],
    patience: Patience,
    line: &mut Lines<'_>,
) -> Result<(Order, Breach), LabError> {
    let mut breaks = |order: &Order, law: &Law| -> Result<Option<Breach>, LabError> {
        let run = attempt(order, laws, patience, line()?)?;
        Ok(run.breach.filter(|breach| breach.law == *law))
    };
    let mut at = 0;
    while at < order.schedule.len() {
        let mut less = order.clone();
        less.schedule.remove(at);
        match breaks(&less, &breach.law)? {
            Some(still) => (order, breach) = (less, still),
            None => at += 1,
        }
    }
    for at in 0..order.schedule.len() {
        while let Some(shorter) = shorter(&order.schedule[at]) {
            let mut less = order.clone();
            less.schedule[at] = shorter;
            match breaks(&less, &breach.law)? {
                Some(still) => (order, breach) = (less, still),
                None => break,
            }
        }
    }
    Ok((order, breach))
}

/// The shortest pause worth having: less is no more than a slow round trip.
const LEAST: Span = Span::from_millis(2);

/// A pause half as long.
fn shorter(intervention: &Intervention) -> Option<Intervention> {
    let Intervention::Fault(Fault { harm: Harm::Pause(id, span), when }) = intervention else { return None };
    // In whole tenths of a second where that is possible: a number to be read, not measured.
    let half = span.half();
    let tenth = Span::from_millis(half.as_millis_up().next_multiple_of(100));
    let half = if tenth < *span { tenth } else { half };
    (half >= LEAST && half < *span)
        .then(|| Intervention::Fault(Fault { harm: Harm::Pause(*id, half), when: when.clone() }))
}
