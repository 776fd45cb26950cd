//! Names that a query asks for and a corpus does not have: an error like any other, with its place.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::error::{QueryError, error_at};
use super::token::{TokenKind, tokenize};
use crate::headers::{HeaderTest, NameField, UnknownName};
use crate::scan::Query;
use crate::scan::predicate::PositionPredicate;

/// The tests of names in a query: those that [`headers::find_unknown_name`](crate::headers::find_unknown_name) is to be asked about.
pub fn name_tests(query: &Query) -> Vec<HeaderTest> {
    let tests = query.predicates.iter().filter_map(|predicate| match predicate {
        PositionPredicate::Header(test @ HeaderTest::Name { .. }) => Some(test.clone()),
        _ => None,
    });
    tests.collect()
}

/// What is wrong with the name, and where it stands in the text of the query.
pub fn locate_unknown_name(text: &str, name: &UnknownName) -> QueryError {
    let tokens = tokenize(text).unwrap_or_default();
    let word = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(TokenKind::Word(word)) => &**word,
        _ => "",
    };
    // The same text may be asked for in several fields.
    let is_in_field = |index: usize| match (name.field, index.checked_sub(1).map_or("", word)) {
        (NameField::White | NameField::Black, "event" | "site" | "source" | "opening") => false,
        (NameField::White | NameField::Black, _) => true,
        (field, before) => before == word_before(field),
    };
    let is_same_text = |kind: &TokenKind| matches!(kind, TokenKind::Text(text) if text.trim() == name.pattern);
    let token = tokens.iter().enumerate().find(|(index, token)| is_same_text(&token.kind) && is_in_field(*index));
    let (from, to) = token.map_or((0, text.len()), |(_, token)| (token.from, token.to));
    error_at(&name.to_string(), from, to, &[])
}

/// The same of a set that nobody has under this name: `message` says so.
pub fn locate_unknown_set(text: &str, name: &str, message: &str) -> QueryError {
    let tokens = tokenize(text).unwrap_or_default();
    let token = tokens.iter().find(|token| matches!(&token.kind, TokenKind::Set(set) if set == name));
    let (from, to) = token.map_or((0, text.len()), |token| (token.from, token.to));
    error_at(message, from, to, &[])
}

/// The word before a name of this field.
fn word_before(field: NameField) -> &'static str {
    match field {
        NameField::White => "white",
        NameField::Black => "black",
        NameField::Event => "event",
        NameField::Site => "site",
        NameField::Source => "source",
    }
}
