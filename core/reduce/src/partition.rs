//! Partitions: a set of games for each value of a key, in one pass.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::hash::BuildHasherDefault;

use hashbrown::HashMap;
use plyfold_scan::game::{GameId, GameSpan, Ply};
use plyfold_scan::headers::folded_name;
use plyfold_scan::scan::reducer::{MatchingPosition, Reducer, ScanMatch};
use plyfold_scan::scan::replay_needs::ReplayNeeds;

use super::game_set::GameSet;
use super::hash::FibonacciHasher;
use super::key::{GroupingKey, MatchingRun};
use super::result_table::{ResultColumn, ResultTable};

/// Which matching position of a game decides its set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PartitionRule {
    /// The last one.
    #[default]
    Final,
    /// The first one.
    First,
    /// Every one: a game belongs to the set of each value that it ever has, so sets may overlap.
    Ever,
}

impl PartitionRule {
    /// All rules, with their names.
    pub const NAMED: &[(&str, PartitionRule)] =
        &[("final", PartitionRule::Final), ("first", PartitionRule::First), ("ever", PartitionRule::Ever)];
}

/// Which sets are built. Each takes a bit for every game of the corpus, so a key with many values may need too much memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum PartitionLimit {
    /// All.
    #[default]
    All,
    /// At most this many of the largest sets; the others are only counted.
    Largest(usize),
    /// Only the set of the value with this text.
    Named(String),
}

/// The games of each value. Memory: 4 bytes for each game and value that it has.
pub struct PartitionReducer {
    key: GroupingKey,
    rule: PartitionRule,
    /// Values, and their games in the order in which they were found.
    games: Vec<(u64, Vec<GameId>)>,
    /// The index of each value in `games`.
    value_index: HashMap<u64, u32, BuildHasherDefault<FibonacciHasher>>,
    /// The last value, and its index.
    last_value: (u64, u32),
    /// The values of the current game, if positions are reported one by one.
    current_game: Vec<(u64, MatchingRun)>,
}

/// The lists of the games of one value, which may have a different number in each shard.
type GameLists = Vec<Vec<GameId>>;

/// The games that belong to one value.
#[derive(Clone, PartialEq, Debug)]
pub struct PartitionSet {
    /// The value, as the key has it; for a name that several shards have, the smallest of its values.
    pub value: u64,
    /// The text of the value.
    pub name: String,
    /// How many games it has.
    pub count: u64,
    /// The games, if the [`PartitionLimit`] includes this set.
    pub games: Option<GameSet>,
}

/// The first sets of a partition as a table, at most so many. The key is that of the partition.
pub fn table<'a>(sets: &'a [PartitionSet], key: &GroupingKey, max_rows: usize) -> ResultTable<'a> {
    let games = ResultColumn::count("games");
    let first = ResultColumn::of_key(key, core::slice::from_ref(&games));
    let rows = sets.iter().take(max_rows).map(|set| vec![first.key_cell(&set.name), set.count.into()]);
    ResultTable::new(vec![first.clone(), games], rows)
}

impl PartitionReducer {
    /// A reducer without games.
    pub fn new(key: GroupingKey, rule: PartitionRule) -> PartitionReducer {
        PartitionReducer {
            key,
            rule,
            games: Vec::new(),
            value_index: HashMap::default(),
            last_value: (0, 0),
            current_game: Vec::new(),
        }
    }

