//! Every failure becomes a JavaScript `Error` with a sentence and a stable `code`.

use plyfold_core::corpus::error::CorpusError;
use plyfold_core::pmote::error::PmoteError;
use plyfold_core::query::error::QueryError;
use plyfold_core::reduce::set_expression::SetError;
use plyfold_core::scan::fold::ScanCancelled;
use thiserror::Error;
use wasm_bindgen::JsValue;

/// A failure to be thrown in JavaScript.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct JsFailure {
    code: &'static str,
    message: String,
}

impl JsFailure {
    /// Makes a failure with one of the codes that the page knows: `cancelled`, `bad-query`, `storage`,
    /// `bad-input`, `bad-corpus`, `memory`.
    pub fn new(code: &'static str, message: impl Into<String>) -> JsFailure {
        JsFailure { code, message: message.into() }
    }

    /// The request was cancelled.
    pub fn cancelled() -> JsFailure {
        JsFailure::new("cancelled", "cancelled")
    }

    /// Explains what the browser threw while it read or wrote one of its private files.
    pub(crate) fn of_browser(value: &JsValue) -> JsFailure {
        JsFailure::new("storage", format!("the browser's storage failed ({})", message_of(value)))
    }

    /// Wraps what the page's storage threw.
    pub fn storage(value: &JsValue) -> JsFailure {
        JsFailure::new("storage", message_of(value))
    }
}

/// Returns the message of a thrown value.
fn message_of(value: &JsValue) -> String {
    text_of(value, "message").or_else(|| value.as_string()).unwrap_or_else(|| "storage failed".into())
}

/// Returns a property of a thrown value, if it is a text.
pub(crate) fn text_of(value: &JsValue, key: &str) -> Option<String> {
    js_sys::Reflect::get(value, &key.into()).ok().and_then(|property| property.as_string())
}

impl From<JsFailure> for JsValue {
    fn from(failure: JsFailure) -> JsValue {
        let error = js_sys::Error::new(&failure.message);
        // Setting a property of a fresh object does not fail.
        let _ = js_sys::Reflect::set(&error, &"code".into(), &failure.code.into());
        error.into()
    }
}

/// Makes failures of errors, each with its code.
macro_rules! failures {
    ($($error:ty => $code:literal),+ $(,)?) => {
        $(impl From<$error> for JsFailure {
            fn from(error: $error) -> JsFailure {
                JsFailure::new($code, error.to_string())
            }
        })+
    };
}

failures! {
    CorpusError => "bad-corpus",
    PmoteError => "bad-input",
    QueryError => "bad-query",
    SetError => "bad-input",
}

impl From<ScanCancelled> for JsFailure {
    fn from(_: ScanCancelled) -> JsFailure {
        JsFailure::cancelled()
    }
}
