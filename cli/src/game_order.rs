//! Sorts the games of a corpus by their headers.
//!
//! Every order is stable: games that are equal in it stay as they were. A key takes eight bytes a game.

use clap::ValueEnum;
use plyfold_core::corpus::HeaderText;
use plyfold_core::corpus::StringTable;
use plyfold_core::corpus::joined::JoinedCorpus;
use plyfold_core::corpus::shard::Shard;
use plyfold_core::game::GameId;
use plyfold_core::headers::folded_name;

/// An order of games.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GameOrder {
    /// As in the corpus.
    Kept,
    /// By date; unknown parts of a date come first.
    Date,
    /// By the average rating of both players, the highest first; games without ratings come last.
    Elo,
    /// By the code of the opening.
    Eco,
    /// By the name of the white player, whatever its case and accents.
    White,
    /// By the name of the black player.
    Black,
    /// By the name of the event.
    Event,
    /// By the name of the site.
    Site,
    /// By the numbers of the round: 2.10 comes after 2.9.
    Round,
    /// By the result: White's wins, draws, Black's wins, others.
    Result,
    /// By the number of plies, the shortest first.
    Plies,
}

/// All games of the corpus in these orders: those that are equal in the first by the second, and so on.
pub fn ordered_games(corpus: &JoinedCorpus<'_>, orders: &[GameOrder]) -> Vec<GameId> {
    let mut games: Vec<GameId> = (0..corpus.header.games as u32).map(GameId).collect();
    sort_games(corpus, orders, &mut games);
    games
}

/// Sorts these games as [`ordered_games`] does.
pub fn sort_games(corpus: &JoinedCorpus<'_>, orders: &[GameOrder], games: &mut [GameId]) {
    for order in orders.iter().rev().filter(|order| **order != GameOrder::Kept) {
        let keys = order.keys(corpus);
        games.sort_by_key(|game| keys[game.0 as usize]);
    }
}

impl GameOrder {
    /// The place of each game of the corpus in this order.
    fn keys(self, corpus: &JoinedCorpus<'_>) -> Vec<u64> {
        match self {
            GameOrder::White => name_ranks(corpus, |shard| shard.players, |shard, game| shard.records[game].white),
            GameOrder::Black => name_ranks(corpus, |shard| shard.players, |shard, game| shard.records[game].black),
            GameOrder::Event => name_ranks(corpus, |shard| shard.events, |shard, game| shard.records[game].event),
            GameOrder::Site => name_ranks(corpus, |shard| shard.sites, |shard, game| shard.records[game].site),
            _ => {
                let of_shard =
                    |shard: Shard<'_>| (0..shard.records.len()).map(|game| self.key(&shard, game)).collect::<Vec<_>>();
                corpus.shards().flat_map(of_shard).collect()
            }
        }
    }

    /// The key of a game, of an order that needs no names.
    fn key(self, shard: &Shard<'_>, game: usize) -> u64 {
        let record = &shard.records[game];
        match self {
            GameOrder::Date => {
                u64::from(record.date.year()) << 9 | u64::from(record.date.month()) << 5 | u64::from(record.date.day())
            }
            GameOrder::Elo => match [record.white_elo, record.black_elo].map(u64::from) {
                [0, 0] => u64::MAX,
                [0, one] | [one, 0] => u64::MAX - 2 * one,
                [white, black] => u64::MAX - (white + black),
            },
            GameOrder::Eco => u64::from(shard.openings.code_of(game as u32, record.eco).number()),
            GameOrder::Round => round_key(shard.header_texts.of_game(HeaderText::Round, game as u32)),
            GameOrder::Result => match record.result().name() {
                "1-0" => 0,
                "1/2-1/2" => 1,
                "0-1" => 2,
                _ => 3,
            },
            GameOrder::Plies => u64::from(record.plies),
            GameOrder::Kept | GameOrder::White | GameOrder::Black | GameOrder::Event | GameOrder::Site => 0,
        }
    }
}

/// The first three numbers of a round, the first of most weight.
fn round_key(round: &str) -> u64 {
    let numbers = round.split(|letter: char| !letter.is_ascii_digit()).filter_map(|part| part.parse::<u64>().ok());
    let places = numbers.map(|number| number.min((1 << 20) - 1)).chain(std::iter::repeat(0)).take(3);
    places.fold(0, |key, number| key << 20 | number)
}

/// The rank of each game's name among all names: as they are compared first, and then as they are written.
fn name_ranks<'a>(
    corpus: &'a JoinedCorpus<'_>,
    table: impl Fn(&Shard<'a>) -> StringTable<'a>,
    name_of: impl Fn(&Shard<'a>, usize) -> u32,
) -> Vec<u64> {
    let mut names: Vec<&str> = corpus.shards().flat_map(|shard| table(&shard).iter()).collect();
    names.sort_unstable();
    names.dedup();
    let mut ranked: Vec<(String, u32)> = (0..).zip(&names).map(|(nth, name)| (folded_name(name), nth)).collect();
    ranked.sort_unstable();
    let mut ranks = vec![0; names.len()];
    (0..).zip(&ranked).for_each(|(rank, (_, nth))| ranks[*nth as usize] = rank);
    let of_shard = |shard: Shard<'a>| {
        let of_names: Vec<u64> =
            table(&shard).iter().map(|name| names.binary_search(&name).map_or(0, |nth| ranks[nth])).collect();
        (0..shard.records.len()).map(|game| of_names[name_of(&shard, game) as usize]).collect::<Vec<u64>>()
    };
    corpus.shards().flat_map(of_shard).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_sorted_as_numbers() {
        let mut rounds = ["10", "2.10", "2.9", "", "1", "2", "final 3", "2.9.1"];
        rounds.sort_by_key(|round| round_key(round));
        assert_eq!(rounds, ["", "1", "2", "2.9", "2.9.1", "2.10", "final 3", "10"]);
    }
}
