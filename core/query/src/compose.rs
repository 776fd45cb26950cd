//! Combines a query and another condition into one query, for programs that lead from a result to the games behind it.
//!
//! These functions only place brackets. [`compile`](super::compile) decides whether the composed query is valid: `then` and
//! windows, for example, cannot stand inside braces.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use super::token::{Token, TokenKind, tokenize};

/// The query that holds where `query` and `condition` hold at the same position: `{ queens_off and white knight on e5 }`. None if
/// `query` is about several positions, by braces in its middle or by `for`.
#[must_use]
pub fn at_one_position(query: &str, condition: &str) -> Option<String> {
    let query = query.trim();
    if query.is_empty() {
        let is_list = !Outline::of(condition).ands.is_empty();
        return Some(if is_list { ["{ ", condition, " }"].concat() } else { condition.to_string() });
    }
    let outline = Outline::of(query);
    let inner = match outline.braces {
        0 if !outline.has_for => bracketed(query, outline.has_choice[0]),
        2 if query.starts_with('{') && query.ends_with('}') => {
            bracketed(query[1..query.len() - 1].trim(), outline.has_choice[1])
        }
        _ => return None,
    };
    Some(["{ ", &inner, " and ", condition, " }"].concat())
}

/// The query for the games in which both `query` and `condition` hold, possibly at different positions:
/// `never castled and check`.
#[must_use]
pub fn in_one_game(query: &str, condition: &str) -> String {
    match query.trim() {
        "" => condition.to_string(),
        query => [&*bracketed(query, Outline::of(query).has_choice[0]), " and ", condition].concat(),
    }
}

/// A condition of a query, and the query without it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OmittedCondition<'q> {
    /// The condition as the query writes it.
    pub condition: &'q str,
    /// The rest of the query.
    pub rest: String,
}

/// For each condition that `and` joins to others, the query without it: outside all brackets, or inside the braces that surround the
/// whole query. Nothing if there is one condition alone, or if the query is no such list.
#[must_use]
pub fn without_each(query: &str) -> Vec<OmittedCondition<'_>> {
    let query = query.trim();
    let Ok(tokens) = tokenize(query) else { return Vec::new() };
    let outline = Outline::of_tokens(&tokens);
    let is_braced = query.starts_with('{') && query.ends_with('}') && outline.braces == 2;
    let level = usize::from(is_braced);
    if outline.has_choice[level] {
        return Vec::new();
    }
    let list = if is_braced { 1..query.len() - 1 } else { 0..query.len() };
    let mut conditions = Vec::new();
    let mut from = list.start;
    for (_, and) in outline.ands.iter().filter(|(depth, _)| *depth == level) {
        conditions.push(from..and.start);
        from = and.end;
    }
    conditions.push(from..list.end);
    if conditions.len() < 2 {
        return Vec::new();
    }
    let omit = |omitted: &Range<usize>| {
        let kept = conditions.iter().filter(|&one| one != omitted).map(|one| query[one.clone()].trim());
        let rest = kept.collect::<Vec<_>>().join(" and ");
        let rest = if is_braced { ["{ ", &rest, " }"].concat() } else { rest };
        OmittedCondition { condition: query[omitted.clone()].trim(), rest }
    };
    conditions.iter().map(omit).collect()
}

/// The text, in parentheses if a following `and` would bind more tightly than the text's own words.
fn bracketed(text: &str, has_choice: bool) -> String {
    if has_choice { ["(", text, ")"].concat() } else { text.to_string() }
}

/// The facts about a query that the composing functions need.
#[derive(Default)]
struct Outline {
    /// Opening and closing braces.
    braces: u32,
    /// Each `and`, with the number of brackets around it.
    ands: Vec<(usize, Range<usize>)>,
    /// Whether the query contains `for`.
    has_for: bool,
    /// Whether the query contains `or` or `then`: outside all brackets, and inside one.
    has_choice: [bool; 2],
}

impl Outline {
    /// Reads the tokens of a text, up to the first character that cannot be read.
    fn of(text: &str) -> Outline {
        let tokens = tokenize(text).or_else(|error| tokenize(&text[..error.from]));
        Outline::of_tokens(&tokens.unwrap_or_default())
    }

