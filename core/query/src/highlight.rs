//! Classifies the parts of a text for colours, whether the text is complete or not.

use alloc::vec::Vec;

use plyfold_scan::scan::measure::FEATURES;
use plyfold_scan::scan::measure::numbers::NUMBERS;
use plyfold_scan::scan::predicate::PlyMark;

use super::forms::under::FAMILY_NAMES;
use super::keywords::is_keyword;
use super::parse::check_syntax;
use super::parse::name::{has_name, longest_name};
use super::region;
use super::side::SideSelector;
use super::token::{Token, TokenKind, tokenize};

/// The most bytes that are highlighted.
const MAX_BYTES: usize = 8192;
/// The most words for which the parser is called. For each of them the parser reads the text up to the word.
const MAX_PARSER_CALLS: usize = 16;

/// The class of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HighlightClass {
    /// A word of the grammar.
    Keyword,
    /// A side.
    Side,
    /// A predicate or a number by its name, with all its words.
    Predicate,
    /// Digits.
    Number,
    /// Text in quotes, and the quotes.
    Text,
    /// Squares, files, or a named region.
    Region,
    /// A sign that compares or calculates.
    Operator,
    /// A bracket.
    Bracket,
    /// Text that means nothing here.
    Unknown,
}

impl HighlightClass {
    /// Returns the class in one word, for style sheets.
    pub fn name(self) -> &'static str {
        match self {
            HighlightClass::Keyword => "keyword",
            HighlightClass::Side => "side",
            HighlightClass::Predicate => "predicate",
            HighlightClass::Number => "number",
            HighlightClass::Text => "text",
            HighlightClass::Region => "region",
            HighlightClass::Operator => "operator",
            HighlightClass::Bracket => "bracket",
            HighlightClass::Unknown => "unknown",
        }
    }
}

/// A piece of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HighlightSpan {
    /// First byte.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
    /// The class of the piece.
    pub class: HighlightClass,
}

/// The pieces of `text`, in order and apart from each other; white space is in none of them.
pub fn highlight(text: &str) -> Vec<HighlightSpan> {
    let end = (0..=text.len().min(MAX_BYTES)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let text = &text[..end];
    let mut spans = Vec::new();
    let mut at = 0;
    let mut prefix = ValidPrefix { is_valid: true, parser_calls: 0 };
    while at < text.len() {
        // A part that cannot be read is skipped, and reading continues behind it.
        let (tokens_read, error) = match tokenize(&text[at..]) {
            Ok(good) => (good, None),
            Err(error) => (tokenize(&text[at..at + error.from]).unwrap_or_default(), Some(error)),
        };
        highlight_tokens(text, at, &tokens_read, &mut prefix, &mut spans);
        let Some(error) = error else { break };
        prefix.is_valid = false;
        let is_quote = text[at + error.from..].starts_with('"');
        let to = if is_quote { text.len() } else { at + error.to.max(error.from + 1) };
        let class = if is_quote { HighlightClass::Text } else { HighlightClass::Unknown };
        spans.push(HighlightSpan { from: at + error.from, to, class });
        at = to;
    }
    spans
}

/// Whether this is one of the words of the name of a set of transforms.
fn is_transform_word(word: &str) -> bool {
    FAMILY_NAMES.iter().any(|name| name.trim_matches('`').split('_').any(|part| part == word))
}

/// A prefix of the text, and whether it has been valid so far.
struct ValidPrefix {
    is_valid: bool,
    /// The number of calls of the parser.
    parser_calls: usize,
}

impl ValidPrefix {
    /// Whether the parser accepts the last word of a text at its place.
    ///
    /// PERF: with a call of the parser for every word, 2 KiB of `eco B90 and` took 127,000 instructions per byte, four times as
    /// many as 512 bytes. After [`MAX_PARSER_CALLS`] such words, all further ones count as words of the grammar.
    fn extend_to(&mut self, text: &str) -> bool {
        if self.is_valid && self.parser_calls < MAX_PARSER_CALLS {
            self.parser_calls += 1;
            self.is_valid = parses_so_far(text);
        }
        self.is_valid
    }
}

/// Classifies tokens whose places count from `at`. `prefix` ends at the first word that means nothing.
fn highlight_tokens(text: &str, at: usize, tokens: &[Token], prefix: &mut ValidPrefix, spans: &mut Vec<HighlightSpan>) {
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        let mut last = index;
        let class = match &token.kind {
            TokenKind::Number(_) => HighlightClass::Number,
            TokenKind::Text(_) | TokenKind::Set(_) => HighlightClass::Text,
            TokenKind::Sign("(" | ")" | "{" | "}") => HighlightClass::Bracket,
            TokenKind::Sign(_) => HighlightClass::Operator,
            TokenKind::Word(word) => {
                if let Some(((), after)) = longest_name(tokens, index, |name| is_predicate_name(name).then_some(())) {
                    last = after - 1;
                    HighlightClass::Predicate
                } else if SideSelector::NAMED.iter().any(|(name, _)| name == word) {
                    HighlightClass::Side
                } else if is_keyword(word) || is_transform_word(word) {
                    HighlightClass::Keyword
                } else if region::named_squares(word).is_some() {
                    HighlightClass::Region
                } else if prefix.extend_to(&text[..at + token.to]) {
                    // Words that are valid only at some places: `plies`, `KRPvKR`.
                    HighlightClass::Keyword
                } else {
                    HighlightClass::Unknown
                }
            }
        };
        spans.push(HighlightSpan { from: at + token.from, to: at + tokens[last].to, class });
        index = last + 1;
    }
}

