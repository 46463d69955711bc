//! What is stored: keys, values, their ends; and the numbers that strings stand for.

mod database;
pub(super) mod decimal;
pub(super) mod glob;
pub(super) mod number;
pub(super) mod slot;
mod value;

pub(super) use database::{Database, Entry, Key};
pub(super) use value::{Origin, Value};
