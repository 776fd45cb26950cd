//! The query language: text in, a query ready for scanning out.
//!
//! ```text
//! text ─► tokens ─► tree ─► plan (scan::Query)
//! ```
//!
//! [`token`] cuts the text, [`parse`] builds the [`tree`] out of [`forms`], a file each, and names keep their places ([`span`]).
//! [`plan`] turns the tree into predicates and formulas. [`diagram`], [`fen_pattern`] and [`material`] read texts in quotes and
//! names of materials.
//! For an editor, [`complete`] lists what may come next, and [`highlight`] classifies the parts of the text.
//! GRAMMAR.md beside this file defines the language, and a test reads its examples.
//!
//! ```
//! use plyfold_query::compile;
//! let query = compile("{ queens_off and white bishop_pair } or rook_on_seventh").unwrap();
//! assert_eq!(query.conditions.len(), 2);
//! let error = compile("white bishop_piar").unwrap_err();
//! assert_eq!(error.to_string(), "unknown name `bishop_piar`: did you mean `bishop_pair`?");
//! assert_eq!((error.from, error.to), (6, 17));
//! ```
#![no_std]

extern crate alloc;

pub mod change;
pub mod complete;
pub mod compose;
pub mod diagram;
pub mod error;
pub mod fen_pattern;
pub mod forms;
pub mod header;
pub mod highlight;
#[cfg(feature = "json")]
pub mod json;
pub mod keywords;
pub mod language;
pub mod material;
pub mod names;
pub mod notes;
pub mod outline;
pub mod parse;
pub mod phrases;
pub mod plan;
pub mod played;
pub mod region;
pub mod relation;
#[cfg(test)]
mod scan_tests;
pub mod side;
pub mod span;
pub mod squares;
pub mod sum;
mod three_valued;
pub mod token;
pub mod transformed;
pub mod tree;
mod tree_text;
pub mod unknown_names;
pub mod why_not;
pub mod window;
pub mod written;

pub use three_valued::unknown_positions;

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use error::{MistakeKind, QueryError};
use tree::QueryTree;

use plyfold_scan::headers::OpeningNames;
use plyfold_scan::headers::ResolvedOpening;
use plyfold_scan::scan::Query;
use plyfold_scan::scan::evidence::PositionRule;
use plyfold_scan::scan::predicate::{NumberComparison, PositionPredicate, SumComparison, TableQuestion, WeightedTerm};
use plyfold_scan::scan::tables::TableNumber;

/// A query that was read from a text.
#[derive(Clone, Debug)]
pub struct CompiledQuery {
    /// The tree of the query; names keep their places in the text.
    pub tree: QueryTree,
    /// What a scan runs.
    pub plan: Query,
}

impl CompiledQuery {
    /// Reads a query and makes it ready for scanning. Empty text, or only white space, matches everything. `openings` are the
    /// names of openings that a query can use.
    ///
    /// # Errors
    ///
    /// The first thing wrong, with its place in the text, what was expected there, and the nearest known name.
    pub fn read(text: &str, openings: &OpeningNames) -> Result<CompiledQuery, QueryError> {
        CompiledQuery::read_positions(text, openings, PositionRule::Everywhere)
    }

    /// The same for a scan whose positions are those of a rule.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read).
    pub fn read_positions(
        text: &str,
        openings: &OpeningNames,
        rule: PositionRule,
    ) -> Result<CompiledQuery, QueryError> {
        let tree = parse::parse(text)?;
        let plan = plan::plan_positions(&tree, &|name| resolve_opening(openings, name), rule).map_err(|error| {
            // Without a place, the whole text is at fault.
            let to = if (error.from, error.to) == (0, 0) { text.len() } else { error.to };
            QueryError { to, ..error }
        })?;
        Ok(CompiledQuery { tree, plan })
    }
}

/// The plan of a query: see [`CompiledQuery::read`].
///
/// # Errors
///
/// Those of [`CompiledQuery::read`].
pub fn compile_with_openings(text: &str, openings: &OpeningNames) -> Result<Query, QueryError> {
    CompiledQuery::read(text, openings).map(|compiled| compiled.plan)
}

/// The plan of a query without names of openings.
///
/// # Errors
///
/// Those of [`compile_with_openings`]; a query that names an opening.
pub fn compile(text: &str) -> Result<Query, QueryError> {
    compile_with_openings(text, &OpeningNames::default())
}

/// Reads a number of the position, to count or group by: `count(white pawn)`, `points(white) - points(black)`, `king_distance`.
///
/// # Errors
///
/// Those of [`compile`]; a text that is not a sum, or that has its own constant.
pub fn parse_number(text: &str) -> Result<Vec<WeightedTerm>, QueryError> {
    let whole = |message: &str| error::error_at(message, 0, text.len(), &["`count(white pawn)`", "`king_distance`"]);
    let query = compile(&format!("{text} >= 0")).map_err(|error| QueryError {
        from: error.from.min(text.len()),
        to: error.to.min(text.len()),
        ..error
    })?;
    match <[PositionPredicate; 1]>::try_from(query.predicates) {
        Ok(
            [PositionPredicate::Compare(SumComparison { terms, comparison: NumberComparison::AtLeast, constant: 0 })],
        ) => Ok(terms),
        Ok([PositionPredicate::Compare(SumComparison { comparison: NumberComparison::AtLeast, .. })]) => {
            Err(whole("a number that is counted has no constant"))
        }
        _ => Err(whole("this is not a number of a position")),
    }
}

/// Reads a number that endgame tables know of a position alone: `tb_dtm`, `tb_dtm(white)`. None if the text is anything else.
pub fn parse_table_number(text: &str) -> Option<TableNumber> {
    let query = compile(&format!("{text} >= 0")).ok()?;
    let [PositionPredicate::Table(test)] = &query.predicates[..] else { return None };
    match &test.question {
        TableQuestion::Compare { terms, constant: 0, .. } => match terms[..] {
            [(1, number @ (TableNumber::MovesToMate | TableNumber::MovesToMateBy(_)))] => Some(number),
            _ => None,
        },
        _ => None,
    }
}

/// The openings that a name means.
///
/// # Errors
///
/// A name that no opening has, with the nearest ones; any name if `openings` is empty.
pub fn resolve_opening(openings: &OpeningNames, name: &str) -> Result<ResolvedOpening, QueryError> {
    if openings.is_empty() {
        return reject_opening(name);
    }
    let opening = openings.resolve(name);
    opening.map_err(|unknown| {
        let arguments = core::iter::once(unknown.name.clone()).chain(unknown.nearest.iter().cloned()).collect();
        error::error_at(&unknown.to_string(), 0, 0, &[]).of_kind(MistakeKind::UnknownOpening, arguments)
    })
}

/// A resolver without names of openings.
///
/// # Errors
///
/// Always.
pub fn reject_opening(name: &str) -> Result<ResolvedOpening, QueryError> {
    let message = alloc::format!("the names of openings are not loaded, so `{name}` is unknown: use `eco`");
    Err(error::error_at(&message, 0, 0, &["`eco`"]))
}
