//! Cuts the text of a query into words, numbers, quoted texts and signs.

use alloc::string::String;
use alloc::vec::Vec;

use super::error::{MistakeKind, QueryError, error_at};

/// A piece of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// First byte in the text.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
}

/// Kinds of tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// Letters, digits and `_`, beginning with a letter, in lower case.
    Word(String),
    /// Digits.
    Number(i64),
    /// The text between two double quotes, as written. The token's place includes the quotes.
    Text(String),
    /// `@` and the name of a set, without the `@`, as written.
    Set(String),
    /// Any other valid sign: `(`, `>=`, `..` and so on.
    Sign(&'static str),
}

/// Longer signs first, so that `<=` is not read as `<`.
const SIGNS: &[&str] = &[
    "..", "<=", ">=", "!=", "<>", "==", "(", ")", "{", "}", "<", ">", "=", "+", "-", "*", ",", ".", "/", "&", "|", "#",
    ":",
];

/// The tokens of `text`. Pages load this code, so all callers share one copy.
///
/// # Errors
///
/// A character that means nothing here, a number that is too large, or a text whose closing quote is missing.
#[inline(never)]
pub(crate) fn tokenize(text: &str) -> Result<Vec<Token>, QueryError> {
    let mut tokens_read = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let run = |holds: fn(char) -> bool| rest.find(|c: char| !holds(c)).unwrap_or(rest.len());
        let (kind, length) = if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        } else if next.is_ascii_alphabetic() {
            let length = run(|c| c.is_ascii_alphanumeric() || c == '_');
            (TokenKind::Word(rest[..length].to_ascii_lowercase()), length)
        } else if next.is_ascii_digit() {
            let length = run(|c| c.is_ascii_digit());
            let number = rest[..length].parse().ok().filter(|&number: &i64| number <= 1_000_000_000);
            let number = number.ok_or_else(|| error_at("a number here is at most 1000000000", at, at + length, &[]))?;
            (TokenKind::Number(number), length)
        } else if next == '"' {
            let text = rest[1..].split_once('"').map(|(text, _)| text);
            let text = text.ok_or_else(|| {
                let error = error_at("this quote is never closed: `\"` is missing", at, at + 1, &["`\"`"]);
                error.of_kind(MistakeKind::NeverClosed, Vec::new())
            })?;
            (TokenKind::Text(String::from(text)), text.len() + 2)
        } else if next == '@' {
            let length = rest[1..].find(|c: char| !is_set_name_char(c)).unwrap_or(rest.len() - 1);
            if length == 0 {
                return Err(error_at("write a name after `@`, as in `in @my-games`", at, at + 1, &[]));
            }
            (TokenKind::Set(String::from(&rest[1..=length])), length + 1)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (TokenKind::Sign(sign), sign.len())
        } else {
            let message = alloc::format!("`{next}` has no meaning in a query");
            let error = error_at(&message, at, at + next.len_utf8(), &[]);
            return Err(error.of_kind(MistakeKind::UnknownSign, alloc::vec![String::from(next)]));
        };
        tokens_read.push(Token { kind, from: at, to: at + length });
        at += length;
    }
    Ok(tokens_read)
}

/// Returns whether the name of a set may contain this character.
fn is_set_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.-".contains(c)
}
