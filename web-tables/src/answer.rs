//! What a question to tables gives: a result, or the bytes that must be supplied before it is asked again.

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

/// A result, or what must be supplied first.
#[derive(Debug)]
pub enum Answer<T> {
    /// The result.
    Known(T),
    /// Supply these bytes, then ask again.
    Needs(Vec<Need>),
}

impl<T> Answer<T> {
    /// Changes the result.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Answer::Known(result) => Answer::Known(change(result)),
            Answer::Needs(needs) => Answer::Needs(needs),
        }
    }

    /// Collects the results of several questions, or everything that any of them needs, so that it is fetched in one round.
    ///
    /// # Errors
    /// The first failure.
    pub fn all(answers: impl Iterator<Item = Result<Answer<T>, Failure>>) -> Result<Answer<Vec<T>>, Failure> {
        let (mut results, mut needed) = (Vec::new(), Vec::new());
        for answer in answers {
            match answer? {
                Answer::Known(result) => results.push(result),
                Answer::Needs(needs) => needed.extend(needs),
            }
        }
        needed.sort_by(|one: &Need, next: &Need| (&one.table, one.offset).cmp(&(&next.table, next.offset)));
        needed.dedup();
        Ok(if needed.is_empty() { Answer::Known(results) } else { Answer::Needs(needed) })
    }
}

impl<T: Serialize> Answer<T> {
    /// The result as a plain object, or an array of what is needed; TypeScript calls this type `T | Need[]`, where `T` is no
    /// array.
    ///
    /// # Errors
    /// A number is too great for JavaScript.
    pub fn to_js(&self) -> Result<JsValue, Failure> {
        let written = match self {
            Answer::Known(result) => serialize(result),
            Answer::Needs(needs) => serialize(needs),
        };
        written.map_err(|error| Failure::new("damaged", error))
    }
}

/// A plain object, with null for what is not there.
fn serialize(value: &impl Serialize) -> Result<JsValue, serde_wasm_bindgen::Error> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible())
}
