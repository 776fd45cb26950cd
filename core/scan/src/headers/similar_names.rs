//! Finds names that are probably one: of players, events and sites, for somebody to confirm.
//!
//! All names of a group agree with each other. A name that agrees with several that do not agree with each other is unclear: `Karpov, A` may
//! be Anatoly or Alexander. Two players who met are two, whatever they are called.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::mem::take;

use super::name_counts::{CountedName, NameCount, by_shard, count_names};
use super::name_folding::fold;
use super::nearest::is_one_letter_apart;
use super::openings::OpeningNames;
use super::person_name::{NameAgreement, PersonName};
use crate::game::GameSpan;
use crate::sorted::sorted;

/// Why two names may be one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WhySimilar {
    /// A word is spelled otherwise.
    Spelling,
    /// One is shorter, by initials or missing first names.
    Shorter,
    /// The same words stand in another order.
    Order,
    /// They differ in case, accents and signs alone.
    Signs,
    /// The games give them the same number of the world federation.
    Number,
}

impl WhySimilar {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            WhySimilar::Spelling => "spelling",
            WhySimilar::Shorter => "shorter",
            WhySimilar::Order => "order",
            WhySimilar::Signs => "signs",
            WhySimilar::Number => "fide_id",
        }
    }

    /// Whether two such names are hardly ever two.
    pub fn is_sure(self) -> bool {
        self >= WhySimilar::Signs
    }
}

/// Another name of a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameAlias {
    /// The name, and its games.
    pub name: NameCount,
    /// Why it may be the name of the group.
    pub why: WhySimilar,
}

/// Names that are probably one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameGroup {
    /// The one that is written most fully, and of those the one of the most games.
    pub name: NameCount,
    /// The others, those of the most games first.
    pub aliases: Vec<NameAlias>,
}

/// A name that may be one of several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnclearName {
    /// The name, and its games.
    pub name: NameCount,
    /// Those that it agrees with, the names of the most games first.
    pub may_be: Vec<NameCount>,
}

/// What [`similar_names`] finds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SimilarNames {
    /// Groups, those of the most games first.
    pub groups: Vec<NameGroup>,
    /// Names that are in no group, those of the most games first.
    pub unclear: Vec<UnclearName>,
}

