//! Boards turned: a position's images, commands done to it one by one, what lies between two boards. Places count in UTF-16 units, as
//! JavaScript does.

use js_sys::Array;
use plyfold_core::query::parse::parse;
use plyfold_core::query::transformed::ImageMatcher;
use plyfold_core::transform::position_text::{self, PositionTextError};
use plyfold_core::transform::twin::{OffBoardRule, TwinList};
use plyfold_core::transform::{Transform, detect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::corpus::Corpus;
use crate::editor::utf16_units;
use crate::error::JsFailure;
use crate::game_rows::js_object;

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
    pub type JsImages;
    /// Twins, step by step.
    #[wasm_bindgen(typescript_type = "Twins")]
    pub type JsTwins;
    /// What makes one position of another.
    #[wasm_bindgen(typescript_type = "Between")]
    pub type JsTransformsBetween;
    /// For each matching ply, the names of the images as which it matches.
    #[wasm_bindgen(typescript_type = "string[][]")]
    pub type JsImageNames;
}

fn js_fault(text: &str, fault: Option<&PositionTextError>) -> JsValue {
    fault.map_or(JsValue::NULL, |PositionTextError { message, from, to }| {
        let (from, to) = (utf16_units(text, *from), utf16_units(text, *to));
        js_object(&[("message", message.into()), ("from", from.into()), ("to", to.into())]).into()
    })
}

fn js_array<T: Into<JsValue>>(items: impl IntoIterator<Item = T>) -> JsValue {
    items.into_iter().map(Into::into).collect::<Array>().into()
}

/// All that a position, a FEN or EPD, turns into by one transform: the flips, the rotations, the changes of colours.
#[wasm_bindgen]
#[must_use]
pub fn images(position: &str) -> JsImages {
    let line = position_text::read_line(position);
    let image_object = |(name, transform): &(&str, Transform)| {
        let transformed =
            line.as_ref().map(|line| position_text::to_fen(&transform.apply(&line.position))).unwrap_or_default();
        JsValue::from(js_object(&[("name", (*name).into()), ("fen", transformed.into())]))
    };
    let transforms = line.is_ok().then_some(&Transform::NAMED);
    let fen = line.as_ref().map(|line| position_text::to_fen(&line.position)).unwrap_or_default();
    let images = js_array(transforms.into_iter().flatten().map(image_object));
    let fault = js_fault(position, line.as_ref().err());
    let result: JsValue = js_object(&[("fen", fen.into()), ("images", images), ("fault", fault)]).into();
    result.unchecked_into()
}

/// What the commands of a text do to a position. A shift that takes men off the board is refused or not, as `leaving` says: `refused`,
/// `dropped`, or else as each command has it.
///
/// # Errors
///
/// A position that cannot be read.
#[wasm_bindgen]
pub fn twins(position: &str, text: &str, leaving: &str) -> Result<JsTwins, JsFailure> {
    let line = position_text::read_line(position).map_err(|fault| JsFailure::new("bad-input", fault.message))?;
    let leaving = match leaving {
        "refused" => OffBoardRule::Refuse,
        "dropped" => OffBoardRule::Drop,
        _ => OffBoardRule::AsWritten,
    };
    let (paths, misread) = match TwinList::read(text) {
        Ok(twins) => twins.apply_stepwise(&line.position, leaving),
        Err(misread) => (Vec::new(), Some(misread)),
    };
    let twins = js_array(paths.into_iter().map(|path| {
        let done = js_array(path.steps.iter().map(|done| {
            js_object(&[
                ("told", done.description.as_str().into()),
                ("from", utf16_units(text, done.from).into()),
                ("to", utf16_units(text, done.to).into()),
                ("fen", position_text::to_fen(&done.position).into()),
            ])
        }));
        js_object(&[("label", path.label.into()), ("from", position_text::to_fen(&path.start).into()), ("done", done)])
    }));
    let result: JsValue = js_object(&[("twins", twins), ("fault", js_fault(text, misread.as_ref()))]).into();
    Ok(result.unchecked_into())
}

/// All that makes `image` of `original`, men and squares alone.
#[wasm_bindgen]
#[must_use]
pub fn between(image: &str, original: &str) -> JsTransformsBetween {
    let (one, two) = (position_text::read_line(image), position_text::read_line(original));
    let transforms = match (&one, &two) {
        (Ok(one), Ok(two)) => detect::transforms_between(&one.position, &two.position),
        _ => Vec::new(),
    };
    let result: JsValue = js_object(&[
        ("transforms", js_array(transforms.iter().map(ToString::to_string))),
        ("image", js_fault(image, one.as_ref().err())),
        ("original", js_fault(original, two.as_ref().err())),
    ])
    .into();
    result.unchecked_into()
}

/// The images that a query asks for, of each part of it that has some.
#[wasm_bindgen(js_name = imagesAsked)]
#[must_use]
pub fn images_asked(query: &str) -> JsImageNames {
    let matcher = parse(query).ok().and_then(|tree| ImageMatcher::for_query(&tree));
    let names = js_array(matcher.iter().flat_map(ImageMatcher::image_names).map(js_array));
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
    pub fn images_at(&self, id: u32, plies: &[u32], query: &str) -> Result<JsImageNames, JsFailure> {
        let mut names_by_ply = Vec::new();
        if let Some(matcher) = ImageMatcher::for_query(&parse(query)?) {
            for &ply in plies {
                names_by_ply.push(js_array(matcher.matching_images(&self.board(id, ply)?)));
            }
        }
        Ok(js_array(names_by_ply).unchecked_into())
    }
}
