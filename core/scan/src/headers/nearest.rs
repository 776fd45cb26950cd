//! The error of a name that a corpus does not have, with the nearest names.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use thiserror::Error;

use super::evaluation::CompiledHeaderTests;
use super::header_test::{HeaderTest, NameField};
use super::name_folding::fold;
use crate::game::GameSpan;

/// A name that no game of a corpus has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct UnknownName {
    /// Index of the test that asks for it.
    pub test: usize,
    /// Which name.
    pub field: NameField,
    /// As it was written.
    pub pattern: String,
    /// Up to three similar names of the corpus, the nearest first.
    pub nearest: Vec<String>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, pattern) = (self.field.description(), &self.pattern);
        match self.field {
            NameField::Text(_) => write!(f, "no game of this corpus has the {what} \"{pattern}\"")?,
            _ => write!(f, "no {what} of this corpus has the name \"{pattern}\"")?,
        }
        write_suggestions(f, &self.nearest)
    }
}

/// `: did you mean "a", "b" or "c"?`, or nothing.
pub(super) fn write_suggestions(f: &mut fmt::Formatter<'_>, nearest: &[String]) -> fmt::Result {
    for (nth, name) in nearest.iter().enumerate() {
        let before = match nth {
            0 => ": did you mean ",
            _ if nth + 1 == nearest.len() => " or ",
            _ => ", ",
        };
        write!(f, "{before}\"{name}\"")?;
    }
    if nearest.is_empty() { Ok(()) } else { write!(f, "?") }
}

/// The longest name, in bytes, for which near names are searched: every name of a corpus is compared with it letter by letter, and a
/// longer name is hardly a mistyped one.
pub(super) const MAX_NAME_BYTES: usize = 256;
/// The most pairs of letters that are compared for one name: about half a second.
const MAX_COMPARISONS: usize = 400_000_000;

/// The first test for a name that the shards of `spans` do not have; `headers` was made of the same spans. A text that a shard of an
/// older version does not store may still be in that of its games, so it counts as known.
///
/// Cost: nothing if there is none, else a microsecond per name.
pub fn find_unknown_name(headers: &CompiledHeaderTests, spans: &[GameSpan<'_>]) -> Option<UnknownName> {
    let texts_are_stored = spans.iter().all(|span| span.names().texts.is_stored());
    let mut tests = headers.tests().iter().enumerate();
    tests.find_map(|(test, asked)| match asked {
        HeaderTest::Name { field: NameField::Text(_), .. } if !texts_are_stored => None,
        HeaderTest::Name { field, pattern } if headers.matches_no_name(test) => {
            let names: BTreeSet<&str> =
                spans.iter().flat_map(|span| field.string_table(&span.names()).iter()).collect();
            let words = fold(&pattern.text().replace('*', " "));
            let nearest = nearest_names(&words, names.into_iter(), fold);
            Some(UnknownName { test, field: *field, pattern: pattern.to_string(), nearest })
        }
        _ => None,
    })
}

/// Up to three of `names` that are nearest to `requested`, both compared as `plain` makes them: by how many letters must be changed, left out
/// or put in, in the whole name, in its beginning, or in those of its words that are nearest. Of the same distance, those come first
/// that are nearer as a whole. None if `requested` is longer than [`MAX_NAME_BYTES`]. Of many long names, only those are compared for
/// which [`MAX_COMPARISONS`] suffice.
pub(super) fn nearest_names<'n>(
    requested: &str,
    names: impl Iterator<Item = &'n str>,
    normalize: fn(&str) -> String,
) -> Vec<String> {
    if requested.is_empty() || requested.len() > MAX_NAME_BYTES {
        return Vec::new();
    }
    // If more than a third of the letters differ, it is another name.
    let mut limit = requested.chars().count() / 3 + usize::from(requested.len() > 3);
    let mut best: Vec<(usize, usize, &str)> = Vec::new();
    let mut distances = EditDistanceTable::default();
    let mut comparisons = 0;
    for name in names {
        let folded = normalize(name);
        // The whole name, and each of its words with each word that is wanted.
        comparisons += 2 * requested.len() * folded.len();
        if comparisons > MAX_COMPARISONS {
            break;
        }
        let (whole, beginning) = distances.compute(requested, &folded);
        let mut distance = whole.min(beginning);
        if distance > 0 {
            let mut to_word =
                |requested: &str| folded.split(' ').map(|word| distances.compute(requested, word).0).min();
            distance = distance.min(requested.split(' ').filter_map(&mut to_word).sum());
        }
        if folded.is_empty() || distance > limit || best.iter().any(|other| normalize(other.2) == folded) {
            continue;
        }
        let at = best.partition_point(|other| (other.0, other.1) <= (distance, whole));
        best.insert(at, (distance, whole, name));
        best.truncate(3);
        if let [_, _, last] = best[..] {
            limit = last.0;
        }
    }
    best.into_iter().map(|(_, _, name)| name.to_string()).collect()
}

