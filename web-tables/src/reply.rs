//! What a question to tables gives to JavaScript: a result, or the bytes that must be supplied before it is asked again.

use plyfold_tables::packed::tables::{Answer, ByteRange};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
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
    fn from(ByteRange { table, bytes }: ByteRange) -> Need {
        let length = u32::try_from(bytes.end - bytes.start).unwrap_or(u32::MAX);
        Need { table: table.to_string(), offset: bytes.start, length }
    }
}

/// The result as a plain object, or an array of what is needed; TypeScript calls this type `T | Need[]`, where `T` is no array.
///
/// # Errors
/// A number is too great for JavaScript.
pub fn reply<T: Serialize>(answer: Answer<T>) -> Result<JsValue, Failure> {
    match answer {
        Answer::Known(result) => to_js(&result),
        Answer::Needs(ranges) => to_js(&ranges.into_iter().map(Need::from).collect::<Vec<Need>>()),
    }
}

/// A plain object or an array, with null for what is not there.
///
/// # Errors
/// A number is too great for JavaScript.
pub fn to_js(value: &impl Serialize) -> Result<JsValue, Failure> {
    value.serialize(&Serializer::json_compatible()).map_err(|error| Failure::new("damaged", error))
}
