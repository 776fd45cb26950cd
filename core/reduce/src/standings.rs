//! Who scored how much in the matching games: the standings of a tournament, with what each player scored against each other one.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use plyfold_scan::game::{GameSpan, ShardParts};
use plyfold_scan::headers::{GameResult, NamePattern, folded_name};
use plyfold_scan::scan::reducer::ScanMatch;

use super::next_moves::RatingSums;
use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::partial_struct;
use super::result_counts::ResultCounts;
use super::result_table::{CellKind, ResultCell, ResultColumn, ResultTable};
use super::shown_names::NamedThing;
use super::sorted::sorted;

/// The standings of the matching games.
pub const STANDINGS: OutputDefinition = OutputDefinition {
    name: "standings",
    option: "standings",
    summary: "The players of the matching games by points, as the crosstable of a tournament",
    title: "Standings",
    legend: Some(
        "equal points are ordered by the Sonneborn-Berger score, then by wins and by name; against: rank of the opponent and results",
    ),
    argument: OutputArgument::Maximum(100),
    takes_positions: |_| false,
    asks_tables: false,
    parts: |_| ShardParts::PLAYERS | ShardParts::RECORDS,
    reducer: |_, _| Box::new(StandingsReducer::default()),
    partial_states: PartialStates::of::<Standings>(),
};

/// A table of so many players tells what each scored against each other one.
const MOST_IN_A_CROSSTABLE: usize = 200;

/// The players of some games and their results against each other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standings {
    /// The players, in no order.
    pub players: Vec<RankedPlayer>,
    /// The games of each two of them.
    pub pairings: Vec<Pairing>,
}

/// A player of some games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankedPlayer {
    /// The name, as the first game has it.
    pub name: String,
    /// The number of that game, from 0.
    pub first_game: u32,
    /// The ratings of the games in which both players have one.
    pub ratings: RatingSums,
}

/// The games that a player had White in against another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pairing {
    /// The index of White among the players.
    pub white: u32,
    /// The index of Black.
    pub black: u32,
    /// The games by result.
    pub results: ResultCounts,
}

partial_struct!(RankedPlayer { name, first_game, ratings });
partial_struct!(Pairing { white, black, results });
partial_struct!(Standings { players, pairings });

/// What a player scored: against one opponent, or all.
#[derive(Clone, Copy, Default)]
struct Score {
    games: u64,
    won: u64,
    drawn: u64,
    lost: u64,
}

impl Score {
    fn half_points(self) -> u64 {
        2 * self.won + self.drawn
    }

    fn add(&mut self, results: &ResultCounts, of_black: bool) {
        let [white, black] = [GameResult::White, GameResult::Black].map(|result| results.with_outcome(result));
        let (won, lost) = if of_black { (black, white) } else { (white, black) };
        self.games += results.games();
        self.won += won;
        self.drawn += results.with_outcome(GameResult::Draw);
        self.lost += lost;
    }

    /// The results one after another, the best first.
    fn text(self) -> String {
        [("1", self.won), ("½", self.drawn), ("0", self.lost), ("*", self.games - self.won - self.drawn - self.lost)]
            .into_iter()
            .map(|(sign, number)| sign.repeat(number as usize))
            .collect()
    }
}

/// A player with the scores that decide the rank.
struct Standing {
    player: usize,
    all: Score,
    /// Four times the Sonneborn-Berger score: for each opponent, half points against times half points of that opponent.
    sonneborn_berger: u64,
}

impl Standings {
    /// Players who have the same name but for case and accents are one.
    fn joined(parts: impl Iterator<Item = Standings>) -> Standings {
        let (mut all, mut known) = (Standings::default(), BTreeMap::new());
        let mut pairings: BTreeMap<(u32, u32), ResultCounts> = BTreeMap::new();
        for part in parts {
            let number = |player: RankedPlayer| {
                let number = *known.entry(folded_name(&player.name)).or_insert(all.players.len() as u32);
                match all.players.get_mut(number as usize) {
                    None => all.players.push(player),
                    Some(known) => {
                        known.ratings.add(&player.ratings);
                        if player.first_game < known.first_game {
                            (known.name, known.first_game) = (player.name, player.first_game);
                        }
                    }
                }
                number
            };
            let numbers: Vec<u32> = part.players.into_iter().map(number).collect();
            for Pairing { white, black, results } in part.pairings {
                let players = [white, black].map(|player| numbers.get(player as usize).copied());
                if let [Some(white), Some(black)] = players {
                    pairings.entry((white, black)).or_default().add(&results);
                }
            }
        }
        all.pairings =
            pairings.into_iter().map(|((white, black), results)| Pairing { white, black, results }).collect();
        all
    }

