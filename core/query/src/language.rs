//! Versions of the language: a query that was written for an earlier one is put into the words of this one.
//!
//! What is kept (links, saved queries, plans, queries as JSON, published questions) says for which version it was written, and
//! [`in_this_language`] keeps its meaning. A query that somebody types is of this version, and a note names words that have changed.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use thiserror::Error;

use super::parse::name::{is_named, longest_name};
use super::token::{Token, TokenKind, tokenize};

/// The version of the language that this program reads and writes.
pub const LANGUAGE: u32 = 2;
/// The version of what does not name one.
pub const FIRST_LANGUAGE: u32 = 1;

/// A query of a version that this program does not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the query is of version {0} of the language, and this program knows versions 1 to {LANGUAGE}: update plyfold")]
pub struct UnknownLanguage(pub u32);

/// A word whose meaning changed with version 2.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct ChangedWord {
    /// Its names.
    names: &'static [&'static str],
    /// The word that means what it meant.
    pub now: &'static str,
    /// What a note says of it, if something is said wherever it stands.
    pub note: Option<&'static str>,
}

const CHANGED: &[ChangedWord] = &[
    ChangedWord {
        names: &["bishop_pair"],
        now: "two_bishops",
        note: Some("`bishop_pair` is one that the other side has not; `two_bishops` is any"),
    },
    ChangedWord {
        names: &["isolated_queens_pawn", "iqp", "isolated_queen_pawn"],
        now: "isolated_d_pawn",
        note: Some("`isolated_queens_pawn` stands on d4 or d5; `isolated_d_pawn` anywhere on the d-file"),
    },
    ChangedWord { names: &["eval", "evaluation"], now: "eval_cp", note: None },
    ChangedWord { names: &["eval_change"], now: "eval_change_cp", note: None },
    ChangedWord { names: &["eco"], now: "eco_tag", note: None },
    ChangedWord { names: &["queen_sacrifice", "sacrifices_queen"], now: "gives_up_queen", note: None },
];

/// The text of a query of this version that means what `text` means in version `language`.
///
/// # Errors
///
/// This program does not know the version.
pub fn in_this_language(text: &str, language: u32) -> Result<String, UnknownLanguage> {
    match language {
        LANGUAGE => Ok(text.into()),
        FIRST_LANGUAGE => Ok(of_first_language(text)),
        _ => Err(UnknownLanguage(language)),
    }
}

/// The words of a query whose meaning changed, each with its tokens.
pub(crate) fn changed_words(tokens: &[Token]) -> Vec<(&'static ChangedWord, Range<usize>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let changed = |name: &str| CHANGED.iter().find(|word| word.names.iter().any(|known| is_named(known, name)));
        at = match longest_name(tokens, at, changed) {
            Some((word, after)) => {
                found.push((word, at..after));
                after
            }
            None => at + 1,
        };
    }
    found
}

fn of_first_language(text: &str) -> String {
    // What is no query stays as it is, and its reader says why.
    let Ok(tokens) = tokenize(text) else { return text.into() };
    let (mut rewritten, mut copied) = (String::new(), 0);
    for (word, place) in changed_words(&tokens) {
        if word.now.ends_with("_cp") && is_beside_fraction(&tokens, place.start) {
            continue;
        }
        rewritten.push_str(&text[copied..tokens[place.start].from]);
        rewritten.push_str(word.now);
        copied = tokens[place.end - 1].to;
    }
    rewritten.push_str(&text[copied..]);
    rewritten
}

/// Whether a number with a point stands on the other side of the sign beside a number: that counted pawns before, too.
fn is_beside_fraction(tokens: &[Token], at: usize) -> bool {
    let is_point = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::Sign("."));
    let is_minus = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::Sign("-"));
    is_point(at + 3 + usize::from(is_minus(at + 2))) || at >= 3 && is_point(at - 3)
}

/// Puts the JSON of a query in the first version into the words of this one. Returns whether anything was changed.
#[cfg(feature = "json")]
pub(crate) fn json_of_first_language(value: &mut serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::Array(parts) => parts.iter_mut().fold(false, |changed, part| changed | json_of_first_language(part)),
        Value::Object(fields) => {
            let codes = fields.remove("eco");
            let mut changed = codes.is_some();
            fields.extend(codes.map(|codes| ("eco_tag".into(), codes)));
            for (key, value) in fields.iter_mut() {
                changed |= match (&**key, &mut *value) {
                    // Sets of squares, sums and the kind of a move are texts of the language; all others are names and words.
                    ("of" | "left" | "right" | "action", Value::String(text)) => {
                        let now = of_first_language(text);
                        let differs = now != *text;
                        *text = now;
                        differs
                    }
                    (_, value) => json_of_first_language(value),
                };
            }
            changed
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn queries_of_the_first_version_keep_their_meaning() {
        for (before, now) in [
            ("queens_off and white bishop_pair", "queens_off and white two_bishops"),
            ("white Bishop  pair for 8", "white two_bishops for 8"),
            ("{ bishop-pairs } or IQP", "{ two_bishops } or isolated_d_pawn"),
            ("eval >= 150 and  eval_change <= -200", "eval_cp >= 150 and  eval_change_cp <= -200"),
            ("evaluation > 5 and eval >= 2.5 or -1.5 < eval", "eval_cp > 5 and eval >= 2.5 or -1.5 < eval"),
            ("eco B90, C42 and \"eval\" and in @eval", "eco_tag B90, C42 and \"eval\" and in @eval"),
            ("has_evals and check", "has_evals and check"),
            ("winner Queen Sacrifice on h7", "winner gives_up_queen on h7"),
            ("bishop_pair and \"", "bishop_pair and \""),
            ("", ""),
        ] {
            assert_eq!(in_this_language(before, 1).as_deref(), Ok(now));
            assert_eq!(in_this_language(before, LANGUAGE).as_deref(), Ok(before));
        }
        assert_eq!(in_this_language("check", 3), Err(UnknownLanguage(3)));
        assert!(format!("{}", UnknownLanguage(3)).ends_with("knows versions 1 to 2: update plyfold"));
    }
}
