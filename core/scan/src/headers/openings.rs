//! Finds the openings that a name stands for.
//!
//! The caller provides the names as a text of lines; none are built in.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use plyfold_corpus::record::Eco;
use thiserror::Error;

use super::codes::EcoCodes;
use super::name_folding::{begins_words, fold};
use super::nearest::{MAX_NAME_BYTES, nearest_names, write_suggestions};

/// Opening codes and names, such as B90 `Sicilian Defense: Najdorf Variation`. A name may have several codes and a code several names.
#[derive(Clone, Debug, Default)]
pub struct OpeningNames {
    entries: Vec<NamedOpening>,
}

#[derive(Clone, Debug)]
struct NamedOpening {
    code: Eco,
    name: String,
    /// The name as it is compared.
    normalized: String,
}

/// What a name stands for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResolvedOpening {
    /// The name as it was written.
    pub name: String,
    /// The codes, at least one.
    pub codes: EcoCodes,
    /// The full names that were meant, each once, in alphabetical order.
    pub names: Vec<String>,
}

impl ResolvedOpening {
    /// Whether an opening of this full name was meant.
    pub(super) fn has_name(&self, full: &str) -> bool {
        self.names.binary_search_by(|name| name.as_str().cmp(full)).is_ok()
    }
}

/// A name that no opening has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct UnknownOpening {
    /// As it was written.
    pub name: String,
    /// Up to three similar full names, the nearest first.
    pub nearest: Vec<String>,
}

impl fmt::Display for UnknownOpening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no opening has the name \"{}\"", self.name)?;
        write_suggestions(f, &self.nearest)
    }
}

/// How a name may occur in a full name, the most specific way first.
const MATCHERS: [fn(&str, &str) -> bool; 5] = [
    // The name itself, and what is named after it: `ruy lopez` is all of the Ruy Lopez.
    |full, asked| full.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
    |full, asked| without_spaces(full).starts_with(&without_spaces(asked)),
    |full, asked| asked.split(' ').all(|word| full.split(' ').any(|of_name| of_name == word)),
    begins_words,
    |full, asked| without_spaces(full).contains(&without_spaces(asked)),
];

fn without_spaces(name: &str) -> String {
    name.replace(' ', "")
}

impl OpeningNames {
    /// The openings of a text of lines `code <tab> name`, sorted by these; several lines of an opening are one. What follows a second tab,
    /// and lines of another form, are left out.
    pub fn new(text: &str) -> OpeningNames {
        let lines = text.lines().filter_map(|line| {
            let mut parts = line.split('\t');
            let (code, name) = (Eco::from_pgn(parts.next()?), parts.next()?.trim());
            (!code.is_unknown() && !name.is_empty()).then(|| NamedOpening {
                code,
                name: name.into(),
                normalized: normalize(name),
            })
        });
        let mut entries: Vec<NamedOpening> = lines.collect();
        entries.dedup_by(|one, other| one.code == other.code && one.name == other.name);
        OpeningNames { entries }
    }

    /// Codes and full names, by code and name.
    pub fn iter(&self) -> impl Iterator<Item = (Eco, &str)> {
        self.entries.iter().map(|named| (named.code, &*named.name))
    }

    /// Returns how many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All openings called so, with their codes. Case, space, hyphens and other punctuation make no difference, nor do apostrophes at all,
    /// and `defence` is `defense`.
    ///
    /// The first of these rules that fits any full name decides: the full name is this name, or it and more words; without spaces it
    /// begins with this name; it has all words of this name; it has words that begin with these words; without spaces it contains this
    /// name. Cost: a pass over the names.
    ///
    /// # Errors
    ///
    /// A name that no opening has in any of these ways, one without letters, and one of more than 256 bytes.
    pub fn resolve(&self, name: &str) -> Result<ResolvedOpening, UnknownOpening> {
        let requested = normalize(name);
        let resolve_with = |way: &fn(&str, &str) -> bool| {
            let mut opening = ResolvedOpening { name: name.to_string(), codes: EcoCodes::default(), names: Vec::new() };
            for named in self.entries.iter().filter(|named| way(&named.normalized, &requested)) {
                opening.codes.insert(named.code);
                if let Err(at) = opening.names.binary_search(&named.name) {
                    opening.names.insert(at, named.name.clone());
                }
            }
            (!opening.names.is_empty()).then_some(opening)
        };
        let is_name = (1..=MAX_NAME_BYTES).contains(&requested.len());
        let found = if is_name { MATCHERS.iter().find_map(resolve_with) } else { None };
        found.ok_or_else(|| UnknownOpening {
            name: name.to_string(),
            nearest: nearest_names(&requested, self.entries.iter().map(|named| named.name.as_str()), normalize),
        })
    }
}

