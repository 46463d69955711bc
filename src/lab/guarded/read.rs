//! A request that needs the product.

use super::fleet::LabGuard;
use crate::guard::Provenance as From;
use crate::lab::{Port, Quality};

const SQL: &str =
    "SELECT body FROM product";

pub(super) async fn read(
    guard: LabGuard,
    port: Port,
) -> Option<String> {
    let source = port.clone();
    let fill = move || source.text(SQL);
    let answer = guard
        .get_or_recompute(
            "product:123", fill)
        .await;
    match answer {
        Ok(found) => port.serve(
            rank(&found.provenance),
            found.value),
        Err(error) => port.serve(
            Quality::Failed,
            error.to_string()),
    }
    None
}

fn rank(from: &From) -> Quality {
    match from {
        From::Stale { .. } => {
            Quality::Stale
        }
        From::Degraded => {
            Quality::Degraded
        }
        _ => Quality::Fresh,
    }
}
