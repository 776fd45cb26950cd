//! Names of players, events and openings in a phrase.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use plyfold_scan::headers::{NameCount, folded_name};

use super::words::Word;
use crate::error::edit_distance;

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

    /// The name of the user in the games, whom `my` and `mine` mean; none if it is not known.
    fn own_name(&self) -> Option<&str> {
        None
    }
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

/// What the words may be a name of this kind of; `None` if no longer name can begin with them either. `says_else` knows the words that say
/// something else, and are no first names.
pub(super) fn read_name(
    names: &dyn KnownNames,
    kind: NameKind,
    words: &[Word],
    says_else: &dyn Fn(&Word) -> bool,
) -> Option<Vec<NameReading>> {
    let typed: Vec<&str> = words.iter().map(|word| &*word.folded).collect();
    let is_long = typed.iter().map(|word| word.len() + 1).sum::<usize>() > MAX_NAME_BYTES;
    if is_long || typed.iter().any(|word| !word.chars().all(char::is_alphanumeric)) {
        return None;
    }
    let people = if kind == NameKind::Player { read_person(names, words, says_else) } else { Vec::new() };
    if !people.is_empty() {
        return Some(people);
    }
    if typed[0].chars().count() < 2 {
        // A longer name may begin with an initial.
        return (words.len() == 1 && words[0].is_capital).then(Vec::new);
    }
    // The last word, or the only one, may be a genitive: `Kramnik's draws`.
    let genitive = words.last().and_then(|last| last.stem.clone());
    let with_last = |last: String| typed[..typed.len() - 1].iter().map(|&word| word.into()).chain([last]).collect();
    let as_typed: Vec<String> = typed.iter().map(|&word| word.into()).collect();
    let in_english = (kind == NameKind::Player).then(|| romanised(&typed)).filter(|spelled| *spelled != as_typed);
    let spellings = [Some(as_typed), genitive.map(with_last), in_english];
    let found = spellings.into_iter().flatten().find_map(|typed| {
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        let found = with_words(names, kind, &typed);
        (!found.is_empty()).then(|| read_found(kind, &found, &typed))
    });
    // A longer name may begin with a first name that nobody has here.
    let may_go_on = kind == NameKind::Player && words.len() == 1 && words[0].is_capital && !says_else(&words[0]);
    found.or(may_go_on.then(Vec::new))
}

/// Russian names as English writes them, from German: `Karpow`, `Tschigorin`, `Spasski`.
fn romanised(typed: &[&str]) -> Vec<String> {
    let spelled = |word: &str| {
        let word = word.replace("tsch", "ch").replace("sch", "sh").replace('w', "v").replace('j', "i");
        word.strip_suffix("ski").map(|begin| format!("{begin}sky")).unwrap_or(word)
    };
    typed.iter().map(|word| spelled(word)).collect()
}

/// The names that have these words, each also as it is compared.
fn with_words(names: &dyn KnownNames, kind: NameKind, typed: &[&str]) -> Vec<(NameCount, String)> {
    let found = names.find(kind, &typed.join(" ")).into_iter().map(|found| (kind.folded(&found.name), found));
    let has_all = |folded: &str| typed.iter().all(|word| folded.split(' ').any(|part| part == kind.spelling(word)));
    found.filter(|(folded, _)| has_all(folded)).map(|(folded, found)| (found, folded)).collect()
}

fn read_found(kind: NameKind, found: &[(NameCount, String)], typed: &[&str]) -> Vec<NameReading> {
    let joined = typed.join(" ");
    match kind {
        NameKind::Player => read_player(found, &joined),
        NameKind::Event => read_part(found, &joined, true),
        NameKind::Opening => read_part(found, &joined, false),
    }
}

