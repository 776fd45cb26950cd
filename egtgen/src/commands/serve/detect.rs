//! `/detect`: finds the transforms that map one position to another.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use plyfold_transform::{detect, position_text};
use serde::{Deserialize, Serialize};

use super::http_error::HttpError;
use super::request_input::{AnswerFormat, RequestBody, UrlParameters, json, lines};
use super::routes::ServiceState;

/// Two positions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DetectRequest {
    image: String,
    original: String,
}

/// The transforms between them.
#[derive(Serialize)]
struct DetectAnswer {
    image: String,
    original: String,
    /// All transforms from `original` to `image` by name; an entry is one transform, or several in a row.
    transforms: Vec<String>,
}

impl DetectRequest {
    fn answer(&self, fields: [(&str, Option<usize>); 2]) -> Result<DetectAnswer, HttpError> {
        let [image, original] = [(&self.image, fields[0]), (&self.original, fields[1])].map(|(text, (field, line))| {
            position_text::read_line(text)
                .map(|line| line.position)
                .map_err(|fault| HttpError::misread(field, line, fault))
        });
        let (image, original) = (image?, original?);
        let transforms = detect::transforms_between(&image, &original).iter().map(ToString::to_string).collect();
        Ok(DetectAnswer {
            image: position_text::to_fen(&image),
            original: position_text::to_fen(&original),
            transforms,
        })
    }
}

const FIELD_LOCATIONS: [(&str, Option<usize>); 2] = [("image", None), ("original", None)];

/// Answers a GET.
///
/// # Errors
///
/// The request cannot be read.
pub async fn get(State(_): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let parameters = UrlParameters::parse(request.uri(), &["image", "original", "format"])?;
    let form = AnswerFormat::negotiate(&parameters, request.headers())?;
    let detect_request = DetectRequest {
        image: parameters.required("image")?.to_owned(),
        original: parameters.required("original")?.to_owned(),
    };
    Ok(respond(form, &detect_request.answer(FIELD_LOCATIONS)?))
}

/// Answers a POST.
///
/// # Errors
///
/// The request cannot be read.
pub async fn post(State(service): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let uri = request.uri().clone();
    let form = AnswerFormat::negotiate(&UrlParameters::parse(&uri, &["format"])?, request.headers())?;
    let (body, _held) = RequestBody::receive(request, &service).await?;
    let answer = match body {
        RequestBody::Json(bytes) => json::<DetectRequest>(&bytes)?.answer(FIELD_LOCATIONS)?,
        RequestBody::Text(text) => match lines(&text).collect::<Vec<_>>()[..] {
            [(first, image), (second, original)] => {
                let detect_request = DetectRequest { image: image.to_owned(), original: original.to_owned() };
                detect_request.answer([("body", Some(first)), ("body", Some(second))])?
            }
            _ => {
                let message = "write two lines: the image and its possible original";
                return Err(HttpError::bad_request(message).with_location("body", None, 0, text.len()));
            }
        },
    };
    Ok(respond(form, &answer))
}

fn respond(form: AnswerFormat, answer: &DetectAnswer) -> Response {
    form.respond(answer, || answer.transforms.iter().flat_map(|name| [name, "\n"]).collect())
}
