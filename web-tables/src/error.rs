//! Failures as JavaScript errors with a sentence and a stable `code`.

use std::fmt::Display;

use plyfold_tables::packed::tables::PackedFault;
use plyfold_tables::successors::PositionError;
use thiserror::Error;
use wasm_bindgen::JsValue;

/// A failure to be thrown in JavaScript.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct Failure {
    code: &'static str,
    message: String,
}

impl Failure {
    /// Makes a failure with one of the codes that the page knows: `cancelled`, `missing` (a table), `damaged` (a table),
    /// `bad-input`.
    pub fn new(code: &'static str, message: impl Display) -> Failure {
        Failure { code, message: message.to_string() }
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }
}

impl From<Failure> for JsValue {
    fn from(failure: Failure) -> JsValue {
        let error = js_sys::Error::new(&failure.message);
        // Setting a property of a fresh object does not fail.
        let _ = js_sys::Reflect::set(&error, &"code".into(), &failure.code.into());
        error.into()
    }
}

impl From<PositionError> for Failure {
    fn from(error: PositionError) -> Failure {
        Failure::new("bad-input", error)
    }
}

impl From<egtgen::Error> for Failure {
    fn from(error: egtgen::Error) -> Failure {
        match error {
            // The worker makes it first.
            egtgen::Error::Missing(table) => Failure::new("missing", table),
            egtgen::Error::Stopped => Failure::new("cancelled", "cancelled"),
            other => Failure::new("damaged", other),
        }
    }
}

impl From<PackedFault> for Failure {
    fn from(fault: PackedFault) -> Failure {
        match fault {
            PackedFault::Missing(table) => Failure::new("missing", table.canonical()),
            other => Failure::new("damaged", other),
        }
    }
}
