//! `/detect`: which transforms make one position of another.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use plyfold_core::transform::{detect, read};
use serde::{Deserialize, Serialize};

use super::question::{Body, Form, Parameters, json, lines};
use super::refusal::Refusal;
use super::routes::Service;

/// Two positions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    image: String,
    original: String,
}

/// What lies between them.
#[derive(Serialize)]
struct Answer {
    image: String,
    original: String,
    /// The names of all that make `image` of `original`: a transform each, or several in a row.
    transforms: Vec<String>,
}

impl Asked {
    fn answer(&self, fields: [(&str, Option<usize>); 2]) -> Result<Answer, Refusal> {
        let [image, original] = [(&self.image, fields[0]), (&self.original, fields[1])].map(|(text, (field, line))| {
            read::line(text).map(|line| line.position).map_err(|fault| Refusal::misread(field, line, fault))
        });
        let (image, original) = (image?, original?);
        let transforms = detect::between(&image, &original).iter().map(ToString::to_string).collect();
        Ok(Answer { image: read::write(&image), original: read::write(&original), transforms })
    }
}

const OF_FIELDS: [(&str, Option<usize>); 2] = [("image", None), ("original", None)];

/// Answers a GET.
///
/// # Errors
///
/// What cannot be read.
pub async fn get(State(_): State<Arc<Service>>, request: Request) -> Result<Response, Refusal> {
    let parameters = Parameters::of(request.uri(), &["image", "original", "format"])?;
    let form = Form::of(&parameters, request.headers())?;
    let asked =
        Asked { image: parameters.wanted("image")?.to_owned(), original: parameters.wanted("original")?.to_owned() };
    Ok(written(form, &asked.answer(OF_FIELDS)?))
}

/// Answers a POST.
///
/// # Errors
///
/// What cannot be read.
pub async fn post(State(service): State<Arc<Service>>, request: Request) -> Result<Response, Refusal> {
    let uri = request.uri().clone();
    let form = Form::of(&Parameters::of(&uri, &["format"])?, request.headers())?;
    let (body, _held) = Body::of(request, &service).await?;
    let answer = match body {
        Body::Json(bytes) => json::<Asked>(&bytes)?.answer(OF_FIELDS)?,
        Body::Text(text) => match lines(&text).collect::<Vec<_>>()[..] {
            [(first, image), (second, original)] => {
                let asked = Asked { image: image.to_owned(), original: original.to_owned() };
                asked.answer([("body", Some(first)), ("body", Some(second))])?
            }
            _ => {
                let message = "two lines are wanted: the image, and what it may be the image of";
                return Err(Refusal::bad(message).at("body", None, 0, text.len()));
            }
        },
    };
    Ok(written(form, &answer))
}

fn written(form: Form, answer: &Answer) -> Response {
    form.answer(answer, || answer.transforms.iter().flat_map(|name| [name, "\n"]).collect())
}
