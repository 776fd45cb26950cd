//! Outputs: what a query makes of its matches, each a table. An output is a file and a line in [`OUTPUTS`].
//!
//! ```text
//! OutputDefinition ─ arguments ─► Output ─ scan ─► reducer ─ finish ─► summary ─► table
//!                                                                    ▲ merge
//!                                                      partial states of other shards
//! ```

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

use plyfold_scan::game::{GameSpan, ShardParts};
use plyfold_scan::scan::Query;
use plyfold_scan::scan::fold;
use plyfold_scan::scan::reducer::{MatchingPosition, Reducer, ScanMatch};
use plyfold_scan::scan::replay_needs::ReplayNeeds;
use plyfold_scan::scan::tables::BoundTables;

use super::game_set::GameSet;
use super::key::GroupingKey;
use super::move_name::ChosenMove;
use super::partial_state::PartialState;
use super::partition::{PartitionLimit, PartitionRule};
#[cfg(feature = "partial-states")]
use super::result_table::ResultColumn;
use super::result_table::ResultTable;
use super::shown_names::ShownNames;
use super::{
    castlings, endgames, features, groups, heatmap, manoeuvres, next_moves, novelties, partition, standings, structures,
};

/// Every output, in the order in which results list them. To add one, add a file and a line here.
pub static OUTPUTS: &[&OutputDefinition] = &[
    &heatmap::HEATMAP,
    &structures::STRUCTURES,
    &groups::COUNTS,
    &partition::PARTITION,
    &next_moves::NEXT_MOVES,
    &endgames::ENDGAMES,
    &castlings::CASTLINGS,
    &standings::STANDINGS,
    &novelties::NOVELTIES,
    &manoeuvres::MANOEUVRES,
    &features::FEATURES,
];

/// What an output is, and how it is made.
pub struct OutputDefinition {
    /// The name of its table, also as a function of SQL.
    pub name: &'static str,
    /// The option of a command line and the key of a plan that ask for it.
    pub option: &'static str,
    /// What it shows, as a sentence without its full stop.
    pub summary: &'static str,
    /// What stands above its table.
    pub title: &'static str,
    /// What the columns mean, if their names do not say it.
    pub legend: Option<&'static str>,
    /// What it takes beside the query.
    pub argument: OutputArgument,
    /// Whether it is made of the matching positions, and not only of the matching games.
    pub takes_positions: fn(&OutputArguments) -> bool,
    /// Whether endgame tables judge it.
    pub asks_tables: bool,
    /// What it reads of the games beside what the query reads.
    pub parts: fn(&OutputArguments) -> ShardParts,
    /// Makes a reducer without matches.
    pub(super) reducer: fn(&OutputArguments, &OutputContext<'_>) -> Box<dyn AnyReducer>,
    /// How its summaries are written and merged.
    #[cfg_attr(not(feature = "partial-states"), expect(dead_code, reason = "it holds nothing then"))]
    pub(super) partial_states: PartialStates,
}

/// What an output takes beside the query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputArgument {
    /// Nothing; if its table is long, it has as many rows as other long tables.
    Nothing,
    /// The most rows, of which this many are usual.
    Maximum(usize),
    /// A key.
    Key,
    /// A key, and the [rule](PartitionRule) that says which position of a game decides.
    KeyWithRule,
}

/// The values that an output takes.
#[derive(Clone, PartialEq, Debug)]
pub struct OutputArguments {
    /// The key; only outputs that take one have it.
    pub key: Option<GroupingKey>,
    /// Which position of a game decides its value of the key.
    pub rule: PartitionRule,
    /// Which sets of games a partition builds.
    pub sets: PartitionLimit,
    /// The most rows of the table. If the key has an order of its own, the table has all rows.
    pub max_rows: usize,
    /// The tables that judge.
    pub tables: BoundTables,
    /// Names that are shown for others.
    pub names: ShownNames,
    /// A move, of which next moves also tell the games that continued with it.
    pub chosen: Option<ChosenMove>,
}

impl Default for OutputArguments {
    fn default() -> OutputArguments {
        OutputArguments {
            key: None,
            rule: PartitionRule::default(),
            sets: PartitionLimit::Largest(0),
            max_rows: usize::MAX,
            tables: BoundTables::default(),
            names: ShownNames::default(),
            chosen: None,
        }
    }
}

