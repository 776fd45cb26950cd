//! The query language: text in, a query ready for scanning out.
//!
//! ```text
//! text ─► tokens ─► tree ─► plan (scan::Query)
//! ```
//!
//! [`token`] cuts the text, [`parse`] builds the [`tree`], [`plan`] turns the tree into predicates and formulas. What stands in
//! quotes and in names of materials is read by [`diagram`], [`fen`] and [`material`].
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

pub mod diagram;
pub mod error;
pub mod fen;
pub mod material;
pub mod parse;
pub mod plan;
pub mod region;
pub mod token;
pub mod tree;

use error::QueryError;

use crate::scan::Query;

/// Reads a query and makes it ready for scanning. Text that is empty or only white space asks for everything.
///
/// # Errors
///
/// The first thing wrong, with its place in the text, what was expected there, and the nearest known name.
pub fn compile(text: &str) -> Result<Query, QueryError> {
    plan::plan(&parse::parse(text)?)
}
