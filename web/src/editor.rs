//! For one who types: what may come next, what is what, and all that has a name. Places count in UTF-16 units, as JavaScript does.

use js_sys::Array;
use plyfold_core::query::{complete as next, highlight as colours};
use plyfold_core::scan::measure::FEATURES;
use plyfold_core::scan::measure::numbers::NUMBERS;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::game_rows::js_object;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Something that may stand at a place of a query. */
export interface Completion {
  /** Where that begins which it replaces: the word that is being written, or words before it that are one name with it. */
  from: number;
  text: string;
  /** What it means, in some words; may be empty. */
  detail: string;
  kind: 'keyword' | 'side' | 'predicate' | 'region' | 'text' | 'operator';
}

/** What may stand at a place, best first. The word that is being written there is between `from` and `to`. */
export interface Completions {
  from: number;
  to: number;
  options: Completion[];
}

/** A piece of a query's text. */
export interface Painted {
  from: number;
  to: number;
  class: 'keyword' | 'side' | 'predicate' | 'number' | 'text' | 'region' | 'operator' | 'bracket' | 'unknown';
}

/** Something that a query can ask of a position. */
export interface Predicate {
  name: string;
  /** Other names that mean the same. */
  aliases: string[];
  /** One line. */
  summary: string;
  /** Whether a side may stand before it. */
  sided: boolean;
  /** Whether it is a number, to be compared. */
  number: boolean;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// What may stand at a place.
    #[wasm_bindgen(typescript_type = "Completions")]
    pub type JsCompletions;
    /// The pieces of a text.
    #[wasm_bindgen(typescript_type = "Painted[]")]
    pub type JsHighlightSpans;
    /// What has a name.
    #[wasm_bindgen(typescript_type = "Predicate[]")]
    pub type JsPredicates;
}

/// What may stand in a query at a place.
#[wasm_bindgen]
#[must_use]
pub fn complete(query: &str, at: u32) -> JsCompletions {
    let completions = next::complete(query, byte_at(query, at));
    let options = Array::new();
    for option in completions.options {
        options.push(&js_object(&[
            ("from", utf16_units(query, option.from).into()),
            ("text", option.text.as_str().into()),
            ("detail", option.detail.into()),
            ("kind", option.kind.name().into()),
        ]));
    }
    let (from, to) = (utf16_units(query, completions.from), utf16_units(query, completions.to));
    let result: JsValue = js_object(&[("from", from.into()), ("to", to.into()), ("options", options.into())]).into();
    result.unchecked_into()
}

/// What is what in a text, whether it can be read or not.
#[wasm_bindgen]
#[must_use]
pub fn paint(query: &str) -> JsHighlightSpans {
    let pieces = Array::new();
    // Counted from piece to piece, so that a long text is walked through once.
    let (mut at, mut count) = (0, 0);
    let mut unit = |byte: usize| {
        count += utf16_units(&query[at..], byte - at);
        at = byte;
        JsValue::from(count)
    };
    for piece in colours::highlight(query) {
        let (from, to) = (unit(piece.from), unit(piece.to));
        pieces.push(&js_object(&[("from", from), ("to", to), ("class", piece.class.name().into())]));
    }
    pieces.unchecked_into()
}

/// What a query can ask of a position, in the engine's order: predicates, then numbers.
#[wasm_bindgen]
#[must_use]
pub fn predicates() -> JsPredicates {
    let predicates = Array::new();
    let add = |name: &str, aliases: &[&str], summary: &str, sided: bool, number: bool| {
        let others = Array::new();
        for &alias in aliases {
            others.push(&alias.into());
        }
        predicates.push(&js_object(&[
            ("name", name.into()),
            ("aliases", others.into()),
            ("summary", summary.into()),
            ("sided", sided.into()),
            ("number", number.into()),
        ]));
    };
    for feature in FEATURES {
        add(feature.name, feature.aliases, feature.summary, feature.has_sides, false);
    }
    for number in NUMBERS {
        add(number.name, number.aliases, number.summary, false, true);
    }
    predicates.unchecked_into()
}

/// UTF-16 units before a byte.
pub(crate) fn utf16_units(text: &str, byte: usize) -> u32 {
    text.get(..byte).unwrap_or(text).chars().map(|letter| letter.len_utf16() as u32).sum()
}

/// The byte after so many UTF-16 units.
fn byte_at(text: &str, units: u32) -> usize {
    let mut remaining = units as usize;
    for (at, letter) in text.char_indices() {
        match remaining.checked_sub(letter.len_utf16()) {
            _ if remaining == 0 => return at,
            Some(rest) => remaining = rest,
            None => return at,
        }
    }
    text.len()
}
