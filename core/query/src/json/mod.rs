//! Queries as JSON, for programs that write, read and store them: the same tree as the text of a query, with its names spelled out.
//!
//! ```text
//! text ─► tree ◄─► JSON
//! ```
//!
//! The nodes derive their shape and the [`schema`] of it. Sets of squares, sums, regions, boards and materials have texts of their
//! own in a query, and the same texts in JSON (`text`); words of a list are in `name`. A tree that no text can express is
//! refused.
//!
//! ```
//! use plyfold_query::json::{from_json, to_json};
//! let tree = plyfold_query::parse::parse("white passed_pawn on own 7 and elo >= 2600").unwrap();
//! let json = to_json(&tree);
//! assert_eq!(
//!     json,
//!     r#"{"language":2,"query":{"and":[{"squares":{"side":"white","of":"passed_pawn on own 7"}},{"elo":{"of":"both","range":{"at_least":2600}}}]}}"#
//! );
//! assert_eq!(from_json(&json), Ok(tree));
//! let error = from_json(r#"{"language": 2, "query": {"not": {"squares": {"of": "pased_pawn"}}}}"#).unwrap_err();
//! assert_eq!(error.to_string(), "/query/not/squares: unknown name `pased_pawn`: did you mean `passed_pawn`?");
//! ```
//!
//! A query without its version is of the first one.

mod name;
mod text;
mod tree;

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_path_to_error::Segment;
use thiserror::Error;

use super::error::nearest;
use super::forms::Leaf;
use super::header::HeaderCondition;
use super::language::{FIRST_LANGUAGE, LANGUAGE, UnknownLanguage, json_of_first_language};
use super::parse::{self, MAX_DEPTH, MAX_QUERY_BYTES};
use super::tree::QueryTree;

pub(crate) use name::{Name, by_name, by_names, by_optional_name};
pub(crate) use text::{CompareTexts, eco_ranges, families, mark, plies};
pub(crate) use tree::add_conditions;

/// The deepest nesting of brackets in JSON. A bracket of a text becomes several in JSON, with the lists around them.
pub const MAX_NESTING: u32 = 6 * MAX_DEPTH;
/// The most bytes of a query in JSON.
///
/// Without white space, the densest queries that were measured take 5.5 times the bytes of their text: queries such as
/// `became man or became man …` in the field *tree* of `plyfold explain --format json`. So any query fits, even with indentation.
pub const MAX_JSON_BYTES: usize = 16 * MAX_QUERY_BYTES;

/// An error in a query written as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct JsonError {
    /// The place as a JSON pointer, such as `/then/second/squares/of`; empty for the whole query.
    pub path: String,
    /// One clause that the writer of the query can act on.
    pub message: String,
    /// The known name nearest to an unknown one, which the message does not name.
    pub nearest: Option<String>,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.nearest {
            Some(nearest) => write!(f, ": did you mean `{nearest}`?"),
            None => Ok(()),
        }
    }
}

/// A query with the version of its language.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "QueryDocument")]
pub struct QueryDocument<'t> {
    /// The version of the language; without it, the first.
    pub language: u32,
    /// The query.
    pub query: &'t QueryTree,
}

impl QueryDocument<'_> {
    /// A query of this version.
    pub fn of(query: &QueryTree) -> QueryDocument<'_> {
        QueryDocument { language: LANGUAGE, query }
    }
}

/// A query as JSON in one line, with the version of the language.
pub fn to_json(tree: &QueryTree) -> String {
    // Every tree can be written as JSON.
    serde_json::to_string(&QueryDocument::of(tree)).unwrap_or_default()
}

/// The JSON Schema (draft 2020-12) of a query, as it is published: indented JSON with a line break at its end.
pub fn schema() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    // The schema of a tree names these two.
    generator.subschema_for::<Leaf>();
    generator.subschema_for::<HeaderCondition>();
    // A schema is JSON already.
    serde_json::to_string_pretty(&generator.into_root_schema_for::<QueryDocument<'_>>()).unwrap_or_default() + "\n"
}

/// Reads a query.
///
/// # Errors
///
/// The first error: text that is not JSON, an unknown name, a text that a query could not have in that place, or a tree that no
/// text can express, such as words about plies inside braces.
pub fn from_json(json: &str) -> Result<QueryTree, JsonError> {
    let whole = |message| JsonError { path: String::new(), message, nearest: None };
    if json.len() > MAX_JSON_BYTES {
        return Err(whole(format!("a query has at most {MAX_JSON_BYTES} bytes, and this has {}", json.len())));
    }
    if nesting_depth(json) > MAX_NESTING {
        return Err(whole(format!("brackets nest at most {MAX_NESTING} deep")));
    }
    let value: Value = read_text(json)?;
    // What has no version may be a name alone, and its mistakes are those of its tree.
    let version = value.get("language").and_then(Value::as_u64).and_then(|version| u32::try_from(version).ok());
    let (tree, step) = match version {
        None => (read_first_language(json, value)?, ""),
        Some(LANGUAGE) => (read_text::<Document<QueryTree>>(json)?.query, "/query"),
        Some(FIRST_LANGUAGE) => {
            let query = read_text::<Document<Value>>(json)?.query;
            let tree = read_first_language(&query.to_string(), query);
            (tree.map_err(|error| JsonError { path: format!("/query{}", error.path), ..error })?, "/query")
        }
        Some(other) => return Err(JsonError { path: "/language".into(), ..whole(UnknownLanguage(other).to_string()) }),
    };
    match reason_unreadable(&tree) {
        None => Ok(tree),
        Some(message) => {
            let error = locate(&tree, message);
            Err(JsonError { path: format!("{step}{}", error.path), ..error })
        }
    }
}

