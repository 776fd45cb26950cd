//! Reads requests: the parameters of the URL, a body of JSON or text, and the requested format of the response.

use std::borrow::Cow;
use std::str;

use axum::Json;
use axum::body::Body as Sent;
use axum::extract::Request;
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use super::http_error::HttpError;
use super::memory_budget::{MemoryPermit, SMALL_BYTES};
use super::routes::ServiceState;

/// The most bytes of a body.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// The parameters of a URL.
pub struct UrlParameters<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> UrlParameters<'a> {
    /// Reads the parameters. Each must be one of `known`, and occur once.
    ///
    /// # Errors
    ///
    /// A parameter is unknown or repeated.
    pub fn parse(uri: &'a Uri, known: &[&str]) -> Result<UrlParameters<'a>, HttpError> {
        let mut all: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
        for (name, value) in form_urlencoded::parse(uri.query().unwrap_or("").as_bytes()) {
            if !known.contains(&&*name) {
                let names = known.join("`, `");
                return Err(HttpError::in_field(
                    name,
                    &value,
                    format!("this parameter is unknown; the parameters are `{names}`"),
                ));
            }
            if all.iter().any(|(other, _)| *other == name) {
                return Err(HttpError::in_field(name, &value, "this parameter appears twice"));
            }
            all.push((name, value));
        }
        Ok(UrlParameters(all))
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| &**value)
    }

    /// A parameter that must be there.
    ///
    /// # Errors
    ///
    /// The parameter is missing.
    pub fn required(&self, name: &str) -> Result<&str, HttpError> {
        self.get(name).ok_or_else(|| HttpError::in_field(name, "", format!("the parameter `{name}` is missing")))
    }

    /// Returns whether a parameter that is `1` or `0` is `1`.
    ///
    /// # Errors
    ///
    /// The value is neither.
    pub fn is_set(&self, name: &str) -> Result<bool, HttpError> {
        match self.get(name) {
            None | Some("0" | "false") => Ok(false),
            Some("1" | "true") => Ok(true),
            Some(other) => Err(HttpError::in_field(name, other, "expected 1 or 0")),
        }
    }
}

/// The body of a request.
pub enum RequestBody {
    Json(Vec<u8>),
    Text(String),
}

/// The memory that a large body takes with everything made of it, as a multiple of its length.
const BODY_MEMORY_FACTOR: usize = 3;

impl RequestBody {
    /// Waits for the body of a request, up to the time limit.
    ///
    /// # Errors
    ///
    /// The body arrives too slowly, is too large, breaks off, or is neither JSON nor text.
    pub async fn receive(request: Request, service: &ServiceState) -> Result<(RequestBody, MemoryPermit), HttpError> {
        let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
        let essence = content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        let too_large =
            || HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a body has at most {MAX_BODY_BYTES} bytes"));
        // If the client announces the length, it is refused before it sends the body.
        let length = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > MAX_BODY_BYTES as u64) {
            return Err(too_large());
        }
        let bytes = || async {
            let length = length.map(|length| length as usize);
            read_body(request.into_body(), length, service).await?.ok_or_else(too_large)
        };
        match &*essence {
            "application/json" => bytes().await.map(|(bytes, held)| (RequestBody::Json(bytes), held)),
            "text/plain" => {
                let (bytes, held) = bytes().await?;
                let text = String::from_utf8(bytes).map_err(|error| {
                    let at = error.utf8_error().valid_up_to();
                    HttpError::bad_request("the body is not UTF-8 text").with_location("body", None, at, at + 1)
                })?;
                Ok((RequestBody::Text(text), held))
            }
            _ => Err(HttpError::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "set `Content-Type` to `application/json` or `text/plain`",
            )),
        }
    }
}

