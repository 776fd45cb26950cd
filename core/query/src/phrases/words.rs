//! Cuts what a player typed into words.

use alloc::string::String;
use alloc::vec::Vec;

use plyfold_scan::headers::folded_name;

use crate::span::TextSpan;

/// Texts that are one word although they have punctuation.
const WHOLE: [&str; 5] = ["1-0", "0-1", "1/2-1/2", "½-½", "o-o"];
/// The glyphs of annotators, which are words where they stand alone.
const GLYPHS: [&str; 4] = ["!!", "??", "!?", "?!"];
/// Punctuation that separates words and means nothing else.
const SEPARATORS: &str = ",.;:?!\"()/-–—'’`´";

/// A word, and where it stands.
#[derive(Clone)]
pub(super) struct Word {
    /// In small letters, without accents.
    pub folded: String,
    /// What is left of a genitive: `black's`, `Kramniks`.
    pub stem: Option<String>,
    /// Whether it begins with a capital letter.
    pub is_capital: bool,
    /// What it was taken for, if it was misspelt.
    pub note: Option<String>,
    pub span: TextSpan,
}

impl Word {
    /// Whether it is a number, or a year.
    pub fn is_number(&self) -> bool {
        self.folded.chars().all(|sign| sign.is_ascii_digit())
    }

    /// Whether it is one of these words.
    pub fn is_any_of(&self, forms: &[String]) -> bool {
        forms.contains(&self.folded) || self.stem.as_ref().is_some_and(|stem| forms.contains(stem))
    }
}

/// The words of a text. A hyphen is a word between digits, where it means a range; any other sign that is no separator is a word.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    for chunk in text.split_whitespace() {
        let from = chunk.as_ptr().addr() - text.as_ptr().addr();
        if GLYPHS.contains(&chunk) {
            let span = TextSpan { from, to: from + chunk.len() };
            found.push(Word { folded: chunk.into(), stem: None, is_capital: false, note: None, span });
            continue;
        }
        let core = chunk.trim_matches([',', ';', '.', '?', '!', '"', '(', ')']);
        if WHOLE.contains(&&*core.to_lowercase()) {
            let from = from + (core.as_ptr().addr() - chunk.as_ptr().addr());
            found.push(Word {
                folded: core.to_lowercase(),
                stem: None,
                is_capital: false,
                note: None,
                span: TextSpan { from, to: from + core.len() },
            });
            continue;
        }
        words_of_chunk(chunk, from, &mut found);
    }
    found
}

/// The words between two spaces; `from` is the place of the chunk.
fn words_of_chunk(chunk: &str, from: usize, found: &mut Vec<Word>) {
    let is_apostrophe = |sign: char| matches!(sign, '\'' | '’');
    let mut rest = chunk;
    while let Some(first) = rest.chars().next() {
        let at = from + chunk.len() - rest.len();
        // An apostrophe within a word belongs to it: `white's` is the word `whites`.
        let inside = |sign: char| sign.is_alphanumeric() || is_apostrophe(sign);
        let length = if first.is_alphanumeric() {
            rest.find(|sign| !inside(sign)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(length);
        let before = chunk[..at - from].chars().next_back();
        let is_range = matches!(first, '-' | '–')
            && before.is_some_and(|sign| sign.is_ascii_digit())
            && after.starts_with(|sign: char| sign.is_ascii_digit());
        let folded = if first.is_alphanumeric() {
            folded_name(&word.replace(is_apostrophe, ""))
        } else if is_range {
            String::from("-")
        } else {
            String::from(word)
        };
        if is_range || !SEPARATORS.contains(first) {
            let span = TextSpan { from: at, to: at + length };
            found.push(Word { stem: stem(word, &folded), folded, is_capital: first.is_uppercase(), note: None, span });
        }
        rest = after;
    }
}

/// What is left of a genitive without its ending: with an apostrophe, or of a name.
fn stem(word: &str, folded: &str) -> Option<String> {
    let is_genitive = word.ends_with("'s") || word.ends_with("’s") || word.starts_with(char::is_uppercase);
    folded.strip_suffix('s').filter(|stem| is_genitive && stem.len() > 2).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_places() {
        let text = "White's h-file, 1980–1990: 2700+ Maróczy 1-0!";
        let found = words(text);
        let folded: Vec<_> = found.iter().map(|word| &*word.folded).collect();
        assert_eq!(folded, ["whites", "h", "file", "1980", "-", "1990", "2700", "+", "maroczy", "1-0"]);
        let typed: Vec<_> = found.iter().map(|word| &text[word.span.from..word.span.to]).collect();
        assert_eq!(typed, ["White's", "h", "file", "1980", "–", "1990", "2700", "+", "Maróczy", "1-0"]);
    }
}
