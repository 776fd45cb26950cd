//! `/transform`: positions turned, by name or by the solving engines' commands.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body as Sent, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use plyfold_core::transform::image::{Family, Image};
use plyfold_core::transform::read;
use plyfold_core::transform::twin::{Leaving, Twin, Twins};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use shakmaty::Setup;

use super::memory::{Held, SMALL};
use super::question::{Body, Form, Parameters, json, lines};
use super::refusal::Refusal;
use super::routes::Service;

/// Most bytes of an operation: work grows with operations times positions.
const MOST_OF_OP: usize = 1024;

/// Most images that are made for a request.
const MOST_IMAGES: usize = 20_000;

/// More than so many images are not made where others wait to be answered.
const AT_ONCE: usize = 64;

const PARAMETERS: [&str; 5] = ["fen", "op", "leaving", "all", "format"];

/// What is to be done to each position.
struct Wanted {
    way: Way,
    leaving: Leaving,
}

enum Way {
    /// One twin: one image.
    One(Twin),
    /// A list of twins: an image for each, with its label.
    Row(Twins),
    /// All symmetries, each with and without a change of sides.
    All(Vec<Image>),
}

impl Wanted {
    /// # Errors
    ///
    /// What is missing, too much, or cannot be read.
    fn of(op: Option<&str>, leaving: Option<&str>, is_all: bool) -> Result<Wanted, Refusal> {
        let way = match (op, is_all) {
            (None, true) => Way::All(Family::all(&[Family::Flips, Family::Rotations, Family::ColourFlip])),
            (Some(op), true) => return Err(Refusal::whole("op", op, "`all` stands in place of `op`")),
            (None, false) => return Err(Refusal::whole("op", "", "`op` is missing: what is to be done, as `rot90`")),
            (Some(op), false) if op.len() > MOST_OF_OP => {
                return Err(Refusal::bad(format!("an operation has at most {MOST_OF_OP} bytes")).at(
                    "op",
                    None,
                    MOST_OF_OP,
                    op.len(),
                ));
            }
            (Some(op), false) => match Twin::read(op) {
                Ok(twin) => Way::One(twin),
                Err(_) => Way::Row(Twins::read(op).map_err(|misread| Refusal::misread("op", None, misread))?),
            },
        };
        let leaving = match leaving {
            None => Leaving::AsWritten,
            Some("strict") => Leaving::Refused,
            Some("drop") => Leaving::Dropped,
            Some(other) => {
                return Err(Refusal::whole("leaving", other, "men that leave the board: `strict` or `drop`"));
            }
        };
        Ok(Wanted { way, leaving })
    }

    /// How many images a position has at most.
    fn images(&self) -> usize {
        match &self.way {
            Way::One(_) => 1,
            Way::Row(twins) => twins.twins.len() + usize::from(!twins.zero_position),
            Way::All(images) => images.len(),
        }
    }

    fn apply(&self, position: &Setup) -> Result<Vec<Turned>, Refusal> {
        let cannot = |misread| Refusal::misread("op", None, misread);
        match &self.way {
            Way::One(twin) => {
                let turned = twin.apply(position, self.leaving).map_err(cannot)?;
                Ok(vec![Turned { label: None, name: twin.to_string(), fen: read::write(&turned) }])
            }
            Way::Row(twins) => {
                let made = twins.apply(position, self.leaving).map_err(cannot)?;
                let turned = made.into_iter().map(|made| Turned {
                    label: Some(made.label),
                    name: made.told,
                    fen: read::write(&made.position),
                });
                Ok(turned.collect())
            }
            Way::All(images) => {
                let mut all: Vec<Turned> = Vec::new();
                for image in images {
                    let fen = read::write(&image.apply(position));
                    if all.iter().all(|other| other.fen != fen) {
                        all.push(Turned { label: None, name: image.to_string(), fen });
                    }
                }
                Ok(all)
            }
        }
    }
}

