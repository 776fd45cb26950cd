//! Names of players, events and openings in a phrase.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use plyfold_scan::headers::{NameCount, folded_name};

use super::words::Word;

/// What a name may be a name of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameKind {
    /// A player of either colour.
    Player,
    /// A tournament or match.
    Event,
    /// An opening.
    Opening,
}

impl NameKind {
    /// A name as it is compared: without accents and apostrophes, and that of an opening in one spelling.
    pub fn folded(self, name: &str) -> String {
        let without: String = name.chars().filter(|sign| !matches!(sign, '\'' | '’')).collect();
        let folded = folded_name(&without);
        let words: Vec<&str> = folded.split(' ').map(|word| self.spelling(word)).collect();
        words.join(" ")
    }

    /// Openings are compared in one spelling.
    fn spelling(self, word: &str) -> &str {
        match (self, word) {
            (NameKind::Opening, "defence") => "defense",
            (NameKind::Opening, "centre") => "center",
            (_, word) => word,
        }
    }
}

/// The names that a corpus knows.
pub trait KnownNames {
    /// The full names that have all these words, those of most games first. More may be returned, for instance names with words that
    /// only begin so: the reader leaves them out.
    fn find(&self, kind: NameKind, words: &str) -> Vec<NameCount>;
}

/// No names at all, for a reader without a corpus.
impl KnownNames for () {
    fn find(&self, _: NameKind, _: &str) -> Vec<NameCount> {
        Vec::new()
    }
}

/// A name of a phrase.
pub(super) struct NameReading {
    /// What stands in the query, in quotes.
    pub quoted: String,
    /// Whom it means, for the user.
    pub note: String,
    /// How much worse this reading is than the best one.
    pub cost: u32,
}

/// The most words of a name.
pub(super) const MAX_NAME_WORDS: usize = 6;
/// The most bytes of a name: what a player is called is found by trying its beginnings.
const MAX_NAME_BYTES: usize = 256;
/// The most full names that one name is read as.
const MAX_READINGS: usize = 4;

/// What the words may be a name of this kind of; `None` if no longer name can begin with them either.
pub(super) fn read_name(names: &dyn KnownNames, kind: NameKind, words: &[Word]) -> Option<Vec<NameReading>> {
    let typed: Vec<&str> = words.iter().map(|word| &*word.folded).collect();
    if typed.iter().any(|word| !word.chars().all(char::is_alphanumeric)) || typed[0].chars().count() < 2 {
        return None;
    }
    let joined = typed.join(" ");
    if joined.len() > MAX_NAME_BYTES {
        return None;
    }
    let found: Vec<(NameCount, String)> = names
        .find(kind, &joined)
        .into_iter()
        .map(|found| (kind.folded(&found.name), found))
        .filter(|(folded, _)| typed.iter().all(|word| folded.split(' ').any(|part| part == kind.spelling(word))))
        .map(|(folded, found)| (found, folded))
        .collect();
    if found.is_empty() {
        return None;
    }
    Some(match kind {
        NameKind::Player => read_player(&found, &joined),
        NameKind::Event => read_part(&found, &joined, true),
        NameKind::Opening => read_part(&found, &joined, false),
    })
}

/// A player whose names begin with the words is all of them; words of other places are one full name each.
fn read_player(found: &[(NameCount, String)], typed: &str) -> Vec<NameReading> {
    let begins = |folded: &str| folded.strip_prefix(typed).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let beginning: Vec<&NameCount> = found.iter().filter(|(_, name)| begins(name)).map(|(found, _)| found).collect();
    if let Some(first) = beginning.first() {
        let shown = prefix_of(&first.name, typed);
        let mut readings =
            Vec::from([NameReading { quoted: format!("\"{shown}*\""), note: whom(&beginning), cost: 0 }]);
        if beginning.len() > 1 {
            readings.extend(beginning.iter().take(MAX_READINGS).zip(1..).map(|(one, nth)| full_name(one, nth)));
        }
        return readings;
    }
    found.iter().take(MAX_READINGS).zip(0..).map(|((one, _), nth)| full_name(one, nth)).collect()
}

fn full_name(found: &NameCount, nth: u32) -> NameReading {
    NameReading { quoted: format!("\"{}\"", found.name.replace('"', "*")), note: whom(&[found]), cost: nth }
}

/// The beginning of a full name that these folded words are.
fn prefix_of(name: &str, typed: &str) -> String {
    let ends = name.char_indices().take(2 * MAX_NAME_BYTES).map(|(at, sign)| at + sign.len_utf8());
    ends.map(|end| &name[..end]).find(|begin| folded_name(begin) == typed).unwrap_or(typed).replace('"', "*")
}

/// An event is every one that has these words side by side; an opening is what the language understands by them.
fn read_part(found: &[(NameCount, String)], typed: &str, with_stars: bool) -> Vec<NameReading> {
    let all: Vec<&NameCount> = found.iter().map(|(found, _)| found).collect();
    let is_part = |folded: &str| format!(" {folded} ").contains(&format!(" {typed} "));
    if with_stars && !found.iter().any(|(_, folded)| is_part(folded)) {
        return all.iter().take(MAX_READINGS).zip(0..).map(|(one, nth)| full_name(one, nth)).collect();
    }
    let quoted = if with_stars { format!("\"*{typed}*\"") } else { format!("\"{typed}\"") };
    Vec::from([NameReading { quoted, note: whom(&all), cost: 0 }])
}

/// The names, with their numbers of games.
fn whom(names: &[&NameCount]) -> String {
    let noun = |games: u64| if games == 1 { "game" } else { "games" };
    let shown = names.iter().take(2).map(|one| format!("{} ({} {})", one.name, one.games, noun(one.games)));
    let shown: Vec<String> = shown.collect();
    let more = names.len().saturating_sub(2);
    match more {
        0 => shown.join(", "),
        1 => shown.join(", ") + " and one more name",
        more => shown.join(", ") + &format!(" and {more} more names"),
    }
}
