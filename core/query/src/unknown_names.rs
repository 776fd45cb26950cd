//! Errors about names that a query uses and a corpus does not have, each with its place in the text.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use plyfold_scan::headers::{HeaderTest, HeaderText, NameField, UnknownName};
use plyfold_scan::scan::Query;
use plyfold_scan::scan::predicate::PositionPredicate;

use super::error::{MistakeKind, QueryError, error_at};
use super::forms::Leaf;
use super::forms::repertoire::{InRepertoire, LeftLines};
use super::header::{HeaderCondition, NameSelector};
use super::side::SideSelector;
use super::span::{SpannedName, TextSpan};
use super::tree::QueryTree;

/// Titles that may be asked for whether or not a corpus has such players.
const COMMON_TITLES: [&str; 12] = ["GM", "IM", "FM", "CM", "NM", "LM", "WGM", "WIM", "WFM", "WCM", "WNM", "BOT"];

/// The tests of names in a query, for [`headers::find_unknown_name`](plyfold_scan::headers::find_unknown_name), without those of common
/// titles.
pub fn name_tests(query: &Query) -> Vec<HeaderTest> {
    let tests = query.predicates.iter().filter_map(|predicate| match predicate {
        PositionPredicate::Header(test @ HeaderTest::Name { field, pattern }) => {
            let is_common_title = is_title(*field) && COMMON_TITLES.contains(&pattern.text());
            (!is_common_title).then(|| test.clone())
        }
        _ => None,
    });
    tests.collect()
}

/// The error of a name that the corpus does not have, at its first place in `tree`, which was read from `text`.
pub fn unknown_name_error(tree: &QueryTree, text: &str, name: &UnknownName) -> QueryError {
    let span = find_name(tree, &|kind, found| {
        **found == *name.pattern
            && match kind {
                NameKind::Selected(selector) => selector.fields().contains(&name.field),
                NameKind::Title => is_title(name.field),
                NameKind::Set | NameKind::Lines => false,
            }
    });
    let what = String::from(name.field.description());
    let arguments = [name.pattern.clone(), what].into_iter().chain(name.nearest.iter().cloned()).collect();
    error_in(text, span, &name.to_string()).of_kind(MistakeKind::UnknownName, arguments)
}

/// The error of a set that does not exist, with this message.
pub fn unknown_set_error(tree: &QueryTree, text: &str, name: &str, message: &str) -> QueryError {
    error_in(text, find_name(tree, &|kind, found| kind == NameKind::Set && **found == *name), message)
}

/// The error of lines that do not exist, with this message.
pub fn unknown_lines_error(tree: &QueryTree, text: &str, name: &str, message: &str) -> QueryError {
    error_in(text, find_name(tree, &|kind, found| kind == NameKind::Lines && **found == *name), message)
}

/// An error at a place, or about the whole text.
fn error_in(text: &str, span: Option<TextSpan>, message: &str) -> QueryError {
    let TextSpan { from, to } = span.unwrap_or(TextSpan { from: 0, to: text.len() });
    error_at(message, from, to, &[])
}

fn is_title(field: NameField) -> bool {
    matches!(field, NameField::Text(HeaderText::WhiteTitle | HeaderText::BlackTitle))
}

/// What a name in a query is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameKind {
    /// The name of what this selects.
    Selected(NameSelector),
    /// A title.
    Title,
    /// The name of a set.
    Set,
    /// The name of lines.
    Lines,
}

/// Whether a name is the one to find.
type IsSought<'a> = &'a dyn Fn(NameKind, &SpannedName) -> bool;

/// The place of the first name that `is_sought` accepts, in the order of the text.
fn find_name(tree: &QueryTree, is_sought: IsSought<'_>) -> Option<TextSpan> {
    let mut found = None;
    tree.for_each_part(&mut |part| {
        found = found.or_else(|| match part {
            QueryTree::Header(HeaderCondition::Name { selector, pattern }) => {
                pattern.span.filter(|_| is_sought(NameKind::Selected(*selector), pattern))
            }
            QueryTree::Header(HeaderCondition::Title { titles, .. }) => {
                titles.iter().find_map(|title| title.span.filter(|_| is_sought(NameKind::Title, title)))
            }
            QueryTree::Header(HeaderCondition::Set(name)) => name.span.filter(|_| is_sought(NameKind::Set, name)),
            QueryTree::Leaf(Leaf::InRepertoire(InRepertoire(name)) | Leaf::Left(LeftLines { lines: name, .. }))
                if is_sought(NameKind::Lines, name) =>
            {
                name.span
            }
            QueryTree::Leaf(leaf) => find_player(leaf, is_sought),
            _ => None,
        });
    });
    found
}

/// The place of such a player as the side of a condition on positions.
fn find_player(leaf: &Leaf, is_sought: IsSought<'_>) -> Option<TextSpan> {
    leaf.sides().into_iter().find_map(|side| match side {
        SideSelector::Player(name) | SideSelector::Opponent(name) => {
            name.span.filter(|_| is_sought(NameKind::Selected(NameSelector::Player), name))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::parse::parse;

    #[test]
    fn a_name_is_found_where_it_is_asked_for() {
        let text = "event \"Linares\" and not { \"Linares\" pawn on e4 } and black \" Linares\" or in @Linares";
        let tree = parse(text).expect("a query");
        let place = |error: QueryError| (error.from, &text[error.from..error.to]);
        let name_place = |field| {
            let name = UnknownName { test: 0, field, pattern: String::from("Linares"), nearest: Vec::new() };
            place(unknown_name_error(&tree, text, &name))
        };
        assert_eq!(name_place(NameField::Event), (6, "\"Linares\""));
        // The player of the braces may have either colour.
        assert_eq!(name_place(NameField::White), (26, "\"Linares\""));
        assert_eq!(name_place(NameField::Black), (26, "\"Linares\""));
        assert_eq!(name_place(NameField::Site), (0, text));
        assert_eq!(place(unknown_set_error(&tree, text, "Linares", "no such set")), (76, "@Linares"));

        let text = "in @mine and (in_repertoire @yours or { \"Tal\" left @mine })";
        let tree = parse(text).expect("a query");
        let from = |name| unknown_lines_error(&tree, text, name, "no such lines").from;
        assert_eq!([from("mine"), from("yours"), from("Tal")], [51, 28, 0]);

        let text = "white \"Tal\" and black \"Tal\" or { \"Tal\" pawn on e4 } then { \"Kan\" pawn on e5 }";
        let tree = parse(text).expect("a query");
        let from = |field, pattern: &str| {
            let name = UnknownName { test: 0, field, pattern: pattern.into(), nearest: Vec::new() };
            unknown_name_error(&tree, text, &name).from
        };
        assert_eq!([from(NameField::White, "Tal"), from(NameField::Black, "Tal")], [6, 22]);
        assert_eq!(from(NameField::Black, "Kan"), text.find("\"Kan").expect("there"));
    }
}
