//! `/transform`: transforms positions, by names of transforms or by the commands of solving programs.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use axum::body::Body as Sent;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use plyfold_transform::composite::{CompositeTransform, TransformFamily};
use plyfold_transform::position_text;
use plyfold_twinning::{OffBoardRule, Twin, TwinList};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use shakmaty::Setup;
use tokio::task::yield_now;

use super::http_error::HttpError;
use super::memory_budget::{MemoryPermit, SMALL_BYTES};
use super::request_input::{AnswerFormat, RequestBody, UrlParameters, json, lines};
use super::routes::{ServiceState, run_with_permit};

/// The most bytes of an operation. The work grows with operations times positions.
const MAX_OPERATION_BYTES: usize = 1024;

/// The most images of a request.
const MAX_IMAGES: usize = 20_000;

/// A request with more images runs on a thread of its own, so that others do not wait for it.
const IMAGES_PER_TURN: usize = 64;

const PARAMETERS: [&str; 5] = ["fen", "op", "leaving", "all", "format"];

/// The operation of a request.
struct TransformRequest {
    operation: TransformOperation,
    leaving: OffBoardRule,
}

enum TransformOperation {
    /// One twin, which makes one image.
    Single(Twin),
    /// A list of twins, which makes a labelled image for each.
    TwinList(TwinList),
    /// All symmetries, each with and without a change of sides.
    All(Vec<CompositeTransform>),
}

impl TransformRequest {
    /// # Errors
    ///
    /// The operation is missing, too long, or cannot be read.
    fn parse(op: Option<&str>, leaving: Option<&str>, is_all: bool) -> Result<TransformRequest, HttpError> {
        let way = match (op, is_all) {
            (None, true) => TransformOperation::All(TransformFamily::combinations(&[
                TransformFamily::Flips,
                TransformFamily::Rotations,
                TransformFamily::ColourFlip,
            ])),
            (Some(op), true) => return Err(HttpError::in_field("op", op, "`all` replaces `op`: leave `op` out")),
            (None, false) => {
                return Err(HttpError::in_field("op", "", "`op` is missing: the operation, such as `rot90`"));
            }
            (Some(op), false) if op.len() > MAX_OPERATION_BYTES => {
                return Err(HttpError::bad_request(format!("an operation has at most {MAX_OPERATION_BYTES} bytes"))
                    .with_location("op", None, MAX_OPERATION_BYTES, op.len()));
            }
            (Some(op), false) => match Twin::read(op) {
                Ok(twin) => TransformOperation::Single(twin),
                Err(_) => TransformOperation::TwinList(
                    TwinList::read(op).map_err(|misread| HttpError::misread("op", None, misread))?,
                ),
            },
        };
        let leaving = match leaving {
            None => OffBoardRule::AsWritten,
            Some("strict") => OffBoardRule::Refuse,
            Some("drop") => OffBoardRule::Drop,
            Some(other) => {
                return Err(HttpError::in_field("leaving", other, "expected `strict` or `drop`"));
            }
        };
        Ok(TransformRequest { operation: way, leaving })
    }

    /// The most images of one position.
    fn max_images(&self) -> usize {
        match &self.operation {
            TransformOperation::Single(_) => 1,
            TransformOperation::TwinList(twins) => twins.twins.len() + usize::from(!twins.has_zero_position),
            TransformOperation::All(images) => images.len(),
        }
    }

    fn apply(&self, position: &Setup) -> Result<Vec<TransformedImage>, HttpError> {
        let cannot = |misread| HttpError::misread("op", None, misread);
        match &self.operation {
            TransformOperation::Single(twin) => {
                let turned = twin.apply(position, self.leaving).map_err(cannot)?;
                Ok(vec![TransformedImage { label: None, name: twin.to_string(), fen: position_text::to_fen(&turned) }])
            }
            TransformOperation::TwinList(twins) => {
                let made = twins.apply(position, self.leaving).map_err(cannot)?;
                let turned = made.into_iter().map(|made| TransformedImage {
                    label: Some(made.label),
                    name: made.description,
                    fen: position_text::to_fen(&made.position),
                });
                Ok(turned.collect())
            }
            TransformOperation::All(images) => {
                let mut all: Vec<TransformedImage> = Vec::new();
                for image in images {
                    let fen = position_text::to_fen(&image.apply(position));
                    if all.iter().all(|other| other.fen != fen) {
                        all.push(TransformedImage { label: None, name: image.to_string(), fen });
                    }
                }
                Ok(all)
            }
        }
    }
}

