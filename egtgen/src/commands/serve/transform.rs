//! `/transform`: positions turned, by name or by the solving engines' commands.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use plyfold_core::transform::image::{Family, Image};
use plyfold_core::transform::read;
use plyfold_core::transform::twin::{Leaving, Twin, Twins};
use serde::{Deserialize, Serialize};
use shakmaty::Setup;

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

/// The answers to several positions.
#[derive(Serialize)]
struct Answers {
    positions: Vec<Answer>,
}

/// Where a position stands in the request.
struct Asked {
    text: String,
    field: String,
    line: Option<usize>,
}

impl Asked {
    fn field(text: String, field: impl Into<String>) -> Asked {
        Asked { text, field: field.into(), line: None }
    }

    fn answer(&self, wanted: &Wanted) -> Result<Answer, Refusal> {
        let read = read::line(&self.text).map_err(|fault| Refusal::misread(&self.field, self.line, fault))?;
        Ok(Answer { fen: read::write(&read.position), images: wanted.apply(&read.position)? })
    }
}

/// A body in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Posted {
    fen: Option<String>,
    fens: Option<Vec<String>>,
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
    let answer = Asked::field(parameters.wanted("fen")?.to_owned(), "fen").answer(&wanted)?;
    Ok(form.answer(&answer, || text(std::slice::from_ref(&answer))))
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
    let mut is_one = false;
    let asked: Vec<Asked> = match Body::of(request, &service).await? {
        Body::Json(bytes) => {
            let posted: Posted = json(&bytes)?;
            // What the body says counts.
            (op, leaving, is_all) = (posted.op.or(op), posted.leaving.or(leaving), is_all || posted.all);
            match (posted.fen, posted.fens) {
                (Some(fen), None) => {
                    is_one = true;
                    vec![Asked::field(fen, "fen")]
                }
                (None, Some(fens)) => {
                    (0..).zip(fens).map(|(nth, fen): (usize, _)| Asked::field(fen, format!("fens[{nth}]"))).collect()
                }
                _ => return Err(Refusal::bad("either `fen` or `fens` is wanted").at("body", None, 0, bytes.len())),
            }
        }
        Body::Text(text) => {
            let asked = lines(&text).map(|(number, line)| Asked {
                text: line.to_owned(),
                field: "body".to_owned(),
                line: Some(number),
            });
            asked.collect()
        }
    };
    let wanted = Wanted::of(op.as_deref(), leaving.as_deref(), is_all)?;
    let images = asked.len().saturating_mul(wanted.images());
    if images > MOST_IMAGES {
        let message =
            format!("{MOST_IMAGES} images are made for a request at most, not {images}; ask for fewer at a time");
        return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    let answers = move || {
        let answers = asked.iter().map(|asked| asked.answer(&wanted)).collect::<Result<Vec<Answer>, Refusal>>()?;
        Ok(match (is_one, &answers[..]) {
            (true, [answer]) => form.answer(answer, || text(&answers)),
            _ => {
                let answers = Answers { positions: answers };
                form.answer(&answers, || text(&answers.positions))
            }
        })
    };
    if images <= AT_ONCE { answers() } else { service.aside(answers).await? }
}

/// A FEN a line.
fn text(answers: &[Answer]) -> String {
    answers.iter().flat_map(|answer| &answer.images).flat_map(|turned| [&*turned.fen, "\n"]).collect()
}