/// Reads a body with its share of the memory; `None` if it is too large.
async fn read_body(
    mut body: Sent,
    length: Option<usize>,
    service: &ServiceState,
) -> Result<Option<(Vec<u8>, MemoryPermit)>, HttpError> {
    let late = |_| HttpError::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time");
    let (mut bytes, mut held) = (Vec::new(), MemoryPermit::default());
    let mut deadline = Instant::now() + service.timeout;
    loop {
        let Some(frame) = timeout_at(deadline, body.frame()).await.map_err(late)? else { break };
        let Ok(data) = frame.map_err(|_| HttpError::bad_request("the body was cut off"))?.into_data() else { continue };
        let whole = bytes.len() + data.len();
        if whole > MAX_BODY_BYTES {
            return Ok(None);
        }
        // The share is taken when the body turns out to be large, and at once for the largest body.
        if bytes.len() <= SMALL_BYTES && whole > SMALL_BYTES {
            let most = length.unwrap_or(MAX_BODY_BYTES).max(whole);
            let started = Instant::now();
            held = service.memory.acquire(BODY_MEMORY_FACTOR * most).await?;
            // The client did not cause this wait.
            deadline += started.elapsed();
            bytes.reserve_exact(most - bytes.len());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Some((bytes, held)))
}

/// Reads JSON.
///
/// # Errors
///
/// The JSON is wrong; the error names the place.
pub fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, HttpError> {
    serde_json::from_slice(bytes).map_err(|error| {
        let before = bytes.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
        let at = (before.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1)).min(bytes.len());
        HttpError::bad_request(error.to_string()).with_location("body", None, at, (at + 1).min(bytes.len()))
    })
}

/// The lines of a text that are not blank, with their numbers from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim_ascii().is_empty())
}

/// The format of a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnswerFormat {
    Json,
    Text,
}

impl AnswerFormat {
    /// The format of the parameter `format`, or of the header `Accept`; JSON if there is neither.
    ///
    /// # Errors
    ///
    /// The format is unknown.
    pub fn negotiate(parameters: &UrlParameters<'_>, headers: &HeaderMap) -> Result<AnswerFormat, HttpError> {
        match parameters.get("format") {
            Some("json") => Ok(AnswerFormat::Json),
            Some("text") => Ok(AnswerFormat::Text),
            Some(other) => Err(HttpError::in_field("format", other, "expected `json` or `text`")),
            None => {
                let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
                Ok(preferred_format(&accepted.collect::<Vec<_>>().join(",")))
            }
        }
    }

    /// A response: `object` as JSON, or the lines of `text`.
    pub fn respond(self, object: &impl Serialize, text: impl FnOnce() -> String) -> Response {
        match self {
            AnswerFormat::Json => Json(object).into_response(),
            AnswerFormat::Text => text().into_response(),
        }
    }
}

/// Text, if `Accept` prefers it to JSON.
fn preferred_format(accepted: &str) -> AnswerFormat {
    let ranges: Vec<(String, f32)> = accepted
        .split(',')
        .map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let name = parts.next().unwrap_or("").to_ascii_lowercase();
            (name, parts.find_map(|part| part.strip_prefix("q=")?.parse().ok()).unwrap_or(1.0))
        })
        .collect();
    // The more specific media range takes precedence.
    let weight = |names: [&str; 3]| {
        let mut named = names.iter().filter_map(|name| ranges.iter().find(|(range, _)| range == name));
        named.next().map_or(0.0, |(_, weight)| *weight)
    };
    let is_text = weight(["text/plain", "text/*", "*/*"]) > weight(["application/json", "application/*", "*/*"]);
    if is_text { AnswerFormat::Text } else { AnswerFormat::Json }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_accepted_chooses_the_form() {
        for text in [
            "text/plain",
            "TEXT/plain; charset=utf-8",
            "text/*",
            "application/json;q=0.5, text/plain",
            "*/*;q=0.1,text/plain",
        ] {
            assert_eq!(preferred_format(text), AnswerFormat::Text, "{text}");
        }
        for json in [
            "",
            "*/*",
            "application/json",
            "text/plain;q=0.9,*/*",
            "text/html",
            "text/plain;q=0",
            "text/plain, application/json",
        ] {
            assert_eq!(preferred_format(json), AnswerFormat::Json, "{json}");
        }
    }

    #[test]
    fn faults_of_json_have_their_byte() {
        let place = |text: &str| {
            let told = serde_json::to_value(json::<serde_json::Value>(text.as_bytes()).expect_err(text)).expect("JSON");
            told["where"]["from"].as_u64().expect("a place")
        };
        assert_eq!(place("{\"a\": x}"), 6);
        assert_eq!(place("{\n\"a\": x}"), 7);
        assert_eq!(place(""), 0);
        assert_eq!(place("[1"), 1);
    }
}