/// Whether one letter must be changed, left out or put in, or two neighbours swapped, to make one text the other.
pub(super) fn is_one_letter_apart(one: &str, other: &str) -> bool {
    let before = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let [one, other]: [Vec<char>; 2] = [one, other].map(|text| text.chars().skip(before).collect());
    match (&one[..], &other[..]) {
        ([], []) => false,
        ([a, b, one @ ..], [c, d, other @ ..]) if (a, b) == (d, c) && one == other => true,
        (one, other) => {
            let (one_rest, other_rest) = (one.get(1..), other.get(1..));
            one_rest == Some(other) || other_rest == Some(one) || one_rest.is_some() && one_rest == other_rest
        }
    }
}

/// A row of the table by which distances are found, kept for its memory.
#[derive(Default)]
struct EditDistanceTable {
    requested: Vec<char>,
    row: Vec<usize>,
}

impl EditDistanceTable {
    /// How far two texts are from one another: letters to be changed, left out, put in, or swapped one after the other, one each; and
    /// how far the first is from any beginning of the second.
    fn compute(&mut self, requested: &str, name: &str) -> (usize, usize) {
        let EditDistanceTable { requested: letters, row } = self;
        letters.clear();
        letters.extend(requested.chars());
        row.clear();
        row.extend(0..=letters.len());
        let mut beginning = letters.len();
        for (nth, letter) in name.chars().enumerate() {
            let mut diagonal = core::mem::replace(&mut row[0], nth + 1);
            for (at, &other) in letters.iter().enumerate() {
                let changed = diagonal + usize::from(other != letter);
                diagonal = row[at + 1];
                row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
            }
            beginning = beginning.min(row[letters.len()]);
        }
        (row[letters.len()], beginning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first() {
        let names =
            ["?", "Kasparov, Garry", "Kasparov, S.", "Karpov, Anatoly", "Carlsen, Magnus", "Caruana, Fabiano", "Li"];
        let near = |requested: &str| nearest_names(&fold(requested), names.into_iter(), fold);
        assert_eq!(near("Kasparof")[..2], ["Kasparov, S.", "Kasparov, Garry"]);
        assert_eq!(near("Magnus Carlson"), ["Carlsen, Magnus"]);
        assert_eq!(near("Karpow, Anatoli"), ["Karpov, Anatoly"]);
        assert_eq!(near("Zzyzx, Quentin"), Vec::<String>::new());
        assert_eq!(near(""), Vec::<String>::new());
        let unknown =
            UnknownName { test: 0, field: NameField::White, pattern: "Kasparof*".into(), nearest: near("Kasparof") };
        assert_eq!(
            unknown.to_string(),
            "no player of this corpus has the name \"Kasparof*\": did you mean \"Kasparov, S.\" or \"Kasparov, Garry\"?"
        );
    }
}
