//! Group-by and histogram: how many matching positions, in how many games, by the value of a key.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use plyfold_scan::game::GameSpan;
use plyfold_scan::headers::folded_name;
use plyfold_scan::scan::reducer::{MatchingPosition, ScanMatch};
use plyfold_scan::scan::replay_needs::ReplayNeeds;

use super::group_totals::{GroupRun, GroupTotals, TotalsByValue};
use super::key::{GroupingKey, MatchingRun, OnePlayer};
use super::matching_positions::PositionRef;
use super::output::{
    Output, OutputArgument, OutputArguments, OutputContext, OutputDefinition, PartialStates, Summary, SummaryReducer,
};
use super::partial_state::partial_struct;
use super::result_counts::ResultCounts;
use super::result_table::{FIRST_COLUMNS, RESULT_COLUMNS, ResultColumn, ResultTable, first_cells, result_cells};
use super::sorted::sorted;

/// Matching positions and their games by a key.
pub const COUNTS: OutputDefinition = OutputDefinition {
    name: "counts",
    option: "by",
    summary: "The matching positions and their games by a key",
    title: "Positions by",
    legend: None,
    argument: OutputArgument::Key,
    takes_positions: |_| true,
    asks_tables: false,
    parts: |arguments| arguments.key_or_default().parts(),
    reducer: |arguments, _| Box::new(GroupReducer::new(arguments)),
    partial_states: PartialStates::of::<GroupTable>(),
};

/// Counts by value.
struct GroupReducer {
    key: GroupingKey,
    /// For a key of both players.
    players: Option<OnePlayer>,
    totals: TotalsByValue,
}

/// One value of a key, with its counts.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// The value, as the key has it; for a name that several shards have, one of its values.
    pub value: u64,
    /// The text of the value.
    pub name: String,
    /// Matching positions.
    pub positions: u64,
    /// Games that have such positions, each once, by result.
    pub results: ResultCounts,
    /// The first matching position: the number of the game from 0, and the ply.
    pub first: PositionRef,
}

/// All values of a key.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GroupTable {
    /// The name of the key.
    pub key: String,
    /// How many values there are.
    pub distinct: u64,
    /// The positions of all values together; a key with two values in a game, such as two players, counts its positions twice.
    pub positions: u64,
    /// The values, the most frequent first, equally frequent ones by value. If the key has an order of its own, the values are in
    /// that order.
    pub groups: Vec<Group>,
}

partial_struct!(Group { value, name, positions, results, first });
partial_struct!(GroupTable { key, distinct, positions, groups });

impl GroupTable {
    /// The table of these groups, which are sorted; at most `max_rows` of them.
    fn of(key: &GroupingKey, mut groups: Vec<Group>, max_rows: usize) -> GroupTable {
        let (distinct, positions) = (groups.len() as u64, groups.iter().map(|group| group.positions).sum());
        groups.truncate(max_rows);
        GroupTable { key: key.name().into(), distinct, positions, groups }
    }
}

impl Summary for GroupTable {
    fn table(&self, arguments: &OutputArguments) -> ResultTable<'_> {
        let mut columns = Vec::from(["positions", "games"].map(ResultColumn::count));
        columns.extend(RESULT_COLUMNS);
        columns.extend(FIRST_COLUMNS);
        columns.push(ResultColumn::condition("condition"));
        let key = arguments.key.as_ref();
        let first = ResultColumn::of_key(key, &columns);
        columns.insert(0, first.clone());
        let rows = self.groups.iter().map(|group| {
            let mut row = vec![first.key_cell(&group.name), group.positions.into(), group.results.games().into()];
            row.extend(result_cells(&group.results));
            row.extend(first_cells(group.first));
            row.push(key.and_then(|key| key.condition(&group.name)).into());
            row
        });
        ResultTable::new(columns, rows).of_distinct(self.distinct).with_totals(&[("positions", self.positions)])
    }

    fn merged(parts: Vec<GroupTable>, arguments: &OutputArguments) -> GroupTable {
        let key = arguments.key_or_default();
        let groups = merged_groups(parts.into_iter().flat_map(|part| part.groups), &key);
        GroupTable::of(&key, groups, arguments.max_rows_by_key())
    }
}

impl GroupReducer {
    /// A reducer without counts.
    fn new(arguments: &OutputArguments) -> GroupReducer {
        let key = arguments.key_or_default();
        let players = key.is_of_both_players().then(|| OnePlayer::by(&arguments.names));
        GroupReducer { key, players, totals: TotalsByValue::default() }
    }