/// A position and its images.
#[derive(Serialize)]
struct Answer {
    /// As it was read.
    fen: String,
    images: Vec<Turned>,
}

/// An image of a position.
#[derive(Serialize)]
struct Turned {
    /// Of a list of twins: `a`, `b` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// What was done.
    name: String,
    fen: String,
}

/// The positions of a request.
enum Positions {
    One(String),
    Listed(Vec<String>),
    /// Lines of a text: the number of each, and where it begins and ends.
    Lines(String, Vec<[u32; 3]>),
}

impl Positions {
    fn of_text(body: String) -> Positions {
        let start = body.as_ptr() as usize;
        // A body is far smaller than 4 GiB, and no more than can be answered is noted.
        let place = |(number, line): (usize, &str)| {
            let from = line.as_ptr() as usize - start;
            [number, from, from + line.len()].map(|number| number as u32)
        };
        let places = lines(&body).take(MOST_IMAGES + 1).map(place).collect();
        Positions::Lines(body, places)
    }

    fn len(&self) -> usize {
        match self {
            Positions::One(_) => 1,
            Positions::Listed(fens) => fens.len(),
            Positions::Lines(_, places) => places.len(),
        }
    }

    fn answer(&self, nth: usize, wanted: &Wanted) -> Result<Answer, Refusal> {
        match self {
            Positions::One(fen) => answer(fen, wanted, || ("fen".to_owned(), None)),
            Positions::Listed(fens) => answer(&fens[nth], wanted, || (format!("fens[{nth}]"), None)),
            Positions::Lines(text, places) => {
                let [number, from, to] = places[nth].map(|number| number as usize);
                answer(&text[from..to], wanted, || ("body".to_owned(), Some(number)))
            }
        }
    }
}

/// Answers for a position; `place` says where it stands in the request.
fn answer(text: &str, wanted: &Wanted, place: impl Fn() -> (String, Option<usize>)) -> Result<Answer, Refusal> {
    let read = read::line(text).map_err(|fault| {
        let (field, line) = place();
        Refusal::misread(field, line, fault)
    })?;
    Ok(Answer { fen: read::write(&read.position), images: wanted.apply(&read.position)? })
}

/// All answers to a request, which are made as they are sent: they may be far larger than what was asked.
struct Answers {
    positions: Positions,
    wanted: Wanted,
    form: Form,
    _held: Held,
}

/// Bytes of answers that are made at a time, at least; fewer are not counted.
const CHUNK: usize = SMALL;

impl Answers {
    /// Steps in which they are written: one for each position, and one for the end.
    fn steps(&self) -> usize {
        self.positions.len() + 1
    }

    /// Writes a step.
    fn write(&self, step: usize, out: &mut Vec<u8>) -> Result<(), Refusal> {
        let is_list = !matches!(self.positions, Positions::One(_)) && self.form == Form::Json;
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
        let answer = self.positions.answer(step, &self.wanted)?;
        match self.form {
            Form::Json => serde_json::to_writer(out, &answer).map_err(|error| Refusal::busy(error.to_string())),
            Form::Text => {
                out.extend(answer.images.iter().flat_map(|turned| [&*turned.fen, "\n"]).flat_map(str::bytes));
                Ok(())
            }
        }
    }

    /// Makes all once, to see that none is at fault, and how long they are.
    fn respond(self) -> Result<Response, Refusal> {
        let (mut length, mut chunk) = (0, Vec::new());
        for step in 0..self.steps() {
            if chunk.len() > CHUNK {
                length += chunk.len();
                chunk.clear();
            }
            self.write(step, &mut chunk)?;
        }
        let kind = match self.form {
            Form::Json => "application/json",
            Form::Text => "text/plain; charset=utf-8",
        };
        let body = match length {
            0 => Sent::from(chunk),
            _ => Sent::new(Making { left: (length + chunk.len()) as u64, step: 0, is_resting: false, answers: self }),
        };
        Ok(([(CONTENT_TYPE, kind)], body).into_response())
    }
}