    fn of_tokens(tokens: &[Token]) -> Outline {
        let mut outline = Outline::default();
        let mut depth = 0usize;
        for token in tokens {
            match &token.kind {
                TokenKind::Sign(sign @ ("(" | "{")) => {
                    depth += 1;
                    outline.braces += u32::from(*sign == "{");
                }
                TokenKind::Sign(sign @ (")" | "}")) => {
                    depth = depth.saturating_sub(1);
                    outline.braces += u32::from(*sign == "}");
                }
                TokenKind::Word(word) => match &**word {
                    "and" => outline.ands.push((depth, token.from..token.to)),
                    "for" => outline.has_for = true,
                    "or" | "then" if depth < 2 => outline.has_choice[depth] = true,
                    _ => {}
                },
                _ => {}
            }
        }
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_joins_the_position_of_a_query() {
        for (query, both) in [
            ("", Some("white knight on e5")),
            (" queens_off ", Some("{ queens_off and white knight on e5 }")),
            ("{ queens_off and check }", Some("{ queens_off and check and white knight on e5 }")),
            ("queens_off or check", Some("{ (queens_off or check) and white knight on e5 }")),
            ("{ queens_off or check }", Some("{ (queens_off or check) and white knight on e5 }")),
            ("(queens_off or check) and castled", Some("{ (queens_off or check) and castled and white knight on e5 }")),
            ("{ queens_off } and { check }", None),
            ("{ queens_off } or check", None),
            ("{ queens_off or check } for 8", None),
            ("check for 4 moves or castled", None),
            ("(check for 2) and castled", None),
            (
                "fen \"8/8/8/8/8/8/8/Kk6 w - - or { for\"",
                Some("{ fen \"8/8/8/8/8/8/8/Kk6 w - - or { for\" and white knight on e5 }"),
            ),
            ("rook_on_open_file", Some("{ rook_on_open_file and white knight on e5 }")),
            ("in @this-or-that", Some("{ in @this-or-that and white knight on e5 }")),
        ] {
            assert_eq!(at_one_position(query, "white knight on e5").as_deref(), both, "{query}");
        }
        let kings = "white king on g1 and black king on g8";
        assert_eq!(at_one_position("", kings).as_deref(), Some("{ white king on g1 and black king on g8 }"));
    }

    #[test]
    fn a_condition_stands_beside_a_query() {
        for (query, both) in [
            ("", "check"),
            ("never castled", "never castled and check"),
            ("castled or queens_off", "(castled or queens_off) and check"),
            ("castled then queens_off", "(castled then queens_off) and check"),
            ("(castled or queens_off)", "(castled or queens_off) and check"),
            ("{ queens_off } and { check }", "{ queens_off } and { check } and check"),
            ("{ queens_off } or check", "({ queens_off } or check) and check"),
            ("{ queens_off or check } for 8", "{ queens_off or check } for 8 and check"),
            ("check for 4 moves or castled", "(check for 4 moves or castled) and check"),
            // Invalid text is composed all the same; reading the composed query reports the mistake.
            ("castled or \"Zet", "(castled or \"Zet) and check"),
        ] {
            assert_eq!(in_one_game(query, "check"), both);
        }
    }

    #[test]
    fn each_condition_can_be_left_out() {
        let without = |query| {
            let omitted = without_each(query).into_iter();
            omitted.map(|one| (one.condition.to_string(), one.rest)).collect::<Vec<_>>()
        };
        let pair = |condition: &str, rest: &str| (condition.to_string(), rest.to_string());
        assert_eq!(
            without("white \"A and B\" and { check and castled } and queens_off for 8"),
            [
                pair("white \"A and B\"", "{ check and castled } and queens_off for 8"),
                pair("{ check and castled }", "white \"A and B\" and queens_off for 8"),
                pair("queens_off for 8", "white \"A and B\" and { check and castled }"),
            ]
        );
        assert_eq!(
            without("{ check and (castled or queens_off) }"),
            [pair("check", "{ (castled or queens_off) }"), pair("(castled or queens_off)", "{ check }")]
        );
        for single in
            ["", "check", "{ check }", "check or castled and queens_off", "check then castled", "{ check } for 8"]
        {
            assert_eq!(without(single), [], "{single}");
        }
    }
}
