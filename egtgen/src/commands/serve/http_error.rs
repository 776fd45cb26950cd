//! An HTTP error: a status, a sentence, and the faulty place in the request.

use axum::Json;
use axum::http::header::{ALLOW, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use plyfold_transform::position_text::PositionTextError;
use serde::Serialize;

/// The body of an error response: `{"error": …, "where": …}`.
#[derive(Debug, Serialize)]
pub struct HttpError {
    #[serde(skip)]
    status: StatusCode,
    /// What is wrong, in one sentence.
    error: String,
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    place: Option<ErrorLocation>,
    /// After a wrong method: the allowed methods.
    #[serde(skip)]
    allowed: Option<&'static str>,
}

/// A place in a request.
#[derive(Debug, Serialize)]
struct ErrorLocation {
    /// A parameter, a field of the JSON, or `body`.
    field: String,
    /// The line of a text body, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The first byte of the place in the field or line.
    from: usize,
    /// The byte after the place.
    to: usize,
}

impl HttpError {
    pub fn new(status: StatusCode, error: impl Into<String>) -> HttpError {
        HttpError { status, error: error.into(), place: None, allowed: None }
    }

    /// 400: the request is wrong.
    pub fn bad_request(error: impl Into<String>) -> HttpError {
        HttpError::new(StatusCode::BAD_REQUEST, error)
    }

    /// 404: there is no such resource.
    pub fn not_found(error: impl Into<String>) -> HttpError {
        HttpError::new(StatusCode::NOT_FOUND, error)
    }

    /// 405: only these methods are allowed.
    pub fn method_not_allowed(allowed: &'static str) -> HttpError {
        let refusal = HttpError::new(StatusCode::METHOD_NOT_ALLOWED, format!("only {allowed} is allowed here"));
        HttpError { allowed: Some(allowed), ..refusal }
    }

    /// 503: the service is too slow, or has too many clients.
    pub fn service_unavailable(error: impl Into<String>) -> HttpError {
        HttpError::new(StatusCode::SERVICE_UNAVAILABLE, error)
    }

    /// 400: a text in `field`, or a line of it, is wrong.
    pub fn misread(field: impl Into<String>, line: Option<usize>, misread: PositionTextError) -> HttpError {
        HttpError::bad_request(misread.message).with_location(field, line, misread.from, misread.to)
    }

    /// The same, with the whole `text` of a field as its place.
    pub fn in_field(field: impl Into<String>, text: &str, error: impl Into<String>) -> HttpError {
        HttpError::bad_request(error).with_location(field, None, 0, text.len())
    }

    /// The same with a place.
    pub fn with_location(self, field: impl Into<String>, line: Option<usize>, from: usize, to: usize) -> HttpError {
        HttpError { place: Some(ErrorLocation { field: field.into(), line, from, to }), ..self }
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let (status, allowed) = (self.status, self.allowed);
        let mut response = (status, Json(self)).into_response();
        if let Some(allowed) = allowed {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
