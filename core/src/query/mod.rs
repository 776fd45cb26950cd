//! The query language: text in, a query ready for scanning out.
//!
//! ```text
//! text ─► tokens ─► tree ─► plan (scan::Query)
//! ```
//!
//! [`token`] cuts the text, [`parse`] builds the [`tree`], [`plan`] turns the tree into predicates and formulas. What stands in
//! quotes and in names of materials is read by [`diagram`], [`fen_pattern`] and [`material`].
//! For those who type, [`complete`] says what may come next and [`highlight`] what is what; [`compose`] adds a condition to a query.
//! GRAMMAR.md beside this file is the law, and a test reads its examples.
//!
//! ```
//! use plyfold_core::query;
//! let query = query::compile("{ queens_off and white bishop_pair } or rook_on_seventh").unwrap();
//! assert_eq!(query.conditions.len(), 2);
//! let error = query::compile("white bishop_piar").unwrap_err();
//! assert_eq!(error.to_string(), "unknown name `bishop_piar`: did you mean `bishop_pair`?");
//! assert_eq!((error.from, error.to), (6, 17));
//! ```

pub mod complete;
pub mod compose;
pub mod diagram;
pub mod error;
pub mod fen_pattern;
pub mod header;
pub mod highlight;
pub mod material;
pub mod parse;
pub mod plan;
pub mod region;
pub mod token;
pub mod transformed;
pub mod tree;
pub mod unknown_names;
pub mod window;

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use error::QueryError;

use crate::headers::EcoCodes;
use crate::headers::openings::OpeningNames;
use crate::scan::Query;
use crate::scan::predicate::{NumberComparison, PositionPredicate, WeightedTerm};

/// Reads a query and makes it ready for scanning. Text that is empty or only white space asks for everything. `openings` are the names
/// that it can ask for.
///
/// # Errors
///
/// The first thing wrong, with its place in the text, what was expected there, and the nearest known name.
pub fn compile_with_openings(text: &str, openings: &OpeningNames) -> Result<Query, QueryError> {
    let codes = |name: &str| opening_codes(openings, name);
    plan::plan(&parse::parse(text)?, &codes).map_err(|error| match (error.from, error.to) {
        // What is wrong with all of it, unless it is the name of an opening.
        (0, 0) => {
            let (from, to) = locate_unknown_opening(text, &codes).unwrap_or((0, text.len()));
            QueryError { from, to, ..error }
        }
        _ => error,
    })
}

/// The same where no names of openings are at hand.
///
/// # Errors
///
/// As [`compile_with_openings`]; a query that names an opening.
pub fn compile(text: &str) -> Result<Query, QueryError> {
    compile_with_openings(text, &OpeningNames::default())
}

/// Reads a number of the position, to count or group by: `count(white pawn)`, `points(white) - points(black)`, `king_distance`.
///
/// # Errors
///
/// As [`compile`]; a text that is no sum, or that has a constant of its own.
pub fn parse_number(text: &str) -> Result<Vec<WeightedTerm>, QueryError> {
    let whole = |message: &str| error::error_at(message, 0, text.len(), &["`count(white pawn)`", "`king_distance`"]);
    let query = compile(&format!("{text} >= 0")).map_err(|error| QueryError {
        from: error.from.min(text.len()),
        to: error.to.min(text.len()),
        ..error
    })?;
    match <[PositionPredicate; 1]>::try_from(query.predicates) {
        Ok([PositionPredicate::Compare { terms, comparison: NumberComparison::AtLeast, constant: 0 }]) => Ok(terms),
        Ok([PositionPredicate::Compare { comparison: NumberComparison::AtLeast, .. }]) => {
            Err(whole("a number to count has no constant of its own"))
        }
        _ => Err(whole("this is no number of a position")),
    }
}

/// The ECO codes that the name of an opening means.
///
/// # Errors
///
/// A name that no opening has, with the nearest ones, or any name if there are none.
pub fn opening_codes(openings: &OpeningNames, name: &str) -> Result<EcoCodes, QueryError> {
    if openings.is_empty() {
        return reject_opening(name);
    }
    let codes = openings.resolve(name).map(|opening| opening.codes);
    codes.map_err(|unknown| error::error_at(&unknown.to_string(), 0, 0, &[]))
}

/// Knows no opening.
///
/// # Errors
///
/// Always.
pub fn reject_opening(name: &str) -> Result<EcoCodes, QueryError> {
    let message = alloc::format!("no names of openings are at hand, so `{name}` is not known: ask by `eco`");
    Err(error::error_at(&message, 0, 0, &["`eco`"]))
}

/// Where the first opening is named that nobody knows.
fn locate_unknown_opening(text: &str, codes: plan::OpeningResolver<'_>) -> Option<(usize, usize)> {
    let tokens = token::tokenize(text).ok()?;
    tokens.windows(2).find_map(|pair| match (&pair[0].kind, &pair[1].kind) {
        (token::TokenKind::Word(word), token::TokenKind::Text(name))
            if word == "opening" && codes(name.trim()).is_err() =>
        {
            Some((pair[1].from, pair[1].to))
        }
        _ => None,
    })
}
