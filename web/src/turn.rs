//! Boards turned: a position's images, commands done to it one by one, what lies between two boards. Places count in UTF-16 units, as
//! JavaScript does.

use js_sys::Array;
use plyfold_core::query::parse::parse;
use plyfold_core::query::under::Found;
use plyfold_core::transform::read::{self, Misread};
use plyfold_core::transform::twin::{Leaving, Twins};
use plyfold_core::transform::{Transform, detect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::corpus::Corpus;
use crate::error::Failure;
use crate::table::object;
use crate::typing::units;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What is wrong with a text, and where. */
export interface Fault {
  message: string;
  from: number;
  to: number;
}

/** A position, and all that it turns into by one transform, itself first. Nothing where the text is none. */
export interface Images {
  fen: string;
  images: { name: string; fen: string }[];
  fault: Fault | null;
}

/** A step that was done: as Popeye prints it, its place in the text, the position after it. */
export interface Done {
  told: string;
  from: number;
  to: number;
  fen: string;
}

/** The twins of a text, step by step, as far as they could be made. */
export interface Twins {
  twins: { label: string; from: string; done: Done[] }[];
  fault: Fault | null;
}

/** What makes one position of another: the names of single transforms, or of several in a row. */
export interface Between {
  transforms: string[];
  image: Fault | null;
  original: Fault | null;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// A position and its images.
    #[wasm_bindgen(typescript_type = "Images")]
    pub type Images;
    /// Twins, step by step.
    #[wasm_bindgen(typescript_type = "Twins")]
    pub type Made;
    /// What makes one position of another.
    #[wasm_bindgen(typescript_type = "Between")]
    pub type Between;
    /// For each matching ply, the names of the images as which it matches.
    #[wasm_bindgen(typescript_type = "string[][]")]
    pub type Names;
}

fn fault(text: &str, fault: Option<&Misread>) -> JsValue {
    fault.map_or(JsValue::NULL, |Misread { message, from, to }| {
        let (from, to) = (units(text, *from), units(text, *to));
        object(&[("message", message.into()), ("from", from.into()), ("to", to.into())]).into()
    })
}

fn list<T: Into<JsValue>>(all: impl IntoIterator<Item = T>) -> JsValue {
    all.into_iter().map(Into::into).collect::<Array>().into()
}

/// All that a position, a FEN or EPD, turns into by one transform: the flips, the rotations, the changes of colours.
#[wasm_bindgen]
#[must_use]
pub fn images(position: &str) -> Images {
    let line = read::line(position);
    let of = |(name, transform): &(&str, Transform)| {
        let turned = line.as_ref().map(|line| read::write(&transform.apply(&line.position))).unwrap_or_default();
        JsValue::from(object(&[("name", (*name).into()), ("fen", turned.into())]))
    };
    let all = line.is_ok().then_some(&Transform::NAMED);
    let fen = line.as_ref().map(|line| read::write(&line.position)).unwrap_or_default();
    let images = list(all.into_iter().flatten().map(of));
    let fault = fault(position, line.as_ref().err());
    let found: JsValue = object(&[("fen", fen.into()), ("images", images), ("fault", fault)]).into();
    found.unchecked_into()
}

/// What the commands of a text do to a position. A shift that takes men off the board is refused or not, as `leaving` says: `refused`,
/// `dropped`, or else as each command has it.
///
/// # Errors
///
/// A position that cannot be read.
#[wasm_bindgen]
pub fn twins(position: &str, text: &str, leaving: &str) -> Result<Made, Failure> {
    let line = read::line(position).map_err(|fault| Failure::new("bad-input", fault.message))?;
    let leaving = match leaving {
        "refused" => Leaving::Refused,
        "dropped" => Leaving::Dropped,
        _ => Leaving::AsWritten,
    };
    let (ways, misread) = match Twins::read(text) {
        Ok(twins) => twins.walk(&line.position, leaving),
        Err(misread) => (Vec::new(), Some(misread)),
    };
    let twins = list(ways.into_iter().map(|way| {
        let done = list(way.done.iter().map(|done| {
            object(&[
                ("told", done.told.as_str().into()),
                ("from", units(text, done.from).into()),
                ("to", units(text, done.to).into()),
                ("fen", read::write(&done.position).into()),
            ])
        }));
        object(&[("label", way.label.into()), ("from", read::write(&way.from).into()), ("done", done)])
    }));
    let made: JsValue = object(&[("twins", twins), ("fault", fault(text, misread.as_ref()))]).into();
    Ok(made.unchecked_into())
}

/// All that makes `image` of `original`, men and squares alone.
#[wasm_bindgen]
#[must_use]
pub fn between(image: &str, original: &str) -> Between {
    let (one, two) = (read::line(image), read::line(original));
    let all = match (&one, &two) {
        (Ok(one), Ok(two)) => detect::between(&one.position, &two.position),
        _ => Vec::new(),
    };
    let found: JsValue = object(&[
        ("transforms", list(all.iter().map(ToString::to_string))),
        ("image", fault(image, one.as_ref().err())),
        ("original", fault(original, two.as_ref().err())),
    ])
    .into();
    found.unchecked_into()
}

/// The images that a query asks for, of each part of it that has some.
#[wasm_bindgen(js_name = imagesAsked)]
#[must_use]
pub fn images_asked(query: &str) -> Names {
    let found = parse(query).ok().and_then(|tree| Found::of(&tree));
    let names = list(found.iter().flat_map(Found::all).map(list));
    names.unchecked_into()
}

#[wasm_bindgen]
impl Corpus {
    /// For each of these plies of game `id`, the names of the images of a query as which its position matches; nothing if nothing in the
    /// query has images.
    ///
    /// # Errors
    ///
    /// A query that cannot be read; no such game.
    #[wasm_bindgen(js_name = imagesAt)]
    pub fn images_at(&self, id: u32, plies: &[u32], query: &str) -> Result<Names, Failure> {
        let mut all = Vec::new();
        if let Some(found) = Found::of(&parse(query)?) {
            for &ply in plies {
                all.push(list(self.board(id, ply)?.map(|board| found.names(&board)).unwrap_or_default()));
            }
        }
        Ok(list(all).unchecked_into())
    }
}
