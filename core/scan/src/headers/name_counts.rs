//! The names of a corpus that contain some letters, with their numbers of games: what a form offers while somebody types.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;

use plyfold_corpus::GameOpening;
use plyfold_corpus::record::Eco;

use super::header_test::NameField;
use super::name_folding::{begins_words, fold};
use super::nearest::nearest_names;
use super::openings::OpeningNames;
use crate::game::GameSpan;
use crate::sorted::sorted;

/// What is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountedName {
    /// A player of either colour.
    Player,
    /// The white player.
    White,
    /// The black player.
    Black,
    /// The tournament or match.
    Event,
    /// The place, or the address of an online game.
    Site,
    /// The opening's code in the game's header.
    Eco,
    /// The opening's name, which its code stands for.
    Opening,
}

impl CountedName {
    /// All of them, with the words that programs use for them.
    pub const NAMED: [(&'static str, CountedName); 7] = [
        ("player", CountedName::Player),
        ("white", CountedName::White),
        ("black", CountedName::Black),
        ("event", CountedName::Event),
        ("site", CountedName::Site),
        ("eco", CountedName::Eco),
        ("opening", CountedName::Opening),
    ];
}

/// A name, and how many games have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameCount {
    /// The name as the games write it.
    pub name: String,
    /// Number of games.
    pub games: u64,
}

/// The names that contain `text`, those of most games first, at most `limit` of them; of the same number, in alphabetical order.
///
/// Each word of `text` must begin some word of the name, in any order. If no name contains the text, these are the nearest names.
/// An empty text takes all names. Cost: a pass over the headers and the different names.
pub fn count_names(
    spans: &[GameSpan<'_>],
    openings: &OpeningNames,
    counted: CountedName,
    text: &str,
    limit: usize,
) -> Vec<NameCount> {
    let counts = match counted {
        CountedName::Eco => code_counts(spans),
        CountedName::Opening => opening_counts(spans, openings),
        CountedName::Player => table_counts(spans, &[NameField::White, NameField::Black]),
        CountedName::White => table_counts(spans, &[NameField::White]),
        CountedName::Black => table_counts(spans, &[NameField::Black]),
        CountedName::Event => table_counts(spans, &[NameField::Event]),
        CountedName::Site => table_counts(spans, &[NameField::Site]),
    };
    let words = fold(text);
    let matches = |name: &str| begins_words(&fold(name), &words);
    let chosen: Vec<(&String, &u64)> = counts.iter().filter(|(name, _)| matches(name)).collect();
    let mut chosen = sorted(chosen, |one, other| (Reverse(one.1), one.0).cmp(&(Reverse(other.1), other.0)));
    if chosen.is_empty() {
        let nearest = nearest_names(&words, counts.keys().map(String::as_str), fold);
        chosen = nearest.iter().filter_map(|name| counts.get_key_value(name)).collect();
    }
    chosen.into_iter().take(limit).map(|(name, &games)| NameCount { name: name.clone(), games }).collect()
}

/// Numbers of games by name, without games that have none. The fields share a table; a game whose fields have the same name counts
/// once.
fn table_counts(spans: &[GameSpan<'_>], fields: &[NameField]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for spans in by_shard(spans) {
        let table = fields[0].string_table(&spans[0].names());
        let mut games = alloc::vec![0u64; table.len() as usize];
        for game in spans.iter().flat_map(GameSpan::records) {
            let mut last = None;
            for index in fields.iter().filter_map(|field| field.index(game)) {
                if last != Some(index)
                    && let Some(games) = games.get_mut(index as usize)
                {
                    *games += 1;
                }
                last = Some(index);
            }
        }
        for (name, games) in table.iter().zip(games).filter(|&(name, games)| games > 0 && !name.is_empty()) {
            add(&mut counts, name, games);
        }
    }
    counts
}

/// The spans of each shard, which share its names.
pub(super) fn by_shard<'s, 'a>(spans: &'s [GameSpan<'a>]) -> impl Iterator<Item = &'s [GameSpan<'a>]> {
    spans.chunk_by(|one, other| one.shard == other.shard)
}

fn add(counts: &mut BTreeMap<String, u64>, name: &str, games: u64) {
    match counts.get_mut(name) {
        Some(sum) => *sum += games,
        None => _ = counts.insert(name.to_string(), games),
    }
}