    /// The scores of each player against each other one, by the indices of both.
    fn scores(&self) -> BTreeMap<(u32, u32), Score> {
        let mut scores: BTreeMap<(u32, u32), Score> = BTreeMap::new();
        for Pairing { white, black, results } in &self.pairings {
            scores.entry((*white, *black)).or_default().add(results, false);
            scores.entry((*black, *white)).or_default().add(results, true);
        }
        scores
    }

    /// The players by rank.
    fn ranked(&self, scores: &BTreeMap<(u32, u32), Score>) -> Vec<Standing> {
        let standing = |player| Standing { player, all: Score::default(), sonneborn_berger: 0 };
        let mut standings: Vec<Standing> = (0..self.players.len()).map(standing).collect();
        for (&(player, _), score) in scores {
            let Score { games, won, drawn, lost } = &mut standings[player as usize].all;
            (*games, *won, *drawn, *lost) =
                (*games + score.games, *won + score.won, *drawn + score.drawn, *lost + score.lost);
        }
        for (&(player, opponent), score) in scores {
            let of_opponent = standings[opponent as usize].all.half_points();
            standings[player as usize].sonneborn_berger += score.half_points() * of_opponent;
        }
        let name = |standing: &Standing| &self.players[standing.player].name;
        let order = |one: &Standing| Reverse((one.all.half_points(), one.sonneborn_berger, one.all.won));
        sorted(standings, |one, other| order(one).cmp(&order(other)).then_with(|| name(one).cmp(name(other))))
    }
}

impl Summary for Standings {
    fn table(&self, arguments: &OutputArguments) -> ResultTable<'_> {
        let scores = self.scores();
        let ranked = self.ranked(&scores);
        let mut ranks = vec![0_u32; self.players.len()];
        // Every row has a rank of its own, by which other rows name it.
        (1..).zip(&ranked).for_each(|(rank, standing)| ranks[standing.player] = rank);
        let crosstable = (ranked.len() <= MOST_IN_A_CROSSTABLE).then_some(&ranks);
        let rows = ranked.iter().take(arguments.max_rows).map(|standing| {
            let RankedPlayer { name, ratings, .. } = &self.players[standing.player];
            let Score { games, won, drawn, lost } = standing.all;
            let against = crosstable.map(|ranks| against(&scores, standing.player as u32, ranks));
            vec![
                u64::from(ranks[standing.player]).into(),
                ResultCell::Text(name.as_str().into()),
                decimal(standing.all.half_points(), 2).into(),
                games.into(),
                won.into(),
                drawn.into(),
                lost.into(),
                decimal(standing.sonneborn_berger, 4).into(),
                ratings.average().map(u64::from).into(),
                ratings.performance().into(),
                against.into(),
                NamePattern::of_name(name).map(|pattern| format!("player \"{pattern}\"")).into(),
            ]
        });
        let columns = vec![
            ResultColumn::count("rank"),
            ResultColumn::text("player"),
            ResultColumn::text("points"),
            ResultColumn::count("games"),
            ResultColumn::new(CellKind::Results, "won"),
            ResultColumn::new(CellKind::Results, "drawn"),
            ResultColumn::new(CellKind::Results, "lost"),
            ResultColumn::text("sonneborn_berger"),
            ResultColumn::new(CellKind::Rating, "rating").optional(),
            ResultColumn::new(CellKind::Signed, "performance").optional(),
            ResultColumn::text("against").optional(),
            ResultColumn::condition("condition"),
        ];
        ResultTable::new(columns, rows).of_distinct(ranked.len() as u64)
    }

    fn merged(parts: Vec<Standings>, _: &OutputArguments) -> Standings {
        Standings::joined(parts.into_iter())
    }
}

/// What a player scored against the others, by their ranks: `2:1½ 3:0`.
fn against(scores: &BTreeMap<(u32, u32), Score>, player: u32, ranks: &[u32]) -> String {
    let opponents = scores.range((player, 0)..=(player, u32::MAX));
    let opponents: Vec<(u32, u32, Score)> =
        opponents.map(|(&(_, opponent), &score)| (ranks[opponent as usize], opponent, score)).collect();
    let opponents = sorted(opponents, |one, other| (one.0, one.1).cmp(&(other.0, other.1)));
    let texts: Vec<String> = opponents.iter().map(|(rank, _, score)| format!("{rank}:{}", score.text())).collect();
    texts.join(" ")
}

/// A number of halves or quarters as a decimal fraction.
fn decimal(parts: u64, of: u64) -> String {
    let hundredths = parts % of * 100 / of;
    match hundredths {
        0 => format!("{}", parts / of),
        _ if hundredths.is_multiple_of(10) => format!("{}.{}", parts / of, hundredths / 10),
        _ => format!("{}.{hundredths}", parts / of),
    }
}