    /// The sets of a corpus of `games` games, the largest first, equally large ones by value.
    pub fn finish(self, games: u32, spans: &[GameSpan<'_>], limit: &PartitionLimit) -> Vec<PartitionSet> {
        let mut by_name: BTreeMap<(u64, String), (u64, String, GameLists)> = BTreeMap::new();
        let is_name = self.key.is_name();
        let folded = |name: &str| if is_name { folded_name(name) } else { name.into() };
        for (value, list) in self.games {
            let name = self.key.describe(value, spans);
            let same = folded(&name);
            if matches!(limit, PartitionLimit::Named(wanted) if folded(wanted) != same) {
                continue;
            }
            // Names that queries do not tell apart, of one shard or several, are one value.
            let value_key = if is_name { 0 } else { value };
            let (smallest_value, shown, lists) =
                by_name.entry((value_key, same)).or_insert_with(|| (value, name.clone(), Vec::new()));
            if value < *smallest_value {
                (*smallest_value, *shown) = (value, name);
            }
            lists.push(list);
        }
        let set = |(_, (value, name, lists)): ((u64, String), (u64, String, GameLists))| {
            // A game is in the list of a value once, but both of its players may have one name in two spellings.
            let mut all: Vec<GameId> = lists.concat();
            all.sort_unstable();
            all.dedup();
            let count = all.len() as u64;
            (PartitionSet { value, name, count, games: None }, lists)
        };
        let mut sets: Vec<(PartitionSet, GameLists)> = by_name.into_iter().map(set).collect();
        sets.sort_by_key(|(set, _)| Reverse(set.count));
        let with_games = |(rank, (set, lists)): (usize, (PartitionSet, GameLists))| {
            let games = (!matches!(limit, PartitionLimit::Largest(most) if rank >= *most)).then(|| {
                let mut set = GameSet::empty(games);
                lists.iter().flatten().for_each(|&game| set.insert(game));
                set
            });
            PartitionSet { games, ..set }
        };
        sets.into_iter().enumerate().map(with_games).collect()
    }

    #[inline]
    fn insert(&mut self, value: u64, game: GameId) {
        // PERF: the same value often comes again, especially if there are few values.
        if self.last_value.0 != value || self.games.is_empty() {
            let next = self.games.len() as u32;
            self.last_value = (value, *self.value_index.entry(value).or_insert(next));
            if self.last_value.1 == next {
                self.games.push((value, Vec::new()));
            }
        }
        let games = &mut self.games[self.last_value.1 as usize].1;
        if games.last() != Some(&game) {
            games.push(game);
        }
    }
}

impl Reducer for PartitionReducer {
    const NEEDS_BOARDS: bool = true;

    fn needs(&self) -> ReplayNeeds {
        self.key.needs()
    }

    fn position(&mut self, ply: &MatchingPosition<'_>) {
        if let Some(value) = self.key.value_on_board(ply.board) {
            let at = MatchingRun { count: 1, first: ply.ply, last: ply.ply };
            match (self.rule, self.current_game.last_mut()) {
                (PartitionRule::First, Some(_)) => {}
                (PartitionRule::Final, Some(last)) => *last = (value, at),
                (PartitionRule::Ever, Some((before, _))) if *before == value => {}
                _ => self.current_game.push((value, at)),
            }
        }
    }

    fn game(&mut self, found_game: &ScanMatch<'_>) {
        if !found_game.verdict {
            self.current_game.clear();
            return;
        }
        let mut values = core::mem::take(&mut self.current_game);
        let chosen = match self.rule {
            PartitionRule::First => found_game.matches.first(),
            PartitionRule::Final => found_game.matches.last(),
            PartitionRule::Ever => Ply::START,
        };
        if self.rule == PartitionRule::Ever {
            self.key.for_each_run(found_game, |value, at| values.push((value, at)));
        } else if (chosen > Ply::START || self.key.is_game_key())
            && let Some(both) = self.key.values_after(found_game, chosen)
        {
            let distinct = if both[0] == both[1] { 1 } else { 2 };
            let at = MatchingRun { count: 1, first: chosen, last: chosen };
            values.extend(both[..distinct].iter().map(|&value| (value, at)));
        }
        for (value, _) in &values {
            self.insert(*value, found_game.game.id);
        }
        values.clear();
        self.current_game = values;
    }

    fn merge(&mut self, other: Self) {
        for (value, games) in other.games {
            match self.value_index.get(&value) {
                Some(&place) => self.games[place as usize].1.extend(games),
                None => {
                    self.value_index.insert(value, self.games.len() as u32);
                    self.games.push((value, games));
                }
            }
        }
    }
}
