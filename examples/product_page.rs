//! A product page behind the guard, as a service would have it.
//!
//! `cargo run --example product_page`, then `curl -i localhost:3000/product/123`; 404 is the one that does not exist.

#![expect(clippy::print_stdout, reason = "an example says where it listens")]

mod common;

use std::time::Duration;

use ::redis::aio::ConnectionManager;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use common::{Failure, pause, redis};
use serde::{Deserialize, Serialize};
use stampede::guard::{Error, Guard, NotFound, Options, SourceError};

#[derive(Serialize, Deserialize)]
struct Product {
    id: u32,
    name: String,
}

type Pages = Guard<ConnectionManager>;

/// The database: slow, and without product 404.
async fn load(id: u32) -> Result<Product, SourceError> {
    println!("  SELECT … WHERE id = {id}");
    pause(Duration::from_millis(400)).await;
    if id == 404 {
        return Err(NotFound.into());
    }
    Ok(Product { id, name: format!("grinder no. {id}") })
}

async fn page(State(guard): State<Pages>, Path(id): Path<u32>) -> Result<Response, Refused> {
    let answer = guard.get_or_recompute(format!("product:{id}"), move || load(id)).await.map_err(Refused)?;
    let provenance = format!("{:?}", answer.provenance);
    Ok(([("x-provenance", provenance)], Json(answer.value)).into_response())
}

/// After writing to the database: first the write, then this.
async fn changed(State(guard): State<Pages>, Path(id): Path<u32>) -> Result<StatusCode, Refused> {
    guard.invalidate(format!("product:{id}")).await.map_err(Refused)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Each error is a reaction of its own.
struct Refused(Error);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let words = self.0.to_string();
        match self.0 {
            Error::NotFound => (StatusCode::NOT_FOUND, words).into_response(),
            Error::Contended { retry_after }
            | Error::Shed { retry_after }
            | Error::FailedLately { retry_after, .. } => {
                let seconds = retry_after.as_secs().max(1).to_string();
                (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, seconds)], words).into_response()
            }
            _ => (StatusCode::BAD_GATEWAY, words).into_response(),
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let (connection, _server) = redis().await?;
    let guard = Guard::builder(connection)
        .namespace("shop:")
        .options(Options::resilient())
        .remember(1_000)
        .build()?;
    let service = Router::new()
        .route("/product/{id}", get(page))
        .route("/product/{id}/changed", post(changed))
        .with_state(guard);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    println!("http://{}/product/123", listener.local_addr()?);
    Ok(axum::serve(listener, service).await?)
}