impl OutputArguments {
    /// The key, or the ply if none was given.
    pub(super) fn key_or_default(&self) -> GroupingKey {
        self.key.clone().unwrap_or_default()
    }

    /// The most rows of a table by the key.
    pub(super) fn max_rows_by_key(&self) -> usize {
        if self.key.as_ref().is_some_and(GroupingKey::is_ordered) { usize::MAX } else { self.max_rows }
    }

    /// The key as a text that can be read again, with its rule if that is not the usual one.
    pub fn text(&self) -> Option<String> {
        let key = self.key.as_ref()?.name();
        let rule = PartitionRule::NAMED.iter().find(|(_, rule)| *rule == self.rule).map_or("", |(name, _)| name);
        Some(if self.rule == PartitionRule::default() { key.into() } else { [key, ":", rule].concat() })
    }
}

/// An output with its arguments.
#[derive(Clone)]
pub struct Output {
    /// Which output it is.
    pub definition: &'static OutputDefinition,
    /// Its arguments.
    pub arguments: OutputArguments,
}

impl OutputDefinition {
    /// The output with this name.
    pub fn named(name: &str) -> Option<&'static OutputDefinition> {
        OUTPUTS.iter().copied().find(|output| output.name == name)
    }

    /// The output with all its rows.
    pub fn output(&'static self) -> Output {
        Output { definition: self, arguments: OutputArguments::default() }
    }

    /// The output by a key, with all its rows.
    pub fn by(&'static self, key: GroupingKey) -> Output {
        self.with(OutputArguments { key: Some(key), ..OutputArguments::default() })
    }

    /// The output with these arguments.
    pub fn with(&'static self, arguments: OutputArguments) -> Output {
        Output { definition: self, arguments }
    }
}

impl Output {
    /// What it reads of a shard beside what the query reads.
    pub fn parts(&self) -> ShardParts {
        (self.definition.parts)(&self.arguments)
    }

    /// The output with at most so many rows.
    #[must_use]
    pub fn most(mut self, max_rows: usize) -> Output {
        self.arguments.max_rows = max_rows;
        self
    }

    /// The output as these tables judge it.
    #[must_use]
    pub fn judged_by(mut self, tables: &BoundTables) -> Output {
        self.arguments.tables = tables.clone();
        if let Some(key) = &mut self.arguments.key {
            key.bind_tables(tables);
        }
        self
    }

    /// The output with names that are shown for others.
    #[must_use]
    pub fn showing(mut self, names: &ShownNames) -> Output {
        self.arguments.names = names.clone();
        self
    }

    /// The output by a key of the position that this rule says.
    #[must_use]
    pub fn ruled_by(mut self, rule: PartitionRule) -> Output {
        self.arguments.rule = rule;
        self
    }

    /// The output with these sets of games.
    #[must_use]
    pub fn with_sets(mut self, sets: PartitionLimit) -> Output {
        self.arguments.sets = sets;
        self
    }

    /// The output that also tells the games that continued with this move.
    #[must_use]
    pub fn with_chosen(mut self, chosen: ChosenMove) -> Output {
        self.arguments.chosen = Some(chosen);
        self
    }

    /// Whether the output is made of the matching positions, and not only of the matching games.
    pub fn takes_positions(&self) -> bool {
        (self.definition.takes_positions)(&self.arguments)
    }

    /// The result of several [partial states](OutputResult::partial_state), each made for its games by an output with all its rows.
    /// None if one of them is not such a state.
    #[cfg(feature = "partial-states")]
    pub fn merged(&self, partial_states: &[&[u8]]) -> Option<OutputResult> {
        let summary = (self.definition.partial_states.merge)(partial_states, &self.arguments)?;
        Some(OutputResult { output: self.clone(), summary })
    }

    /// The columns of the table, whatever is found.
    #[cfg(feature = "partial-states")]
    pub fn columns(&self) -> Vec<ResultColumn> {
        self.merged(&[]).map_or_else(Vec::new, |nothing| nothing.table().columns)
    }

