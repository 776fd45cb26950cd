//! Transforms: the images of a position, commands applied to it one by one, and the transforms between two
//! positions. Places count in UTF-16 units, as JavaScript does.

use plyfold_core::query::parse::parse;
use plyfold_core::query::transformed::ImageMatcher;
use plyfold_core::transform::position_text::{self, PositionTextError};
use plyfold_core::transform::{Transform, detect};
use plyfold_core::twinning::{OffBoardRule, TwinList};
use tsify::Tsify;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::corpus::Corpus;
use crate::editor::utf16_units;
use crate::error::JsFailure;
use crate::plain::{IntoJs, Js, List, plain_object, to_js};

/// An error in a text other than a query, and its place.
#[derive(Tsify)]
pub struct Fault {
    /// The error in one clause.
    pub message: String,
    /// Where the error begins.
    pub from: u32,
    /// One past its end.
    pub to: u32,
}
plain_object!(Fault { message, from, to });

/// A position that a transform makes of another.
#[derive(Tsify)]
pub struct Image {
    /// The name of the transform.
    pub name: &'static str,
    /// The position.
    pub fen: String,
}
plain_object!(Image { name, fen });

/// A position and its images under each single transform, itself first; no images if the text is not a position.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct Images {
    /// The position as the engine reads it; empty if the text is not a position.
    pub fen: String,
    /// Its images.
    pub images: List<Image>,
    /// The error in the text.
    pub fault: Option<Fault>,
}
plain_object!(Images { fen, images, fault });

/// A command that was applied.
#[derive(Tsify)]
pub struct Done {
    /// The command as Popeye prints it.
    pub told: String,
    /// Where the command begins in the text.
    pub from: u32,
    /// One past its end.
    pub to: u32,
    /// The position after the command.
    pub fen: String,
}
plain_object!(Done { told, from, to, fen });

/// A twin, and the steps that make it.
#[derive(Tsify)]
pub struct Twin {
    /// Its letter.
    pub label: String,
    /// The position in which its steps begin.
    pub from: String,
    /// The steps; the diagram itself has none.
    pub done: List<Done>,
}
plain_object!(Twin { label, from, done });

/// The twins of a text, up to the first error.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct Twins {
    /// The twins.
    pub twins: List<Twin>,
    /// The error that stopped them.
    pub fault: Option<Fault>,
}
plain_object!(Twins { twins, fault });

/// The transforms between two positions.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct Between {
    /// Names of single transforms, or of several transforms in order.
    pub transforms: List<String>,
    /// The error in the text of the image.
    pub image: Option<Fault>,
    /// The error in the text of the original.
    pub original: Option<Fault>,
}
plain_object!(Between { transforms, image, original });

/// What happens to pieces that a shift takes off the board; `written` leaves it to each command.
#[derive(Tsify)]
#[tsify(type = "'written' | 'refused' | 'dropped'")]
pub struct Leaving;

fn fault_in(text: &str, error: &PositionTextError) -> Fault {
    Fault { message: error.message.clone(), from: utf16_units(text, error.from), to: utf16_units(text, error.to) }
}

/// Returns the images of a position (FEN or EPD) under each single transform: flips, rotations and colour swaps.
#[wasm_bindgen]
#[must_use]
pub fn images(position: &str) -> Js<Images> {
    let read = position_text::read_line(position);
    let images = read.iter().flat_map(|line| {
        Transform::NAMED.iter().map(move |&(name, transform)| {
            let fen = position_text::to_fen(&transform.apply(&line.position));
            Image { name, fen }
        })
    });
    to_js(Images {
        fen: read.as_ref().map(|line| position_text::to_fen(&line.position)).unwrap_or_default(),
        images: images.collect(),
        fault: read.as_ref().err().map(|error| fault_in(position, error)),
    })
}

/// Applies the commands of a text to a position. `leaving` says whether a shift that takes pieces off the board is refused.
///
/// # Errors
///
/// The position cannot be read.
#[wasm_bindgen]
pub fn twins(
    position: &str,
    text: &str,
    #[wasm_bindgen(unchecked_param_type = "Leaving")] leaving: &str,
) -> Result<Js<Twins>, JsFailure> {
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
    let twins = paths.into_iter().map(|path| Twin {
        label: path.label,
        from: position_text::to_fen(&path.start),
        done: path
            .steps
            .into_iter()
            .map(|step| Done {
                from: utf16_units(text, step.from),
                to: utf16_units(text, step.to),
                fen: position_text::to_fen(&step.position),
                told: step.description,
            })
            .collect(),
    });
    Ok(to_js(Twins { twins: twins.collect(), fault: misread.map(|error| fault_in(text, &error)) }))
}

/// Finds the transforms that make `image` of `original`. Only pieces and squares count.
#[wasm_bindgen]
#[must_use]
pub fn between(image: &str, original: &str) -> Js<Between> {
    let (one, two) = (position_text::read_line(image), position_text::read_line(original));
    let transforms = match (&one, &two) {
        (Ok(one), Ok(two)) => detect::transforms_between(&one.position, &two.position),
        _ => Vec::new(),
    };
    to_js(Between {
        transforms: transforms.iter().map(ToString::to_string).collect(),
        image: one.err().map(|error| fault_in(image, &error)),
        original: two.err().map(|error| fault_in(original, &error)),
    })
}

/// Lists the names of the images of a query, for each part of the query that has images.
#[wasm_bindgen(js_name = imagesAsked, unchecked_return_type = "string[][]")]
#[must_use]
pub fn images_asked(query: &str) -> JsValue {
    let matcher = parse(query).ok().and_then(|tree| ImageMatcher::for_query(&tree));
    matcher.iter().flat_map(ImageMatcher::image_names).map(List::from_iter).collect::<List<_>>().into_js_value()
}

#[wasm_bindgen]
impl Corpus {
    /// For each of these plies of game `id`, lists the images of the query that the position matches;
    /// nothing if the query has no images.
    ///
    /// # Errors
    ///
    /// The query cannot be read; there is no such game.
    #[wasm_bindgen(js_name = imagesAt, unchecked_return_type = "string[][]")]
    pub fn images_at(&self, id: u32, plies: &[u32], query: &str) -> Result<JsValue, JsFailure> {
        let names_by_ply = List::default();
        if let Some(matcher) = ImageMatcher::for_query(&parse(query)?) {
            for &ply in plies {
                names_by_ply.push(List::from_iter(matcher.matching_images(&self.board(id, ply)?)));
            }
        }
        Ok(names_by_ply.into_js_value())
    }
}
