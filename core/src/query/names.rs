//! Names that a query asks for and a corpus does not have: an error like any other, with its place.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::error::{QueryError, wrong};
use super::token::{Kind, tokens};
use crate::headers::{Field, HeaderTest, UnknownName};
use crate::scan::Query;
use crate::scan::predicate::Predicate;

/// The tests of names in a query: those that [`headers::unknown`](crate::headers::unknown) is to be asked about.
pub fn asked(query: &Query) -> Vec<HeaderTest> {
    let tests = query.predicates.iter().filter_map(|predicate| match predicate {
        Predicate::Header(test @ HeaderTest::Name { .. }) => Some(test.clone()),
        _ => None,
    });
    tests.collect()
}

/// What is wrong with the name, and where it stands in the text of the query.
pub fn placed(text: &str, name: &UnknownName) -> QueryError {
    let tokens = tokens(text).unwrap_or_default();
    let word = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(Kind::Word(word)) => &**word,
        _ => "",
    };
    // The same text may be asked for in several fields.
    let asks = |nth: usize| match (name.field, nth.checked_sub(1).map_or("", word)) {
        (Field::White | Field::Black, "event" | "site" | "source" | "opening") => false,
        (Field::White | Field::Black, _) => true,
        (field, before) => before == word_before(field),
    };
    let same = |kind: &Kind| matches!(kind, Kind::Text(text) if text.trim() == name.pattern);
    let place = tokens.iter().enumerate().find(|(nth, token)| same(&token.kind) && asks(*nth));
    let (from, to) = place.map_or((0, text.len()), |(_, token)| (token.from, token.to));
    wrong(&name.to_string(), from, to, &[])
}

/// The same of a set that nobody has under this name: `message` says so.
pub fn placed_set(text: &str, name: &str, message: &str) -> QueryError {
    let tokens = tokens(text).unwrap_or_default();
    let place = tokens.iter().find(|token| matches!(&token.kind, Kind::Set(set) if set == name));
    let (from, to) = place.map_or((0, text.len()), |token| (token.from, token.to));
    wrong(message, from, to, &[])
}

/// The word before a name of this field.
fn word_before(field: Field) -> &'static str {
    match field {
        Field::White => "white",
        Field::Black => "black",
        Field::Event => "event",
        Field::Site => "site",
        Field::Source => "source",
    }
}