/// A name as it is compared: as all names are, but for apostrophes, which do not part words here, and spelling.
fn normalize(name: &str) -> String {
    let without: String = name.chars().filter(|char| !matches!(char, '\'' | '’' | '`')).collect();
    let folded = fold(&without);
    let american = |word| match word {
        "defence" => "defense",
        "centre" => "center",
        other => other,
    };
    let words: Vec<&str> = folded.split(' ').map(american).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "eco\tname\tpgn\n\
        A45\tIndian Defense\t1. d4 Nf6\n\
        B12\tCaro-Kann Defense: Advance Variation\t1. e4 c6 2. d4 d5 3. e5\n\
        B20\tSicilian Defense\t1. e4 c5\n\
        B27\tSicilian Defense\t1. e4 c5 2. Nf3\n\
        B90\tSicilian Defense: Najdorf Variation\n\
        B90\tSicilian Defense: Najdorf Variation, English Attack\n\
        B94\tSicilian Defense: Najdorf Variation\n\
        B96\tSicilian Defense: Najdorf Variation, Polugaevsky Variation\n\
        C57\tItalian Game: Two Knights Defense, Traxler Counterattack\n\
        E60\tKing's Indian Defense\n\
        Z00\tnone\n\nB00\n";

    #[test]
    fn a_name_beyond_measure_is_none() {
        let openings = OpeningNames::new(LIST);
        let name = |words: usize| openings.resolve(&"sicilian ".repeat(words)).map(|opening| opening.names.len());
        assert_eq!(name(28), Ok(4));
        let unknown = name(29).expect_err("257 bytes and more");
        assert_eq!(unknown.nearest, Vec::<String>::new());
    }

    #[test]
    fn the_most_specific_way_wins() {
        let openings = OpeningNames::new(LIST);
        assert_eq!(openings.len(), 10);
        for (name, codes, first) in [
            ("sicilian defence", "B20 B27 B90 B94 B96", "Sicilian Defense"),
            ("sicilian", "B20 B27 B90 B94 B96", "Sicilian Defense"),
            ("Sicilian Najdorf", "B90 B94 B96", "Sicilian Defense: Najdorf Variation"),
            ("sicilian-defense, NAJDORF variation", "B90 B94 B96", "Sicilian Defense: Najdorf Variation"),
            ("najdorf english", "B90", "Sicilian Defense: Najdorf Variation, English Attack"),
            ("kings indian", "E60", "King's Indian Defense"),
            ("King's Indian", "E60", "King's Indian Defense"),
            ("indian", "A45", "Indian Defense"),
            ("caro kann", "B12", "Caro-Kann Defense: Advance Variation"),
            ("carokann", "B12", "Caro-Kann Defense: Advance Variation"),
            ("twoknights", "C57", "Italian Game: Two Knights Defense, Traxler Counterattack"),
            ("traxler", "C57", "Italian Game: Two Knights Defense, Traxler Counterattack"),
            ("najd polug", "B96", "Sicilian Defense: Najdorf Variation, Polugaevsky Variation"),
        ] {
            let opening = openings.resolve(name).unwrap_or_else(|unknown| panic!("{unknown}"));
            let found: Vec<String> = opening.codes.iter().map(|code| code.to_string()).collect();
            assert_eq!((found.join(" ").as_str(), opening.names[0].as_str()), (codes, first), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_told_what_is_near() {
        let openings = OpeningNames::new(LIST);
        let said = |name: &str| openings.resolve(name).map_err(|unknown| unknown.to_string());
        let near = "no opening has the name \"Sicillian Najdorv\": did you mean \"Sicilian Defense: Najdorf Variation\", \
            \"Sicilian Defense: Najdorf Variation, English Attack\" or \"Sicilian Defense: Najdorf Variation, Polugaevsky Variation\"?";
        assert_eq!(said("Sicillian Najdorv"), Err(near.into()));
        assert_eq!(said("zzzz"), Err("no opening has the name \"zzzz\"".into()));
        assert_eq!(said(" - "), Err("no opening has the name \" - \"".into()));
        assert!(OpeningNames::new("").resolve("sicilian").is_err_and(|unknown| unknown.nearest.is_empty()));
    }
}