/// A position and its images.
#[derive(Serialize)]
struct TransformAnswer {
    /// The position as it was read.
    fen: String,
    images: Vec<TransformedImage>,
}

/// An image of a position.
#[derive(Serialize)]
struct TransformedImage {
    /// The label in a list of twins: `a`, `b` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The transform that was applied.
    name: String,
    fen: String,
}

/// The positions of a request.
enum RequestedPositions {
    Single(String),
    Listed(Vec<String>),
    /// The lines of a text: number, begin and end of each.
    Lines(String, Vec<[u32; 3]>),
}

impl RequestedPositions {
    fn from_lines(body: String) -> RequestedPositions {
        let start = body.as_ptr() as usize;
        // A body is far smaller than 4 GiB, and lines beyond the limit are only counted.
        let place = |(number, line): (usize, &str)| {
            let from = line.as_ptr() as usize - start;
            [number, from, from + line.len()].map(|number| number as u32)
        };
        let places = lines(&body).take(MAX_IMAGES + 1).map(place).collect();
        RequestedPositions::Lines(body, places)
    }

    fn len(&self) -> usize {
        match self {
            RequestedPositions::Single(_) => 1,
            RequestedPositions::Listed(fens) => fens.len(),
            RequestedPositions::Lines(_, places) => places.len(),
        }
    }

    fn answer(&self, index: usize, transform: &TransformRequest) -> Result<TransformAnswer, HttpError> {
        match self {
            RequestedPositions::Single(fen) => answer_position(fen, transform, || ("fen".to_owned(), None)),
            RequestedPositions::Listed(fens) => {
                answer_position(&fens[index], transform, || (format!("fens[{index}]"), None))
            }
            RequestedPositions::Lines(text, places) => {
                let [number, from, to] = places[index].map(|number| number as usize);
                answer_position(&text[from..to], transform, || ("body".to_owned(), Some(number)))
            }
        }
    }
}

/// Transforms a position; `place` is its place in the request.
fn answer_position(
    text: &str,
    transform: &TransformRequest,
    place: impl Fn() -> (String, Option<usize>),
) -> Result<TransformAnswer, HttpError> {
    let read = position_text::read_line(text).map_err(|fault| {
        let (field, line) = place();
        HttpError::misread(field, line, fault)
    })?;
    Ok(TransformAnswer { fen: position_text::to_fen(&read.position), images: transform.apply(&read.position)? })
}

/// The images of a request. They are produced while they are sent, since they may be far larger than the request.
struct TransformAnswers {
    positions: RequestedPositions,
    transform: TransformRequest,
    form: AnswerFormat,
    _held: MemoryPermit,
}

/// The least bytes that are produced at a time; smaller responses are not counted.
const CHUNK: usize = SMALL_BYTES;

impl TransformAnswers {
    /// The number of steps that write them: one for each position, and one for the end.
    fn steps(&self) -> usize {
        self.positions.len() + 1
    }

    /// Writes a step.
    fn write(&self, step: usize, out: &mut Vec<u8>) -> Result<(), HttpError> {
        let is_list = !matches!(self.positions, RequestedPositions::Single(_)) && self.form == AnswerFormat::Json;
        if is_list && step == 0 {
            out.extend(b"{\"positions\":[");
        }
        if step == self.positions.len() {
            out.extend(if is_list { &b"]}"[..] } else { b"" });
            return Ok(());
        }
        if is_list && step > 0 {
            out.push(b',');
        }
        let answer = self.positions.answer(step, &self.transform)?;
        match self.form {
            AnswerFormat::Json => {
                serde_json::to_writer(out, &answer).map_err(|error| HttpError::service_unavailable(error.to_string()))
            }
            AnswerFormat::Text => {
                out.extend(answer.images.iter().flat_map(|turned| [&*turned.fen, "\n"]).flat_map(str::bytes));
                Ok(())
            }
        }
    }

    /// Produces all images once, to find faults and the length of the response.
    fn respond(self) -> Result<Response, HttpError> {
        let (mut length, mut chunk) = (0, Vec::new());
        for step in 0..self.steps() {
            if chunk.len() > CHUNK {
                length += chunk.len();
                chunk.clear();
            }
            self.write(step, &mut chunk)?;
        }
        let kind = match self.form {
            AnswerFormat::Json => "application/json",
            AnswerFormat::Text => "text/plain; charset=utf-8",
        };
        let headers = [(CONTENT_TYPE, kind.to_owned()), (CONTENT_LENGTH, (length + chunk.len()).to_string())];
        let body = if length == 0 { Sent::from(chunk) } else { Sent::from_stream(self.chunks()) };
        Ok((headers, body).into_response())
    }