/// Finds the names of players, events or sites of these games that are probably one. `numbers` has the number of the world federation of
/// players for which it is known, and 0 is none: the same number is the same player, and another one another player.
///
/// Cost: a pass over the headers, and for each name a comparison with those that share a surname with it.
pub fn similar_names(
    spans: &[GameSpan<'_>],
    openings: &OpeningNames,
    counted: CountedName,
    numbers: &BTreeMap<String, u64>,
) -> SimilarNames {
    let counts = count_names(spans, openings, counted, "", usize::MAX);
    let names: Vec<ReadName> = counts.into_iter().filter_map(|count| ReadName::new(count, counted, numbers)).collect();
    let mut near = near_names(&names);
    if counted == CountedName::Player {
        remove_opponents(spans, &names, &mut near);
    }
    Linked { names: &names, near }.groups()
}

/// A name, read as what it names.
struct ReadName {
    count: NameCount,
    folded: String,
    /// Of a player.
    person: Option<PersonName>,
    number: Option<u64>,
}

impl ReadName {
    /// None for what is no name that a person would write.
    fn new(count: NameCount, counted: CountedName, numbers: &BTreeMap<String, u64>) -> Option<ReadName> {
        let folded = fold(&count.name);
        // Every game of a server has an address of its own, and teams are no persons.
        let is_team = counted == CountedName::Player && count.name.contains([':', '/', '&', '+']);
        if folded.is_empty() || count.name.contains("://") || is_team {
            return None;
        }
        let person = (counted == CountedName::Player).then(|| PersonName::read(&count.name));
        if person.as_ref().is_some_and(PersonName::is_unknown) {
            return None;
        }
        let number = numbers.get(&count.name).copied().filter(|number| *number > 0);
        Some(ReadName { count, folded, person, number })
    }

    /// Texts of which two similar names share one.
    fn keys(&self) -> Vec<String> {
        /// The letters of a text that has keys with one of them left out.
        const LONG: core::ops::RangeInclusive<usize> = 6..=40;
        let mut keys = match &self.person {
            // Names of users are what they are: two that differ in a letter are two.
            Some(person) if person.is_one_word() => Vec::new(),
            Some(person) => person.surnames(),
            None => {
                alloc::vec![self.folded.replace(' ', ""), words_in_order(&self.folded).join(" ")]
            }
        };
        for whole in take(&mut keys) {
            if LONG.contains(&whole.len()) && !whole.contains(' ') {
                let letters: Vec<(usize, char)> = whole.char_indices().collect();
                keys.extend(
                    letters.iter().map(|&(at, letter)| [&whole[..at], &whole[at + letter.len_utf8()..]].concat()),
                );
            }
            keys.push(whole);
        }
        keys.push(self.folded.clone());
        keys.extend(self.number.map(|number| alloc::format!("#{number}")));
        keys
    }

    /// Why it may be the other name; none if it may not.
    fn why_similar(&self, other: &ReadName) -> Option<WhySimilar> {
        match (self.number, other.number) {
            (Some(one), Some(other)) if one == other => return Some(WhySimilar::Number),
            (Some(_), Some(_)) => return None,
            _ => {}
        }
        if self.folded == other.folded {
            return Some(WhySimilar::Signs);
        }
        if let (Some(one), Some(other)) = (&self.person, &other.person) {
            return one.agreement(other).map(|agreement| match agreement {
                NameAgreement::Spelling => WhySimilar::Spelling,
                NameAgreement::Shorter => WhySimilar::Shorter,
                NameAgreement::Words => WhySimilar::Order,
                NameAgreement::Equal => WhySimilar::Signs,
            });
        }
        /// Shorter words with one other letter are mostly other words.
        const LONG: usize = 8;
        let [one, others] = [self, other].map(|name| name.folded.replace(' ', ""));
        let numbers = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        if one == others {
            Some(WhySimilar::Signs)
        } else if words_in_order(&self.folded) == words_in_order(&other.folded) {
            Some(WhySimilar::Order)
        } else {
            let is_near = one.len().min(others.len()) >= LONG
                && numbers(&one) == numbers(&others)
                && is_one_letter_apart(&one, &others)
                && !differ_in_another_word(&self.folded, &other.folded);
            is_near.then_some(WhySimilar::Spelling)
        }
    }
}

/// The words of a text in the order of the alphabet.
fn words_in_order(text: &str) -> Vec<&str> {
    sorted(text.split(' ').collect(), |one, other| one.cmp(other))
}

/// Whether two texts differ in a word that is rather another one: a short one as in `group A` and `group B`, or one with a number or another
/// first letter.
fn differ_in_another_word(one: &str, other: &str) -> bool {
    const SHORT: usize = 4;
    let (one, other): (Vec<&str>, Vec<&str>) = (one.split(' ').collect(), other.split(' ').collect());
    let is_other = |one: &str, other: &str| {
        let has_number = one.bytes().any(|byte| byte.is_ascii_digit());
        has_number || one.len().min(other.len()) <= SHORT || one.chars().next() != other.chars().next()
    };
    one.len() != other.len() || one.iter().zip(&other).any(|(one, other)| one != other && is_other(one, other))
}

/// For each name those that are similar to it, by their places among the names, ascending.
type NearNames = Vec<Vec<(usize, WhySimilar)>>;

/// Finds the pairs.
fn near_names(names: &[ReadName]) -> NearNames {
    /// So many names that share a key are compared with each other: those of the most games, which stand first.
    const MOST_COMPARED: usize = 2000;
    let entries: Vec<(String, usize)> =
        (0..).zip(names).flat_map(|(nth, name)| name.keys().into_iter().map(move |key| (key, nth))).collect();
    let mut entries = sorted(entries, |one, other| one.cmp(other));
    entries.dedup();
    let mut near: NearNames = alloc::vec![Vec::new(); names.len()];
    for same in entries.chunk_by(|one, other| one.0 == other.0) {
        let same = &same[..same.len().min(MOST_COMPARED)];
        for (at, &(_, one)) in same.iter().enumerate() {
            for &(_, other) in &same[at + 1..] {
                if near[one].iter().all(|known| known.0 != other)
                    && let Some(why) = names[one].why_similar(&names[other])
                {
                    near[one].push((other, why));
                    near[other].push((one, why));
                }
            }
        }
    }
    near.into_iter().map(|near| sorted(near, |one, other| one.0.cmp(&other.0))).collect()
}

/// Removes the links between players who met in a game.
fn remove_opponents(spans: &[GameSpan<'_>], names: &[ReadName], near: &mut NearNames) {
    let linked = (0..).zip(names).filter(|&(nth, _): &(usize, _)| !near[nth].is_empty());
    let linked = sorted(linked.map(|(nth, name)| (&*name.count.name, nth)).collect(), |one, other| one.0.cmp(other.0));
    let place = |name: &str| linked.binary_search_by(|known| known.0.cmp(name)).ok().map(|at| linked[at].1);
    for spans in by_shard(spans) {
        let of_shard: Vec<Option<usize>> = spans[0].names().players.iter().map(place).collect();
        for record in spans.iter().flat_map(GameSpan::records) {
            let [white, black] =
                [record.white, record.black].map(|name| of_shard.get(name as usize).copied().flatten());
            if let (Some(white), Some(black)) = (white, black) {
                near[white].retain(|known| known.0 != black);
                near[black].retain(|known| known.0 != white);
            }
        }
    }
}

/// Names with what links them.
struct Linked<'n> {
    names: &'n [ReadName],
    near: NearNames,
}

impl Linked<'_> {
    fn why(&self, one: usize, other: usize) -> Option<WhySimilar> {
        self.near[one].iter().find(|known| known.0 == other).map(|known| known.1)
    }

    /// The pairs, those that are surest first.
    fn strongest(&self) -> Vec<(Reverse<WhySimilar>, usize, usize)> {
        let mut pairs = Vec::new();
        for (one, near) in self.near.iter().enumerate() {
            pairs.extend(near.iter().filter(|known| one < known.0).map(|&(other, why)| (Reverse(why), one, other)));
        }
        sorted(pairs, |one, other| one.cmp(other))
    }

    fn groups(self) -> SimilarNames {
        // A name is unclear if two that it may be at least so surely are not similar to each other: of `Karpov, A`, one who is called Karpov
        // comes before one who is called Karpow.
        let is_unclear = |name: usize, surely: WhySimilar| {
            let may_be = |why: WhySimilar| surely <= why && !why.is_sure();
            let weak: Vec<usize> =
                self.near[name].iter().filter(|known| may_be(known.1)).map(|known| known.0).collect();
            weak.iter().enumerate().any(|(at, &one)| weak[at + 1..].iter().any(|&other| self.why(one, other).is_none()))
        };
        let mut unclear = alloc::vec![false; self.names.len()];
        let mut group_of: Vec<usize> = (0..self.names.len()).collect();
        let mut groups: Vec<Vec<usize>> = group_of.iter().map(|&name| alloc::vec![name]).collect();
        for (Reverse(why), one, other) in self.strongest() {
            if !why.is_sure() {
                let blocked = [one, other].map(|name| is_unclear(name, why).then_some(name));
                blocked.iter().flatten().for_each(|&name| unclear[name] = true);
                if blocked != [None, None] {
                    continue;
                }
            }
            let [into, from] = [one, other].map(|name| group_of[name]);
            let agree =
                || groups[into].iter().all(|&one| groups[from].iter().all(|&other| self.why(one, other).is_some()));
            if into != from && agree() {
                for name in take(&mut groups[from]) {
                    group_of[name] = into;
                    groups[into].push(name);
                }
            }
        }
        groups.retain(|group| group.len() > 1);
        groups.iter().flatten().for_each(|&name| unclear[name] = false);
        let games = |group: &[usize]| group.iter().map(|&name| self.names[name].count.games).sum::<u64>();
        let numbered = groups.iter().enumerate().map(|(nth, group)| (Reverse(games(group)), nth)).collect();
        let order = sorted(numbered, |one: &(Reverse<u64>, usize), other| one.cmp(other));
        // The names stand in the order of their games.
        let unclear = (0..self.names.len()).filter(|&name| unclear[name]).map(|name| UnclearName {
            name: self.names[name].count.clone(),
            may_be: self.near[name].iter().map(|near| self.names[near.0].count.clone()).collect(),
        });
        SimilarNames {
            groups: order.into_iter().map(|(_, nth)| self.group(&groups[nth])).collect(),
            unclear: unclear.collect(),
        }
    }

    /// The group of these names.
    fn group(&self, members: &[usize]) -> NameGroup {
        let fullness = |&nth: &usize| {
            let name = &self.names[nth];
            let full = name.person.as_ref().map(PersonName::fullness);
            let letters = || name.count.name.chars();
            let is_small = letters().any(char::is_lowercase) && letters().any(char::is_uppercase);
            (full, is_small, name.count.games, Reverse(nth))
        };
        let best = members.iter().copied().max_by_key(fullness).unwrap_or_default();
        // The names stand in the order of their games.
        let others = sorted(members.iter().copied().filter(|&name| name != best).collect(), usize::cmp);
        let alias = |&nth: &usize| NameAlias {
            name: self.names[nth].count.clone(),
            why: self.why(best, nth).unwrap_or(WhySimilar::Spelling),
        };
        NameGroup { name: self.names[best].count.clone(), aliases: others.iter().map(alias).collect() }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use plyfold_corpus::buffer::CorpusBuffer;
    use plyfold_corpus::file::CorpusCheck;

    use super::*;
    use crate::game::corpus_spans;

    /// What is found in games of these players, White and Black by turns.
    fn found(players: &[&str], numbers: &[(&str, u64)]) -> (Vec<String>, Vec<String>) {
        let game = |pair: &[&str]| format!("[White \"{}\"]\n[Black \"{}\"]\n\n1. e4 *\n\n", pair[0], pair[1]);
        let text: String = players.chunks(2).map(game).collect();
        let mut corpus = CorpusBuffer::new();
        corpus.append(&plyfold_pgn::pack_shard(text.as_bytes(), 0).0).expect("a shard");
        let reader = corpus.reader(CorpusCheck::EveryByte).expect("a corpus");
        let numbers = numbers.iter().map(|&(name, number)| (name.into(), number)).collect();
        let similar = similar_names(&corpus_spans(&reader), &OpeningNames::default(), CountedName::Player, &numbers);
        let aliases = |group: &NameGroup| {
            let all = group.aliases.iter().map(|alias| format!("{} ({})", alias.name.name, alias.why.name()));
            format!("{}: {}", group.name.name, all.collect::<Vec<_>>().join("; "))
        };
        let unclear = |one: &UnclearName| {
            let may_be = one.may_be.iter().map(|name| &*name.name).collect::<Vec<_>>().join("; ");
            format!("{}: {may_be}", one.name.name)
        };
        (similar.groups.iter().map(aliases).collect(), similar.unclear.iter().map(unclear).collect())
    }

    #[test]
    fn names_of_one_player_are_a_group() {
        let players = [
            "Karpov, Anatoly",
            "x1",
            "KARPOV, ANATOLY",
            "x2",
            "Anatoly Karpov",
            "x3",
            "Karpov,A",
            "x4",
            "Karpow, Anatoly",
            "x5",
        ];
        let (groups, unclear) = found(&players, &[]);
        assert_eq!(
            groups,
            [
                "Karpov, Anatoly: Anatoly Karpov (order); KARPOV, ANATOLY (signs); Karpov,A (shorter); Karpow, Anatoly (spelling)"
            ]
        );
        assert!(unclear.is_empty(), "{unclear:?}");
    }

    #[test]
    fn a_name_of_two_players_is_unclear() {
        let (groups, unclear) = found(&["Karpov, Anatoly", "x1", "Karpov, Alexander", "x2", "Karpov, A", "x3"], &[]);
        assert!(groups.is_empty(), "{groups:?}");
        assert_eq!(unclear, ["Karpov, A: Karpov, Alexander; Karpov, Anatoly"]);
        // The number tells who it is.
        let numbers = [("Karpov, A", 7), ("Karpov, Anatoly", 7), ("Karpov, Alexander", 8)];
        let (groups, unclear) =
            found(&["Karpov, Anatoly", "x1", "Karpov, Alexander", "x2", "Karpov, A", "x3"], &numbers);
        assert_eq!((groups, unclear.len()), (alloc::vec!["Karpov, Anatoly: Karpov, A (fide_id)".into()], 0));
    }

    #[test]
    fn two_players_are_two() {
        for players in [
            ["Polgar, Judit", "Polgar, J"],
            ["Ivanov, Alexander", "Ivanova, Alexandra"],
            ["Stockfish 8", "Stockfish 9"],
            ["anna1", "anna2"],
            ["Kramnik,V", "Kramnik,Vladimir:Picot,Russell"],
        ] {
            let apart = [players[0], "x1", players[1], "x2"];
            let is_met = found(&players, &[]).0.is_empty();
            // Who met is two; of the others, only the first may be one.
            assert_eq!((is_met, found(&apart, &[]).0.is_empty()), (true, players[0] != "Polgar, Judit"), "{players:?}");
        }
        let (groups, _) = found(&["Li, Wei", "x1", "Li, We", "x2"], &[("Li, Wei", 1), ("Li, We", 2)]);
        assert!(groups.is_empty(), "{groups:?}");
    }
}