    /// A reducer without matches.
    pub fn reducer<'a>(&'a self, context: OutputContext<'a>) -> OutputReducer<'a> {
        OutputReducer { reducer: (self.definition.reducer)(&self.arguments, &context), output: self, context }
    }
}

impl PartialEq for Output {
    fn eq(&self, other: &Output) -> bool {
        self.definition.name == other.definition.name && self.arguments == other.arguments
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {:?}", self.definition.name, self.arguments)
    }
}

/// An output as a scan made it.
#[derive(Clone)]
pub struct OutputResult {
    /// The output.
    pub output: Output,
    /// What it found.
    pub summary: AnySummary,
}

impl OutputResult {
    /// The result as a table.
    pub fn table(&self) -> ResultTable<'_> {
        self.summary.table(&self.output.arguments)
    }

    /// The rows as bytes, which [`Output::merged`] reads.
    #[cfg(feature = "partial-states")]
    pub fn partial_state(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        (self.output.definition.partial_states.write)(&*self.summary, &mut bytes);
        bytes
    }

    /// What the output found, if it is of this type.
    pub fn of_type<S: Summary>(&self) -> Option<&S> {
        (&*self.summary as &dyn Any).downcast_ref()
    }
}

#[cfg(feature = "partial-states")]
impl PartialEq for OutputResult {
    fn eq(&self, other: &OutputResult) -> bool {
        let are_same = self.output.definition.partial_states.are_same;
        self.output == other.output && are_same(&*self.summary, &*other.summary)
    }
}

impl fmt::Debug for OutputResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {:?}", self.output, self.table())
    }
}

/// What reducers know of the scan.
#[derive(Clone, Copy)]
pub struct OutputContext<'a> {
    /// The query.
    pub(super) query: &'a Query,
    /// The games that are scanned; none for all.
    pub(super) within: Option<&'a GameSet>,
    /// One more than the highest number of a game.
    pub(super) games: u32,
    /// The number of threads, which share the memory.
    pub(super) threads: usize,
}

impl<'a> OutputContext<'a> {
    /// The scan of these games, or of those within the set, for a query.
    pub fn new(query: &'a Query, within: Option<&'a GameSet>, spans: &[GameSpan<'_>]) -> OutputContext<'a> {
        OutputContext { query, within, games: super::games_of(spans), threads: fold::threads() }
    }
}

/// What an output found: its rows, which become a table or a drawing.
pub trait Summary: PartialState + PartialEq + Send + Sync + 'static {
    /// The rows as a table.
    fn table(&self, arguments: &OutputArguments) -> ResultTable<'_>;

    /// Returns what was found in the games of all parts, each of which has all its rows; nothing without a part.
    fn merged(parts: Vec<Self>, arguments: &OutputArguments) -> Self;
}

/// A summary of any type, shared.
pub type AnySummary = Arc<dyn OutputSummary>;

/// A [`Summary`] of any type.
pub trait OutputSummary: Any + Send + Sync {
    /// The rows as a table.
    fn table(&self, arguments: &OutputArguments) -> ResultTable<'_>;
}

impl<S: Summary> OutputSummary for S {
    fn table(&self, arguments: &OutputArguments) -> ResultTable<'_> {
        Summary::table(self, arguments)
    }
}

/// How the summaries of an output are written to bytes, merged and compared. Programs that run on one machine, as the page does, leave
/// it out.
pub(super) struct PartialStates {
    #[cfg(feature = "partial-states")]
    write: fn(&dyn OutputSummary, &mut Vec<u8>),
    #[cfg(feature = "partial-states")]
    merge: fn(&[&[u8]], &OutputArguments) -> Option<AnySummary>,
    #[cfg(feature = "partial-states")]
    are_same: fn(&dyn OutputSummary, &dyn OutputSummary) -> bool,
}

