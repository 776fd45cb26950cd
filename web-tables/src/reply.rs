//! What a question to tables gives: a result, or the bytes that must be supplied before it is asked again.

use std::ops::Range;

use plyfold_tables::packed::tables::ByteRange;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::JsValue;

use crate::error::Failure;

/// Bytes of a table's file that a question needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Tsify)]
pub struct Need {
    /// The name of the table, such as `KRvK`.
    pub table: String,
    /// Where the bytes begin in its file.
    pub offset: u64,
    /// Their number.
    pub length: u32,
}

impl From<ByteRange> for Need {
    fn from(range: ByteRange) -> Need {
        let Range { start, end } = range.bytes;
        Need { table: range.table.to_string(), offset: start, length: u32::try_from(end - start).unwrap_or(u32::MAX) }
    }
}

/// A result, or what must be supplied first.
#[derive(Debug)]
pub enum Reply<T> {
    /// The result.
    Known(T),
    /// Supply these bytes, then ask again.
    Needs(Vec<Need>),
}

impl<T> Reply<T> {
    /// Changes the result.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Reply<U> {
        match self {
            Reply::Known(result) => Reply::Known(change(result)),
            Reply::Needs(needs) => Reply::Needs(needs),
        }
    }
}

impl<T: Serialize> Reply<T> {
    /// The result as a plain object, or an array of what is needed; TypeScript calls this type `T | Need[]`, where `T` is no
    /// array.
    ///
    /// # Errors
    /// A number is too great for JavaScript.
    pub fn to_js(&self) -> Result<JsValue, Failure> {
        let written = match self {
            Reply::Known(result) => serialize(result),
            Reply::Needs(needs) => serialize(needs),
        };
        written.map_err(|error| Failure::new("damaged", error))
    }
}

/// A plain object, with null for what is not there.
fn serialize(value: &impl Serialize) -> Result<JsValue, serde_wasm_bindgen::Error> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible())
}