/// The names of the players are numbers in their shards until the end.
#[derive(Default)]
struct StandingsReducer {
    /// For each shard and name, the first game and the ratings.
    players: BTreeMap<(u32, u32), (u32, RatingSums)>,
    pairings: BTreeMap<(u32, u32, u32), ResultCounts>,
}

impl SummaryReducer for StandingsReducer {
    type Summary = Standings;

    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
        if !found_game.verdict {
            return;
        }
        let (shard, game) = (found_game.span.shard, found_game.game.id.0);
        let record = found_game.game.record;
        for (name, of_black) in [(record.white, false), (record.black, true)] {
            let (first, ratings) = self.players.entry((shard, name)).or_insert((game, RatingSums::default()));
            *first = game.min(*first);
            ratings.add_game([record.white_elo, record.black_elo], record.result(), of_black);
        }
        self.pairings.entry((shard, record.white, record.black)).or_default().add_game(record.result() as usize);
    }

    fn merge(&mut self, other: StandingsReducer) {
        for (name, (game, sums)) in other.players {
            let (first, ratings) = self.players.entry(name).or_insert((game, RatingSums::default()));
            *first = game.min(*first);
            ratings.add(&sums);
        }
        for (pairing, results) in other.pairings {
            self.pairings.entry(pairing).or_default().add(&results);
        }
    }

    fn finish(self, output: &Output, _: &OutputContext<'_>, spans: &[GameSpan<'_>]) -> Standings {
        let names: BTreeMap<u32, _> = spans.iter().map(|span| (span.shard, span.names().players)).collect();
        let numbers: BTreeMap<(u32, u32), u32> = (0..).zip(self.players.keys()).map(|(nth, &key)| (key, nth)).collect();
        let number = |shard, name| numbers.get(&(shard, name)).copied().unwrap_or_default();
        let pairing = |((shard, white, black), results)| Pairing {
            white: number(shard, white),
            black: number(shard, black),
            results,
        };
        let pairings = self.pairings.into_iter().map(pairing).collect();
        let player = |((shard, name), (first_game, ratings)): ((u32, u32), (u32, RatingSums))| RankedPlayer {
            name: output
                .arguments
                .names
                .shown(NamedThing::Player, names.get(&shard).map_or("", |names| names.get(name))),
            first_game,
            ratings,
        };
        let players = self.players.into_iter().map(player).collect();
        Standings::joined(core::iter::once(Standings { players, pairings }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(name: &str, first_game: u32) -> RankedPlayer {
        RankedPlayer { name: name.into(), first_game, ratings: RatingSums::default() }
    }

    fn pairing(white: u32, black: u32, counts: [u32; 4]) -> Pairing {
        Pairing { white, black, results: ResultCounts::from_counts(counts) }
    }

    /// Two shards of a tournament of three players: A beats B and draws with C, B beats C twice.
    #[test]
    fn parts_are_joined_by_name_and_ranked() {
        let counts = |result: GameResult| {
            let mut counts = [0; 4];
            counts[result as usize] = 1;
            counts
        };
        let one = Standings {
            players: vec![player("Béla", 5), player("Anna", 5)],
            pairings: vec![pairing(1, 0, counts(GameResult::White))],
        };
        let other = Standings {
            players: vec![player("anna", 1), player("Cora", 1), player("Bela", 7)],
            pairings: vec![
                pairing(1, 0, counts(GameResult::Draw)),
                pairing(2, 1, counts(GameResult::White)),
                pairing(1, 2, counts(GameResult::Black)),
            ],
        };
        let joined = Standings::merged(vec![one, other], &OutputArguments::default());
        let names: Vec<&str> = joined.players.iter().map(|player| &*player.name).collect();
        assert_eq!(names, ["Béla", "anna", "Cora"]);
        let table = joined.table(&OutputArguments::default());
        let text = |cell: &ResultCell<'_>| match cell {
            ResultCell::Text(text) => text.clone().into_owned(),
            ResultCell::Count(count) => format!("{count}"),
            _ => String::from("-"),
        };
        let rows: Vec<String> =
            table.rows.iter().map(|row| row.iter().map(text).collect::<Vec<_>>().join(" | ")).collect();
        assert_eq!(
            rows,
            [
                "1 | Béla | 2 | 3 | 2 | 0 | 1 | 1 | - | - | 2:0 3:11 | player \"Béla\"",
                "2 | anna | 1.5 | 2 | 1 | 1 | 0 | 2.25 | - | - | 1:1 3:½ | player \"anna\"",
                "3 | Cora | 0.5 | 3 | 0 | 1 | 2 | 0.75 | - | - | 1:00 2:½ | player \"Cora\"",
            ]
        );
    }
}
