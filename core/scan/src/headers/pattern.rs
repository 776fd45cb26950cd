//! Patterns of names: whole names, and `*` for any run of characters.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::name_folding::{fold, fold_into, is_separator};

/// A name, in which `*` stands for any run of characters, none included.
///
/// Case, accents, and what kind of space and punctuation stands between words make no difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamePattern {
    text: String,
    /// The parts between the stars, folded: the name begins with the first and ends with the last. There is at least one.
    pub(super) pieces: Vec<String>,
    /// Whole names that match too, folded.
    also: Vec<String>,
}

impl NamePattern {
    /// The pattern of this text; every text is one.
    pub fn new(text: &str) -> NamePattern {
        let mut pieces = Vec::new();
        let parts: Vec<&str> = text.split('*').collect();
        for (nth, part) in parts.iter().enumerate() {
            let mut piece = String::new();
            // A space beside a star matters: `kasparov *` requires a second word.
            if nth > 0 && part.starts_with(is_separator) {
                piece.push(' ');
            }
            let begin = piece.len();
            fold_into(part, &mut piece);
            if nth + 1 < parts.len() && piece.len() > begin && part.ends_with(is_separator) {
                piece.push(' ');
            }
            pieces.push(piece);
        }
        // Spaces at the very beginning and end do not belong to the name.
        if let [_, .., last] = &mut pieces[..] {
            last.truncate(last.trim_end().len());
        }
        // Stars side by side are one.
        let last = pieces.len() - 1;
        let mut index = 0;
        pieces.retain(|piece| {
            index += 1;
            index == 1 || index == last + 1 || !piece.is_empty()
        });
        NamePattern { text: text.into(), pieces, also: Vec::new() }
    }

    /// The pattern of this name alone; none if its text in a query would mean something else.
    pub fn of_name(name: &str) -> Option<NamePattern> {
        let is_plain = !name.is_empty() && !name.contains(['"', '*', '\\', '?']);
        is_plain.then(|| NamePattern::new(name))
    }

    /// The same pattern, which these names match too, whatever they are.
    #[must_use]
    pub fn or_names<'n>(mut self, names: impl IntoIterator<Item = &'n str>) -> NamePattern {
        self.also.extend(names.into_iter().map(fold));
        self
    }

    /// Whether whole names match beside the pattern.
    pub(super) fn has_other_names(&self) -> bool {
        !self.also.is_empty()
    }

    /// The pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether every name matches.
    pub(super) fn matches_everything(&self) -> bool {
        self.pieces.len() > 1 && self.pieces.iter().all(String::is_empty)
    }

    /// Returns whether `name` matches.
    pub fn matches(&self, name: &str) -> bool {
        self.matches_folded(&fold(name))
    }

    /// The same for a name that is [folded](fold) already.
    pub(crate) fn matches_folded(&self, name: &str) -> bool {
        if self.also.iter().any(|other| other == name) {
            return true;
        }
        let [first, rest @ ..] = &self.pieces[..] else { return false };
        let [inner @ .., last] = rest else { return name == first };
        let Some(mut name) = name.strip_prefix(first.as_str()).and_then(|name| name.strip_suffix(last.as_str())) else {
            return false;
        };
        inner.iter().all(|piece| match name.find(piece.as_str()) {
            Some(at) => {
                name = &name[at + piece.len()..];
                true
            }
            None => false,
        })
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, matches) in [
            ("kasparov, g*", "Kasparov, Garry", true),
            ("Kasparov,G*", "KASPAROV G.", true),
            ("kasparov", "Kasparov, Garry", false),
            ("Kasparov Garry", "Kasparov,Garry", true),
            ("kasparov*", "Kasparovich", true),
            ("kasparov *", "Kasparovich", false),
            ("kasparov, *", "Kasparov,Garry", true),
            ("*garry", "Kasparov, Garry", true),
            ("* garry", "Kasparov, Garry", true),
            ("* garry ", "Kasparov, Garry.", true),
            ("*spar*gar*", "Kasparov, Garry", true),
            ("*gar*spar*", "Kasparov, Garry", false),
            ("a*a", "A", false),
            ("a*a", "A. A", true),
            ("a**a", "Anna", true),
            ("*", "", true),
            ("**", "Anna", true),
            ("", "", true),
            ("?", "?", true),
            ("", "A", false),
            ("Müller*", "Mueller", false),
            ("Müller*", "Muller, Karsten", true),
            ("muller*", "Mu\u{308}ller, Karsten", true),
            ("gross", "Groß", true),
            ("*vachier*lagrave*", "Vachier-Lagrave, Maxime", true),
        ] {
            assert_eq!(NamePattern::new(pattern).matches(name), matches, "{pattern} {name}");
        }
    }
}
