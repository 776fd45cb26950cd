//! Help with typing a query: completion, colouring, and the list of predicates. Places count in UTF-16 units, as JavaScript does.

use js_sys::Array;
use plyfold_core::query::played::MoveAction;
use plyfold_core::query::{complete as next, compose, highlight as colours, language};
use plyfold_core::scan::measure::FEATURES;
use plyfold_core::scan::measure::numbers::NUMBERS;
use plyfold_core::scan::predicate::PlyMark;
use tsify::Tsify;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::plain::{Js, List, plain_object, to_js};

/// An option of the completion.
#[derive(Tsify)]
pub struct Completion {
    /// Where the text begins that the option replaces: the word being written, or earlier words that form one name with it.
    pub from: u32,
    /// The option as the query language writes it.
    pub text: String,
    /// A short explanation; may be empty.
    pub detail: &'static str,
    /// The kind of word.
    #[tsify(type = "'keyword' | 'side' | 'predicate' | 'region' | 'text' | 'operator'")]
    pub kind: &'static str,
}
plain_object!(Completion { from, text, detail, kind });

/// The options at a place of a query, best first. The word being written there is between `from` and `to`.
#[derive(Tsify)]
pub struct Completions {
    /// Where the word begins.
    pub from: u32,
    /// One past its end.
    pub to: u32,
    /// The options.
    pub options: List<Completion>,
}
plain_object!(Completions { from, to, options });

/// A piece of a query's text, and how it is coloured.
#[derive(Tsify)]
pub struct Painted {
    /// Where it begins.
    pub from: u32,
    /// One past its end.
    pub to: u32,
    /// The kind of word.
    #[tsify(
        type = "'keyword' | 'side' | 'predicate' | 'number' | 'text' | 'region' | 'operator' | 'bracket' | 'unknown'"
    )]
    pub class: &'static str,
}
plain_object!(Painted { from, to, class });
/// A predicate or number of the query language.
#[derive(Tsify)]
pub struct Predicate {
    /// The name as the query language writes it.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: List<&'static str>,
    /// A summary of one line.
    pub summary: &'static str,
    /// Whether a side may precede it.
    pub sided: bool,
    /// Whether it is a number, which a query compares.
    pub number: bool,
}
plain_object!(Predicate { name, aliases, summary, sided, number });
/// A query and another condition as one query.
#[derive(Tsify)]
#[tsify(missing_as_null)]
pub struct Composition {
    /// Both at the same position; null if the query concerns several positions.
    pub together: Option<String>,
    /// Both in the same game, each at a position of its own.
    pub apart: String,
}
plain_object!(Composition { together, apart });

/// Puts a query of an earlier version of the language into the words of this one. A query of a later version stays as it is.
#[wasm_bindgen(js_name = inThisLanguage)]
#[must_use]
pub fn in_this_language(query: &str, language: u32) -> String {
    language::in_this_language(query, language).unwrap_or_else(|_| query.into())
}

/// Lists what may come next at a place of a query.
#[wasm_bindgen]
#[must_use]
pub fn complete(query: &str, at: u32) -> Js<Completions> {
    let completions = next::complete(query, byte_at(query, at));
    let options = completions.options.into_iter().map(|option| Completion {
        from: utf16_units(query, option.from),
        text: option.text,
        detail: option.detail,
        kind: option.kind.name(),
    });
    let (from, to) = (utf16_units(query, completions.from), utf16_units(query, completions.to));
    to_js(Completions { from, to, options: options.collect() })
}

/// Splits a text into coloured pieces, even if it is no valid query.
#[wasm_bindgen(unchecked_return_type = "Painted[]")]
#[must_use]
pub fn paint(query: &str) -> Array {
    // The units are counted from piece to piece, so one pass is enough for a long text.
    let (mut at, mut count) = (0, 0);
    let mut unit = |byte: usize| {
        count += utf16_units(&query[at..], byte - at);
        at = byte;
        count
    };
    let pieces = colours::highlight(query).into_iter().map(|piece| {
        let (from, to) = (unit(piece.from), unit(piece.to));
        Painted { from, to, class: piece.class.name() }
    });
    pieces.collect::<List<_>>().0
}

/// Lists what a query can test, in the engine's order: predicates, moves and what the text says of them, then numbers.
#[wasm_bindgen(unchecked_return_type = "Predicate[]")]
#[must_use]
pub fn predicates() -> Array {
    let predicate = |name, aliases: &[&'static str], summary, sided, number| Predicate {
        name,
        aliases: aliases.iter().copied().collect(),
        summary,
        sided,
        number,
    };
    let features = FEATURES.iter().map(|one| predicate(one.name, one.aliases, one.summary, one.has_sides, false));
    let numbers = NUMBERS.iter().map(|one| predicate(one.name, one.aliases, one.summary, false, true));
    let moves = MoveAction::NAMED.iter().filter(|(name, action)| action.name() == *name).map(|&(name, action)| {
        let others = MoveAction::NAMED.iter().filter(|(other, same)| *same == action && *other != name);
        let others: Vec<&str> = others.map(|&(other, _)| other).collect();
        predicate(name, &others, next::meaning(name), true, false)
    });
    let marks = PlyMark::NAMED.iter().map(|one| predicate(one.name, one.aliases, one.summary, true, false));
    features.chain(moves).chain(marks).chain(numbers).collect::<List<_>>().0
}

/// Combines a query and another condition.
#[wasm_bindgen]
#[must_use]
pub fn composed(query: &str, condition: &str) -> Js<Composition> {
    to_js(Composition {
        together: compose::at_one_position(query, condition),
        apart: compose::in_one_game(query, condition),
    })
}

/// Counts the UTF-16 units before a byte.
pub(crate) fn utf16_units(text: &str, byte: usize) -> u32 {
    text.get(..byte).unwrap_or(text).chars().map(|letter| letter.len_utf16() as u32).sum()
}

/// Finds the byte after `units` UTF-16 units.
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
