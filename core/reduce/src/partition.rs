//! Partitions: a set of games for each value of a key, in one pass.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::BuildHasherDefault;

use hashbrown::HashMap;
use plyfold_scan::game::{GameId, GameSpan, Ply};
use plyfold_scan::headers::folded_name;
use plyfold_scan::scan::reducer::{MatchingPosition, ScanMatch};
use plyfold_scan::scan::replay_needs::ReplayNeeds;

use super::game_set::GameSet;
use super::hash::FibonacciHasher;
use super::key::{GroupingKey, MatchingRun};
use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::{PartialState, partial_struct};
use super::result_table::{ResultColumn, ResultTable};
use super::sorted::sorted;

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

/// Matching games by a key.
pub const PARTITION: OutputDefinition = OutputDefinition {
    name: "partition",
    option: "partition",
    summary: "The matching games by a key of their last matching position, of their first (`KEY:first`), or of all (`KEY:ever`)",
    title: "Games by",
    legend: None,
    argument: OutputArgument::KeyWithRule,
    takes_positions: |arguments| arguments.rule == PartitionRule::Ever || !arguments.key_or_default().is_game_key(),
    asks_tables: false,
    parts: |arguments| arguments.key_or_default().parts(),
    reducer: |arguments, context| Box::new(PartitionReducer::new(arguments, context.games)),
    partial_states: PartialStates::of::<Partition>(),
};

/// The games of each value. Memory: 4 bytes for each game and value that it has.
struct PartitionReducer {
    /// One more than the highest number of a game.
    corpus_games: u32,
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

/// The sets of a key, the largest first, equally large ones by value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Partition {
    /// The sets. All are here, since the limit of rows is one of the table.
    pub sets: Vec<PartitionSet>,
}

partial_struct!(Partition { sets });

impl PartialState for PartitionSet {
    /// Writes no games: the other shards do not have them.
    fn write(&self, out: &mut Vec<u8>) {
        self.value.write(out);
        self.name.write(out);
        self.count.write(out);
    }

    fn read(bytes: &mut &[u8]) -> Option<PartitionSet> {
        let (value, name) = (u64::read(bytes)?, String::read(bytes)?);
        Some(PartitionSet { value, name, count: u64::read(bytes)?, games: None })
    }
}

impl Summary for Partition {
    fn table(&self, arguments: &OutputArguments) -> ResultTable<'_> {
        let others = [ResultColumn::count("games"), ResultColumn::condition("condition")];
        let key = arguments.key.as_ref();
        let first = ResultColumn::of_key(key, &others);
        let rows = self.sets.iter().take(arguments.max_rows_by_key()).map(|set| {
            // A part is told by one position of each game, which no condition of a game does.
            let condition = key.filter(|key| key.is_game_key() || arguments.rule == PartitionRule::Ever);
            vec![first.key_cell(&set.name), set.count.into(), condition.and_then(|key| key.condition(&set.name)).into()]
        });
        let columns = [first.clone()].into_iter().chain(others).collect();
        ResultTable::new(columns, rows).of_distinct(self.sets.len() as u64)
    }

    fn merged(parts: Vec<Partition>, arguments: &OutputArguments) -> Partition {
        let key = arguments.key_or_default();
        let mut sums: BTreeMap<(u64, String), PartitionSet> = BTreeMap::new();
        for set in parts.into_iter().flat_map(|part| part.sets) {
            match sums.entry(same_value(&key, set.value, &set.name)) {
                Entry::Vacant(vacant) => {
                    vacant.insert(set);
                }
                Entry::Occupied(mut sum) => {
                    let sum = sum.get_mut();
                    sum.count += set.count;
                    if set.value < sum.value {
                        (sum.value, sum.name) = (set.value, set.name);
                    }
                }
            }
        }
        Partition { sets: largest_first(sums.into_values(), |set| set.count) }
    }
}

/// Sets with the largest first; equally large ones stay in the order of their values.
fn largest_first<T>(sets: impl Iterator<Item = T>, count: impl Fn(&T) -> u64) -> Vec<T> {
    let sets = sorted(sets.enumerate().collect(), |(nth, one): &(usize, T), (other_nth, other)| {
        count(other).cmp(&count(one)).then(nth.cmp(other_nth))
    });
    sets.into_iter().map(|(_, set)| set).collect()
}

/// What the values of one set have in common: names that queries do not tell apart, of one shard or several, are one value.
fn same_value(key: &GroupingKey, value: u64, name: &str) -> (u64, String) {
    if key.is_name() { (0, folded_name(name)) } else { (value, name.into()) }
}

impl PartitionReducer {
    /// A reducer without games.
    fn new(arguments: &OutputArguments, corpus_games: u32) -> PartitionReducer {
        PartitionReducer {
            corpus_games,
            key: arguments.key_or_default(),
            rule: arguments.rule,
            games: Vec::new(),
            value_index: HashMap::default(),
            last_value: (0, 0),
            current_game: Vec::new(),
        }
    }

    /// The sets of a corpus of `games` games, the largest first, equally large ones by value.
    fn sets(self, spans: &[GameSpan<'_>], arguments: &OutputArguments) -> Vec<PartitionSet> {
        let limit = &arguments.sets;
        let games = self.corpus_games;
        let mut by_name: BTreeMap<(u64, String), (u64, String, GameLists)> = BTreeMap::new();
        for (value, list) in self.games {
            let name = self.key.describe(value, spans, &arguments.names);
            let same = same_value(&self.key, value, &name);
            if matches!(limit, PartitionLimit::Named(wanted) if same_value(&self.key, value, wanted) != same) {
                continue;
            }
            let (smallest_value, shown, lists) =
                by_name.entry(same).or_insert_with(|| (value, name.clone(), Vec::new()));
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
        let sets = largest_first(by_name.into_iter().map(set), |(set, _)| set.count);
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

impl SummaryReducer for PartitionReducer {
    type Summary = Partition;

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

    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
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

    fn finish(self, output: &Output, _: &OutputContext<'_>, spans: &[GameSpan<'_>]) -> Partition {
        Partition { sets: self.sets(spans, &output.arguments) }
    }
}
