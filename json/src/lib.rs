//! Queries as JSON, for programs that write, read and store them: the same tree as the text of a query, with its names spelled out.
//!
//! ```text
//! text ─► tree ◄─► node ◄─► JSON
//! ```
//!
//! [`node`] has the shape, from which the [`schema`] is made; [`mod@write`] and [`read`] convert between it and the tree. Regions,
//! boards and materials have texts of their own in a query, and the same texts in JSON. A tree that no text can express is refused.
//!
//! ```
//! let tree = plyfold_core::query::parse::parse("white passed_pawn on own 7 and elo >= 2600").unwrap();
//! let json = plyfold_json::to_json(&tree);
//! assert_eq!(
//!     json,
//!     r#"{"and":[{"feature":{"side":"white","name":"passed_pawn","region":"own 7"}},{"elo":{"of":"both","at_least":2600}}]}"#
//! );
//! assert_eq!(plyfold_json::from_json(&json), Ok(tree));
//! let error = plyfold_json::from_json(r#"{"not": {"feature": {"name": "pased_pawn"}}}"#).unwrap_err();
//! assert_eq!(error.to_string(), "/not/feature/name: unknown predicate `pased_pawn`: did you mean `passed_pawn`?");
//! ```

pub mod error;
pub mod node;
pub mod read;
mod words;
pub mod write;

use plyfold_core::query::tree::QueryTree;
use schemars::generate::SchemaSettings;

pub use error::JsonError;
pub use node::Node;
pub use read::{MAX_JSON_BYTES, MAX_NESTING, from_json};

/// A tree as JSON in one line.
pub fn to_json(tree: &QueryTree) -> String {
    // Every node can be written as JSON.
    serde_json::to_string(&Node::from(tree)).unwrap_or_default()
}

/// The JSON Schema (draft 2020-12) of a query, as it is published: indented JSON with a line break at its end.
pub fn schema() -> String {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Node>();
    // A schema is JSON already.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
