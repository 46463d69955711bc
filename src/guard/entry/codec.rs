//! Values to bytes and back.

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Turns values of one type into bytes and back.
pub trait Codec<V>: Clone + Send + Sync + 'static {
    /// # Errors
    /// What the format has to say against the value. The caller still gets it; it is not stored.
    fn encode(&self, value: &V) -> Result<Bytes, CodecError>;

    /// # Errors
    /// Bytes that do not read as a `V` count as a miss.
    fn decode(&self, bytes: Bytes) -> Result<V, CodecError>;
}

/// Why a value is not one in this format.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CodecError(pub String);

/// Any serde type, as JSON: slower than a binary format, but a value in Redis can be read by people and by services in
/// other languages, and a field more or less does not make old entries unreadable.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

impl<V: Serialize + DeserializeOwned> Codec<V> for Json {
    fn encode(&self, value: &V) -> Result<Bytes, CodecError> {
        serde_json::to_vec(value).map(Bytes::from).map_err(|error| CodecError(error.to_string()))
    }

    fn decode(&self, bytes: Bytes) -> Result<V, CodecError> {
        serde_json::from_slice(&bytes).map_err(|error| CodecError(error.to_string()))
    }
}

/// Bytes as they are. What a reader gets shares the buffer that the connection read into.
#[derive(Clone, Copy, Debug, Default)]
pub struct Raw;

impl Codec<Bytes> for Raw {
    fn encode(&self, value: &Bytes) -> Result<Bytes, CodecError> {
        Ok(value.clone())
    }

    fn decode(&self, bytes: Bytes) -> Result<Bytes, CodecError> {
        Ok(bytes)
    }
}