/// Numbers of games by the code of the opening, without games that have none.
fn code_counts(spans: &[GameSpan<'_>]) -> BTreeMap<String, u64> {
    let mut games_of = tagged_codes(spans);
    for (opening, games) in by_shard(spans).flat_map(stored_openings) {
        games_of[usize::from(opening.code.number())] += games;
    }
    let counts = Eco::all().map(|code| (code, games_of[usize::from(code.number())]));
    counts.filter(|&(_, games)| games > 0).map(|(code, games)| (code.to_string(), games)).collect()
}

/// How many games there are of each code, by its number, that the tags of games say whose shard does not store openings.
fn tagged_codes(spans: &[GameSpan<'_>]) -> [u64; 501] {
    let mut counts = [0; 501];
    let untold = spans.iter().filter(|span| !span.names().openings.is_stored());
    for game in untold.flat_map(GameSpan::records).filter(|game| !game.eco.is_unknown()) {
        counts[usize::from(game.eco.number())] += 1;
    }
    counts
}

/// The openings of a shard, each with its games in the spans.
fn stored_openings<'a>(spans: &[GameSpan<'a>]) -> impl Iterator<Item = (GameOpening<'a>, u64)> + use<'a> {
    let column = spans[0].names().openings.column();
    let mut games = alloc::vec![0u64; column.names.len() as usize];
    for game in spans.iter().flat_map(|span| span.first_in_shard..span.first_in_shard + span.len()) {
        if let Some(games) = games.get_mut(column.index_of_game(game) as usize) {
            *games += 1;
        }
    }
    let openings = column.names.iter().zip(games).filter(|&(_, games)| games > 0);
    openings.filter_map(|(text, games)| Some((GameOpening::read(text)?, games)))
}

/// Numbers of games by name of the opening: a name counts its own games and those of all openings that are parts of it. Where a shard
/// does not store openings, a name counts the games of all codes that the name itself has.
fn opening_counts(spans: &[GameSpan<'_>], openings: &OpeningNames) -> BTreeMap<String, u64> {
    let tagged = tagged_codes(spans);
    let mut counts = BTreeMap::new();
    for (code, name) in openings.iter() {
        let games = tagged[usize::from(code.number())];
        if games > 0 {
            add(&mut counts, name, games);
        }
    }
    let stored = by_shard(spans).flat_map(stored_openings);
    stored.for_each(|(opening, games)| opening.wholes().for_each(|whole| add(&mut counts, whole, games)));
    counts
}

#[cfg(test)]
mod tests {
    use plyfold_corpus::buffer::CorpusBuffer;
    use plyfold_corpus::file::CorpusCheck;
    use plyfold_pgn::pack_shard;

    use super::*;
    use crate::game::corpus_spans;

    fn names(counted: CountedName, text: &str) -> Vec<(String, u64)> {
        let game = |white: &str, black: &str, event: &str, eco: &str| {
            alloc::format!(
                "[White \"{white}\"]\n[Black \"{black}\"]\n[Event \"{event}\"]\n[ECO \"{eco}\"]\n\n1. e4 *\n\n"
            )
        };
        let pgn = [
            game("Carlsen, Magnus", "Tal, Mihail", "Olympiad 2010", "B90"),
            game("Tal, Mihail", "Carlsen, Magnus", "Olympiad 2012", "B90"),
            game("Carlson, Åke", "Carlsen, Magnus", "Club", "C60"),
            game("Tal, Mihail", "Tal, Mihail", "Club", ""),
        ]
        .concat();
        let mut corpus = CorpusBuffer::new();
        corpus.append(&pack_shard(pgn.as_bytes(), 0).0).expect("a shard");
        let corpus = corpus.reader(CorpusCheck::EveryByte).expect("a corpus");
        let openings =
            OpeningNames::new("B90\tSicilian Defense: Najdorf Variation\nB90\tSicilian Defense\nC60\tRuy Lopez");
        let found = count_names(&corpus_spans(&corpus), &openings, counted, text, 9);
        found.into_iter().map(|NameCount { name, games }| (name, games)).collect()
    }

    #[test]
    fn names_come_with_their_games() {
        let count = |names: &[(&str, u64)]| names.iter().map(|&(name, games)| (name.into(), games)).collect::<Vec<_>>();
        assert_eq!(names(CountedName::Player, "carls"), count(&[("Carlsen, Magnus", 3), ("Carlson, Åke", 1)]));
        assert_eq!(names(CountedName::White, "m carls"), count(&[("Carlsen, Magnus", 1)]));
        assert_eq!(names(CountedName::Player, "Tal"), count(&[("Tal, Mihail", 3)]));
        assert_eq!(names(CountedName::Player, "ake"), count(&[("Carlson, Åke", 1)]));
        assert_eq!(names(CountedName::Event, "2012 OLYMP"), count(&[("Olympiad 2012", 1)]));
        assert_eq!(names(CountedName::Eco, ""), count(&[("B90", 2), ("C60", 1)]));
        assert_eq!(names(CountedName::Opening, "najdorf"), count(&[("Sicilian Defense: Najdorf Variation", 2)]));
    }

    #[test]
    fn a_name_that_nobody_has_leads_to_the_nearest() {
        assert_eq!(names(CountedName::Player, "Karlsen, Magnus")[0].0, "Carlsen, Magnus");
        assert_eq!(names(CountedName::Player, "Qqqqqqq"), []);
    }
}