/// Whether a predicate or a number has this name.
fn is_predicate_name(name: &str) -> bool {
    FEATURES.iter().any(|one| has_name(one, name))
        || NUMBERS.iter().any(|one| one.name == name || one.aliases.contains(&name))
        || PlyMark::named(name).is_some()
}

/// Whether the parser accepts the last word, even if more words must follow.
fn parses_so_far(text: &str) -> bool {
    check_syntax(text).map_or_else(|error| error.from >= text.len(), |()| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(text: &str) -> Vec<(&str, &'static str)> {
        highlight(text).into_iter().map(|one| (&text[one.from..one.to], one.class.name())).collect()
    }

    #[test]
    fn each_piece_has_its_class() {
        assert_eq!(
            classes("{ White bishop-pair and pawn on e..f } for 4 moves"),
            [
                ("{", "bracket"),
                ("White", "side"),
                ("bishop-pair", "predicate"),
                ("and", "keyword"),
                ("pawn", "predicate"),
                ("on", "keyword"),
                ("e", "region"),
                ("..", "operator"),
                ("f", "region"),
                ("}", "bracket"),
                ("for", "keyword"),
                ("4", "number"),
                ("moves", "keyword"),
            ]
        );
        assert_eq!(
            classes("under mirror, colour flip"),
            [
                ("under", "keyword"),
                ("mirror", "keyword"),
                (",", "operator"),
                ("colour", "keyword"),
                ("flip", "keyword"),
            ]
        );
        assert_eq!(
            classes("material KRPvKR or fen \"8/8\" § blub \"open"),
            [
                ("material", "keyword"),
                ("KRPvKR", "keyword"),
                ("or", "keyword"),
                ("fen", "keyword"),
                ("\"8/8\"", "text"),
                ("§", "unknown"),
                ("blub", "unknown"),
                ("\"open", "text"),
            ]
        );
    }

    #[test]
    fn the_parser_is_asked_about_so_many_words() {
        // A code by itself is no word of the grammar; the last one is not valid at its place.
        let text = |codes: usize| alloc::format!("{}eco white B90", "eco B90 and ".repeat(codes));
        for (codes, class) in [(MAX_PARSER_CALLS - 1, "unknown"), (MAX_PARSER_CALLS, "keyword")] {
            assert_eq!(classes(&text(codes)).last(), Some(&("B90", class)), "{codes}");
        }
    }
}