    /// The counts: at most as many groups as the table has rows.
    fn counted(self, arguments: &OutputArguments, spans: &[GameSpan<'_>]) -> GroupTable {
        let max_rows = arguments.max_rows_by_key();
        let (key, is_name) = (&self.key, self.key.is_name());
        let group = |totals: &GroupTotals| Group {
            value: totals.value,
            name: key.describe(totals.value, spans, &arguments.names),
            positions: totals.positions,
            results: totals.results,
            first: totals.first_position,
        };
        let parts = self.totals.by_part(|totals| {
            let (distinct, positions) =
                (totals.len() as u64, totals.iter().map(|totals| totals.positions).sum::<u64>());
            let rows = if is_name { totals } else { first_rows(totals, max_rows, key.is_ordered()) };
            (distinct, positions, rows)
        });
        let mut table = GroupTable { key: key.name().into(), ..GroupTable::default() };
        let mut first = Vec::new();
        for (distinct, positions, rows) in parts {
            table.distinct += distinct;
            table.positions += positions;
            first.extend(rows);
        }
        if is_name {
            return GroupTable::of(key, merged_groups(first.iter().map(group), key), max_rows);
        }
        table.groups = first_rows(first, max_rows, key.is_ordered()).iter().map(group).collect();
        table
    }
}

/// The first rows of the table of values that are no names, in its order.
fn first_rows(mut totals: Vec<GroupTotals>, max_rows: usize, is_ordered: bool) -> Vec<GroupTotals> {
    let order = |a: &GroupTotals, b: &GroupTotals| match is_ordered {
        true => (a.value as i64).cmp(&(b.value as i64)),
        false => b.positions.cmp(&a.positions).then_with(|| a.value.cmp(&b.value)),
    };
    if max_rows < totals.len() && max_rows > 0 {
        totals.select_nth_unstable_by(max_rows, order);
    }
    totals.truncate(max_rows);
    sorted(totals, order)
}

/// The groups of parts of a corpus as those of the whole, in the order of a table: those of one value become one, or those of one name
/// if the values are names. Names that queries do not tell apart are one name, which is shown as the first game has it.
fn merged_groups(parts: impl Iterator<Item = Group>, key: &GroupingKey) -> Vec<Group> {
    let mut merged: BTreeMap<(u64, String), Group> = BTreeMap::new();
    for part in parts {
        let same = if key.is_name() { (0, folded_name(&part.name)) } else { (part.value, String::new()) };
        let add = |sum: &mut Group| {
            sum.value = sum.value.min(part.value);
            sum.positions += part.positions;
            sum.results.add(&part.results);
            if part.first < sum.first {
                (sum.first, sum.name) = (part.first, part.name.clone());
            }
        };
        merged.entry(same).and_modify(add).or_insert(part);
    }
    in_order(merged.into_values().collect(), key)
}

/// Groups in the order of a table.
fn in_order(groups: Vec<Group>, key: &GroupingKey) -> Vec<Group> {
    let is_ordered = key.is_ordered();
    sorted(groups, |a, b| match is_ordered {
        true => (a.value as i64).cmp(&(b.value as i64)),
        false => b.positions.cmp(&a.positions).then_with(|| (a.value, &a.name).cmp(&(b.value, &b.name))),
    })
}

impl SummaryReducer for GroupReducer {
    type Summary = GroupTable;

    fn needs(&self) -> ReplayNeeds {
        self.key.needs()
    }

    fn position(&mut self, ply: &MatchingPosition<'_>) {
        if let Some(value) = self.key.value_on_board(ply.board) {
            let (first, result) = (PositionRef { game: ply.game.id, ply: ply.ply }, ply.game.record.result() as u8);
            self.totals.add(GroupRun { value, first, positions: 1, result });
        }
    }

    fn game(&mut self, found_game: &ScanMatch<'_>, _: &OutputContext<'_>) {
        let (game, result) = (found_game.game.id, found_game.game.record.result() as u8);
        let GroupReducer { key, players, totals } = self;
        let counts_once = players.as_mut().is_some_and(|players| players.plays_both(found_game));
        let mut is_counted = false;
        key.for_each_run(found_game, |value, MatchingRun { count: positions, first: ply, .. }| {
            // A game may match without a matching position.
            if positions > 0 && !(counts_once && core::mem::replace(&mut is_counted, true)) {
                totals.add(GroupRun { value, first: PositionRef { game, ply }, positions, result });
            }
        });
    }

    fn merge(&mut self, other: Self) {
        self.totals.merge(other.totals);
    }

    fn finish(self, output: &Output, _: &OutputContext<'_>, spans: &[GameSpan<'_>]) -> GroupTable {
        self.counted(&output.arguments, spans)
    }
}
