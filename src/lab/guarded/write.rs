//! A price changes.

use super::fleet::LabGuard;
use crate::lab::Port;

const SQL: &str = "UPDATE product
  SET version = version + 1,
      body = 'espresso-v'
             || (version + 1)";

pub(super) async fn write(
    guard: LabGuard,
    port: Port,
) -> Option<String> {
    // First the database,
    let done =
        port.commit(SQL, vec![]).await;
    if let Err(error) = done {
        return Some(error.to_string());
    }
    // then the cache.
    let gone =
        guard.invalidate("product:123");
    gone.await.err().map(|error| {
        error.to_string()
    })
}