/// First names by which some are better known than by those of their games.
const SHORT_FORMS: [(&str, &str); 8] = [
    ("bob", "robert"),
    ("bobby", "robert"),
    ("vishy", "viswanathan"),
    ("sasha", "alexander"),
    ("bill", "william"),
    ("tony", "anthony"),
    ("johnny", "john"),
    ("wolodja", "vladimir"),
];

/// A first name or an initial with a surname, in either order.
fn read_person(names: &dyn KnownNames, words: &[Word], says_else: &dyn Fn(&Word) -> bool) -> Vec<NameReading> {
    let [head, inner @ .., tail] = words else { return Vec::new() };
    let surname =
        |words: &[Word], last: &str| words.iter().map(|word| &*word.folded).chain([last]).collect::<Vec<_>>().join(" ");
    let orders = [
        Some((head, surname(inner, &tail.folded))),
        tail.stem.as_deref().map(|genitive| (head, surname(inner, genitive))),
        Some((tail, surname(&words[..inner.len()], &words[inner.len()].folded))),
    ];
    let may_be_first = |word: &Word| match word.folded.chars().count() {
        1 => word.is_capital && word.folded.chars().all(char::is_alphabetic),
        _ => !says_else(word) && word.folded.chars().all(char::is_alphabetic),
    };
    let read = |(first, surname): (&Word, String)| {
        if may_be_first(first) && surname.chars().count() > 1 { person(names, first, &surname) } else { Vec::new() }
    };
    orders.into_iter().flatten().map(read).find(|readings| !readings.is_empty()).unwrap_or_default()
}

/// The names that begin with a surname and go on with the first name or its initial. If others have the initial too, it is no name of
/// this player.
fn person(names: &dyn KnownNames, first: &Word, surname: &str) -> Vec<NameReading> {
    /// As many letters of a first name tell it from others: `Garry` and `Gari` are one.
    const TELLING: usize = 3;
    let beginning = |name: &str, letters: usize| name.chars().take(letters).collect::<String>();
    let is_initial = |name: &str| name.chars().nth(1).is_none_or(|sign| sign == ' ');
    let long = SHORT_FORMS.iter().find(|(short, _)| *short == first.folded).map_or(&*first.folded, |(_, long)| long);
    let parts: Vec<&str> = surname.split(' ').collect();
    let found = with_words(names, NameKind::Player, &parts);
    let first_of = |folded: &str| folded.strip_prefix(surname)?.strip_prefix(' ').map(String::from);
    let of_initial = |(found, folded): (NameCount, String)| {
        first_of(&folded).filter(|name| beginning(name, 1) == beginning(long, 1)).map(|name| (found, name))
    };
    let all: Vec<(NameCount, String)> = found.into_iter().filter_map(of_initial).collect();
    let is_telling = |name: &str| {
        let name = name.split(' ').next().unwrap_or(name);
        let is_near = || beginning(name, 2) == beginning(long, 2) && edit_distance(name, long) <= 1;
        !is_initial(name) && (beginning(name, TELLING) == beginning(long, TELLING) || is_near())
    };
    let is_one = is_initial(long) || all.iter().all(|(_, name)| is_initial(name) || is_telling(name));
    let meant: Vec<&(NameCount, String)> = all.iter().filter(|(_, name)| is_one || is_telling(name)).collect();
    let is_known = is_initial(long) || first.is_capital || meant.iter().any(|(_, name)| is_telling(name));
    let Some((best, name)) = meant.first().filter(|_| is_known) else { return Vec::new() };
    let letters = if is_one { 1 } else { TELLING };
    let quoted = format!("\"{}*\"", prefix_of(&best.name, &format!("{surname} {}", beginning(name, letters))));
    let meant: Vec<&NameCount> = meant.iter().map(|(one, _)| one).collect();
    let mut readings = Vec::from([NameReading { quoted, note: whom(&meant), cost: 0 }]);
    if meant.len() > 1 {
        readings.extend(meant.into_iter().take(MAX_READINGS).zip(1..).map(|(one, nth)| full_name(one, nth)));
    }
    readings
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