impl PartialStates {
    /// Those of summaries of this type.
    #[cfg_attr(
        not(feature = "partial-states"),
        expect(clippy::extra_unused_type_parameters, reason = "it holds nothing of them then")
    )]
    pub const fn of<S: Summary>() -> PartialStates {
        PartialStates {
            #[cfg(feature = "partial-states")]
            write: |summary, out| {
                if let Some(summary) = (summary as &dyn Any).downcast_ref::<S>() {
                    summary.write(out);
                }
            },
            #[cfg(feature = "partial-states")]
            merge: merged::<S>,
            #[cfg(feature = "partial-states")]
            are_same: |one, other| {
                let [one, other] = [one, other].map(|summary| (summary as &dyn Any).downcast_ref::<S>());
                one.is_some() && one == other
            },
        }
    }
}

/// Merges partial states that are summaries of one type.
#[cfg(feature = "partial-states")]
fn merged<S: Summary>(states: &[&[u8]], arguments: &OutputArguments) -> Option<AnySummary> {
    let read = |state: &&[u8]| {
        let mut bytes = *state;
        S::read(&mut bytes).filter(|_| bytes.is_empty())
    };
    let parts = states.iter().map(read).collect::<Option<Vec<S>>>()?;
    Some(Arc::new(S::merged(parts, arguments)))
}

/// A reducer whose results are a summary; see [`Reducer`] for what its functions get.
pub(super) trait SummaryReducer: Send + 'static {
    /// What it finds.
    type Summary: Summary;

    fn needs(&self) -> ReplayNeeds {
        ReplayNeeds::NONE
    }

    fn position(&mut self, position: &MatchingPosition<'_>) {
        let _ = position;
    }

    fn game(&mut self, found_game: &ScanMatch<'_>, context: &OutputContext<'_>);

    fn merge(&mut self, other: Self);

    /// What was found in these games.
    fn finish(self, output: &Output, context: &OutputContext<'_>, spans: &[GameSpan<'_>]) -> Self::Summary;
}

/// A [`SummaryReducer`] of any type: its calls, one a game, cost nothing beside the game.
pub(super) trait AnyReducer: Any + Send {
    fn needs(&self) -> ReplayNeeds;
    fn position(&mut self, position: &MatchingPosition<'_>);
    fn game(&mut self, found_game: &ScanMatch<'_>, context: &OutputContext<'_>);
    fn merge(&mut self, other: Box<dyn AnyReducer>);
    fn finish(self: Box<Self>, output: &Output, context: &OutputContext<'_>, spans: &[GameSpan<'_>]) -> AnySummary;
}

impl<R: SummaryReducer> AnyReducer for R {
    fn needs(&self) -> ReplayNeeds {
        SummaryReducer::needs(self)
    }

    fn position(&mut self, position: &MatchingPosition<'_>) {
        SummaryReducer::position(self, position);
    }

    fn game(&mut self, found_game: &ScanMatch<'_>, context: &OutputContext<'_>) {
        SummaryReducer::game(self, found_game, context);
    }

    fn merge(&mut self, other: Box<dyn AnyReducer>) {
        // The reducers of one output have one type.
        if let Ok(other) = (other as Box<dyn Any>).downcast::<R>() {
            SummaryReducer::merge(self, *other);
        }
    }

    fn finish(self: Box<Self>, output: &Output, context: &OutputContext<'_>, spans: &[GameSpan<'_>]) -> AnySummary {
        Arc::new(SummaryReducer::finish(*self, output, context, spans))
    }
}

/// The reducer of an output.
pub struct OutputReducer<'a> {
    reducer: Box<dyn AnyReducer>,
    output: &'a Output,
    context: OutputContext<'a>,
}

impl OutputReducer<'_> {
    /// What was found in these games.
    pub fn finish(self, spans: &[GameSpan<'_>]) -> OutputResult {
        let summary = self.reducer.finish(self.output, &self.context, spans);
        OutputResult { output: self.output.clone(), summary }
    }
}

impl Reducer for OutputReducer<'_> {
    const NEEDS_BOARDS: bool = true;

    fn needs(&self) -> ReplayNeeds {
        self.reducer.needs()
    }

    fn position(&mut self, position: &MatchingPosition<'_>) {
        self.reducer.position(position);
    }

    fn game(&mut self, found_game: &ScanMatch<'_>) {
        self.reducer.game(found_game, &self.context);
    }

    fn merge(&mut self, other: Self) {
        self.reducer.merge(other.reducer);
    }
}