    /// The images in chunks. Other requests get their turn between two of them.
    fn chunks(self) -> impl Stream<Item = Result<Vec<u8>, Infallible>> {
        stream::unfold((self, 0), async |(answers, mut step)| {
            if step > 0 {
                yield_now().await;
            }
            let mut chunk = Vec::with_capacity(CHUNK + CHUNK / 4);
            while step < answers.steps() && chunk.len() < CHUNK {
                // No image fails: each was produced before.
                let _ = answers.write(step, &mut chunk);
                step += 1;
            }
            (!chunk.is_empty()).then_some((Ok(chunk), (answers, step)))
        })
    }
}

/// The positions of a list and their number. Positions beyond the limit are only counted.
#[derive(Default)]
struct BoundedList {
    fens: Vec<String>,
    number: usize,
}

impl<'de> Deserialize<'de> for BoundedList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BoundedList, D::Error> {
        struct Counting;

        impl<'de> Visitor<'de> for Counting {
            type Value = BoundedList;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<BoundedList, A::Error> {
                let mut few = BoundedList::default();
                while few.number < MAX_IMAGES
                    && let Some(fen) = all.next_element()?
                {
                    few.fens.push(fen);
                    few.number += 1;
                }
                while all.next_element::<IgnoredAny>()?.is_some() {
                    few.number += 1;
                }
                Ok(few)
            }
        }

        deserializer.deserialize_seq(Counting)
    }
}

/// A JSON body.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TransformBody {
    fen: Option<String>,
    fens: Option<BoundedList>,
    op: Option<String>,
    leaving: Option<String>,
    #[serde(default)]
    all: bool,
}

/// Answers a GET.
///
/// # Errors
///
/// The request is wrong.
pub async fn get(State(_): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let parameters = UrlParameters::parse(request.uri(), &PARAMETERS)?;
    let form = AnswerFormat::negotiate(&parameters, request.headers())?;
    let transform =
        TransformRequest::parse(parameters.get("op"), parameters.get("leaving"), parameters.is_set("all")?)?;
    let answer = answer_position(parameters.required("fen")?, &transform, || ("fen".to_owned(), None))?;
    let text = || answer.images.iter().flat_map(|turned| [&*turned.fen, "\n"]).collect();
    Ok(form.respond(&answer, text))
}

/// Answers a POST.
///
/// # Errors
///
/// The request is wrong, or one of its positions is; the error names the first.
pub async fn post(State(service): State<Arc<ServiceState>>, request: Request) -> Result<Response, HttpError> {
    let uri = request.uri().clone();
    let parameters = UrlParameters::parse(&uri, &PARAMETERS[1..])?;
    let form = AnswerFormat::negotiate(&parameters, request.headers())?;
    let (mut op, mut leaving) = (parameters.get("op").map(str::to_owned), parameters.get("leaving").map(str::to_owned));
    let mut is_all = parameters.is_set("all")?;
    let (body, held) = RequestBody::receive(request, &service).await?;
    let (positions, number) = match body {
        RequestBody::Json(bytes) => {
            let posted: TransformBody = json(&bytes)?;
            // The body takes precedence.
            (op, leaving, is_all) = (posted.op.or(op), posted.leaving.or(leaving), is_all || posted.all);
            match (posted.fen, posted.fens) {
                (Some(fen), None) => (RequestedPositions::Single(fen), 1),
                (None, Some(few)) => (RequestedPositions::Listed(few.fens), few.number),
                _ => {
                    return Err(HttpError::bad_request("write either `fen` or `fens`").with_location(
                        "body",
                        None,
                        0,
                        bytes.len(),
                    ));
                }
            }
        }
        RequestBody::Text(text) => {
            let number = lines(&text).count();
            (RequestedPositions::from_lines(text), number)
        }
    };
    let transform = TransformRequest::parse(op.as_deref(), leaving.as_deref(), is_all)?;
    let images = number.saturating_mul(transform.max_images());
    if images > MAX_IMAGES {
        let message = format!("a request makes at most {MAX_IMAGES} images, not {images}; ask for fewer at a time");
        return Err(HttpError::new(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    let answers = TransformAnswers { positions, transform, form, _held: held };
    if images <= IMAGES_PER_TURN {
        answers.respond()
    } else {
        run_with_permit(&service.blocking_permits, || answers.respond()).await?
    }
}