/// What [`QueryDocument`] writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<T> {
    #[serde(rename = "language")]
    _language: u32,
    query: T,
}

/// Reads a tree of the first version; `value` is what `json` says.
fn read_first_language(json: &str, mut value: Value) -> Result<QueryTree, JsonError> {
    if !json_of_first_language(&mut value) {
        return read_text(json);
    }
    // The place of a mistake is that in the JSON which was given.
    let written = |error: JsonError| JsonError { path: error.path.replace("/eco_tag", "/eco"), ..error };
    read_text(&value.to_string()).map_err(written)
}

/// Reads a text whose depth has been checked.
fn read_text<T: DeserializeOwned>(json: &str) -> Result<T, JsonError> {
    let mut reader = serde_json::Deserializer::from_str(json);
    reader.disable_recursion_limit();
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().iter().map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } => format!("/{key}"),
            Segment::Enum { variant } => format!("/{variant}"),
            Segment::Unknown => String::new(),
        });
        let path = path.collect();
        syntax_error(path, &error.into_inner())
    })?;
    reader.end().map_err(|error| syntax_error(String::new(), &error))?;
    Ok(read)
}

/// How deep brackets are nested.
fn nesting_depth(json: &str) -> u32 {
    let (mut depth, mut max_depth, mut quoted, mut escaped) = (0u32, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                max_depth = max_depth.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    max_depth
}

/// The known name nearest to this one, which may be a megabyte long.
fn near<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() < 64 { nearest(name, known) } else { None }
}

/// What is told of a name that is none of those known.
fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let hint = near(name, known).map_or_else(String::new, |near| format!(": did you mean `{near}`?"));
    format!("unknown {what} `{name}`{hint}")
}

/// The error of serde, with the nearest of the names that it expected.
fn syntax_error(path: String, error: &serde_json::Error) -> JsonError {
    let mut message = error.to_string();
    // What is no JSON is found by its line, anything else by its path.
    if error.is_data() {
        message.truncate(message.rfind(" at line ").unwrap_or(message.len()));
    }
    if let Some((what, nearest)) = message.strip_suffix("`?").and_then(|text| text.rsplit_once(": did you mean `")) {
        return JsonError { path, message: what.into(), nearest: Some(nearest.into()) };
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let nearest = match names.next() {
        Some(name) if message.starts_with("unknown") && message.contains("expected") => {
            near(name, names).map(String::from)
        }
        _ => None,
    };
    JsonError { path, nearest, message }
}

/// Why no text can express this tree, if none can.
fn reason_unreadable(tree: &QueryTree) -> Option<String> {
    if *tree == QueryTree::Everything {
        return None;
    }
    let text = tree.to_string();
    match parse::parse(&text) {
        Ok(read) if read == *tree => None,
        Ok(read) => Some(format!("no query has this form: write {}", serde_json::to_string(&read).unwrap_or_default())),
        Err(error) => Some(error.message),
    }
}

/// The error `message` of a tree, located at its innermost part that has an error by itself.
fn locate(tree: &QueryTree, message: String) -> JsonError {
    let inner = |part: &QueryTree, step: &str| {
        let error = locate(part, reason_unreadable(part)?);
        Some(JsonError { path: format!("/{step}{}", error.path), ..error })
    };
    let of_list = |parts: &[QueryTree], step: &str| {
        parts.iter().enumerate().find_map(|(index, part)| inner(part, &format!("{step}/{index}")))
    };
    let fault = match tree {
        QueryTree::And(parts) => of_list(parts, "and"),
        QueryTree::Or(parts) => of_list(parts, "or"),
        QueryTree::SomeOf { parts, .. } => of_list(parts, "some_of/parts"),
        QueryTree::Not(part) => inner(part, "not"),
        QueryTree::Together(part) => inner(part, "together"),
        QueryTree::Condition { inner: part, .. } => inner(part, "condition/what"),
        QueryTree::Then { first, second, .. } => inner(first, "then/first").or_else(|| inner(second, "then/second")),
        _ => None,
    };
    let path = if let QueryTree::Leaf(leaf) = tree { format!("/{}", leaf.name()) } else { String::new() };
    fault.unwrap_or(JsonError { path, message, nearest: None })
}