/// Answers as the body of a response.
struct Making {
    answers: Answers,
    step: usize,
    /// Bytes that are still to come.
    left: u64,
    /// Whether a chunk was just made, so that others are answered before the next.
    is_resting: bool,
}

impl http_body::Body for Making {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if std::mem::take(&mut self.is_resting) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.is_resting = true;
        let mut chunk = Vec::with_capacity(CHUNK + CHUNK / 4);
        while self.step < self.answers.steps() && chunk.len() < CHUNK {
            // None is at fault: each was made before.
            let _ = self.answers.write(self.step, &mut chunk);
            self.step += 1;
        }
        self.left = self.left.saturating_sub(chunk.len() as u64);
        Poll::Ready((!chunk.is_empty()).then(|| Ok(Frame::data(chunk.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.step == self.answers.steps()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// Positions of a list, and how many there were: more than can be answered are only counted.
#[derive(Default)]
struct Few {
    fens: Vec<String>,
    number: usize,
}

impl<'de> Deserialize<'de> for Few {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Few, D::Error> {
        struct Counting;

        impl<'de> Visitor<'de> for Counting {
            type Value = Few;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Few, A::Error> {
                let mut few = Few::default();
                while few.number < MOST_IMAGES
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

/// A body in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Posted {
    fen: Option<String>,
    fens: Option<Few>,
    op: Option<String>,
    leaving: Option<String>,
    #[serde(default)]
    all: bool,
}

/// Answers a GET.
///
/// # Errors
///
/// What cannot be read or done.
pub async fn get(State(_): State<Arc<Service>>, request: Request) -> Result<Response, Refusal> {
    let parameters = Parameters::of(request.uri(), &PARAMETERS)?;
    let form = Form::of(&parameters, request.headers())?;
    let wanted = Wanted::of(parameters.get("op"), parameters.get("leaving"), parameters.is_set("all")?)?;
    let answer = answer(parameters.wanted("fen")?, &wanted, || ("fen".to_owned(), None))?;
    let text = || answer.images.iter().flat_map(|turned| [&*turned.fen, "\n"]).collect();
    Ok(form.answer(&answer, text))
}

/// Answers a POST.
///
/// # Errors
///
/// What cannot be read or done; the first position that is at fault.
pub async fn post(State(service): State<Arc<Service>>, request: Request) -> Result<Response, Refusal> {
    let uri = request.uri().clone();
    let parameters = Parameters::of(&uri, &PARAMETERS[1..])?;
    let form = Form::of(&parameters, request.headers())?;
    let (mut op, mut leaving) = (parameters.get("op").map(str::to_owned), parameters.get("leaving").map(str::to_owned));
    let mut is_all = parameters.is_set("all")?;
    let (body, held) = Body::of(request, &service).await?;
    let (positions, number) = match body {
        Body::Json(bytes) => {
            let posted: Posted = json(&bytes)?;
            // What the body says counts.
            (op, leaving, is_all) = (posted.op.or(op), posted.leaving.or(leaving), is_all || posted.all);
            match (posted.fen, posted.fens) {
                (Some(fen), None) => (Positions::One(fen), 1),
                (None, Some(few)) => (Positions::Listed(few.fens), few.number),
                _ => return Err(Refusal::bad("either `fen` or `fens` is wanted").at("body", None, 0, bytes.len())),
            }
        }
        Body::Text(text) => {
            let number = lines(&text).count();
            (Positions::of_text(text), number)
        }
    };
    let wanted = Wanted::of(op.as_deref(), leaving.as_deref(), is_all)?;
    let images = number.saturating_mul(wanted.images());
    if images > MOST_IMAGES {
        let message =
            format!("{MOST_IMAGES} images are made for a request at most, not {images}; ask for fewer at a time");
        return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    let answers = Answers { positions, wanted, form, _held: held };
    if images <= AT_ONCE { answers.respond() } else { service.aside(|| answers.respond()).await? }
}
