//! `next_moves(…)` and `counts(…)` on a cluster: each task sums the results of its shards, and one task merges the sums.
//!
//! The merged table is the one that a scan of the whole library makes, row by row in the same order. A game lies in one shard, so no
//! sum counts it twice.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray, UInt32Array, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type, UInt64Type};
use datafusion::common::{exec_datafusion_err, internal_err};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::Distribution;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
};
use futures::TryStreamExt;
use plyfold_core::game::{GameId, GameSpan, Ply};
use plyfold_core::headers::Date;
use plyfold_core::keys::parse_key;
use plyfold_core::moves::Move;
use plyfold_core::reduce::groups::{Group, merged_groups};
use plyfold_core::reduce::matching_positions::PositionRef;
use plyfold_core::reduce::next_moves::{NextMove, RatingSums, merged_moves};
use plyfold_core::reduce::result_counts::ResultCounts;
use plyfold_core::reduce::{QueryResults, run_query};

use super::message::ScanOutput;
use super::sentence;
use crate::bound_query::BoundQuery;
use crate::fold_exec::common_methods;
use crate::loaded_shard::{LoadedShard, ShardNeeds};
use crate::session::SessionLibraries;
use crate::summaries::{Summary, WrittenMove, count_columns, next_move_columns, table_properties, written_moves};

/// The table that an output is merged to; none if its rows need no merging.
///
/// # Errors
///
/// The key cannot be read.
pub(crate) fn summary_of(output: &ScanOutput) -> Result<Option<Summary>> {
    Ok(match output {
        ScanOutput::Games | ScanOutput::Positions => None,
        ScanOutput::NextMoves => Some(Summary::NextMoves),
        ScanOutput::Counts(key) => Some(Summary::Counts(
            parse_key(key).map_err(|error| sentence::failure(format!("the key {key}: {}", error.message)))?,
        )),
    })
}

/// The columns of sums: texts, then numbers.
pub(crate) fn sums_schema(summary: &Summary) -> SchemaRef {
    let (texts, numbers): (&[&str], &[&str]) = match summary {
        Summary::NextMoves => {
            (&["san", "uci", "last_played"], &["times", "rated", "rating_sum", "score", "decided", "opponent_sum"])
        }
        Summary::Counts(_) => (&["name"], &["positions"]),
    };
    let text = texts.iter().map(|name| Field::new(*name, DataType::Utf8, true));
    let number = numbers.iter().map(|name| Field::new(*name, DataType::UInt64, false));
    let small = |name: &&str| Field::new(*name, DataType::UInt32, false);
    let value = Field::new("value", DataType::UInt64, false);
    let shared = ["white", "black", "draw", "unknown", "first_game", "first_ply"];
    Arc::new(Schema::new(
        [value].into_iter().chain(text).chain(number).chain(shared.iter().map(small)).collect::<Vec<_>>(),
    ))
}

/// The sums of some shards, on one thread.
///
/// # Errors
///
/// The statement has been cancelled, or a thread cannot be started.
pub(crate) fn sums_of_shards(
    summary: &Summary,
    libraries: &SessionLibraries,
    query: &Arc<BoundQuery>,
    shards: Range<usize>,
) -> Result<RecordBatch> {
    let library = &libraries.main;
    let mut selection = summary.selection();
    selection.groups.iter_mut().for_each(|(key, _)| key.bind_tables(&libraries.bound_tables()));
    let needs = ShardNeeds::of_scan(query, true, summary.parts());
    // A task has one core of its executor, whatever the machine has.
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| exec_datafusion_err!("{error}"))?;
    let shards = pool.install(|| library.load_shards(shards.collect(), &needs))?;
    let spans: Vec<GameSpan<'_>> = shards.iter().map(LoadedShard::span).collect();
    let results = pool.install(|| run_query(&spans, &query.query, &selection, &library.progress));
    let results = results.map_err(|error| exec_datafusion_err!("{error}"))?;
    let columns = match summary {
        Summary::NextMoves => {
            let moves = results.next_moves.unwrap_or_default().moves;
            move_sums(&moves, &written_moves(&moves, &spans))
        }
        Summary::Counts(_) => group_sums(results),
    };
    Ok(RecordBatch::try_new(sums_schema(summary), columns)?)
}

fn numbers(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

fn texts<'t>(values: impl Iterator<Item = Option<&'t str>>) -> ArrayRef {
    Arc::new(values.collect::<StringArray>())
}

/// Games by result, and the first position.
fn shared_columns<'r>(rows: impl Iterator<Item = (&'r ResultCounts, PositionRef)> + Clone) -> Vec<ArrayRef> {
    let small = |values: Vec<u32>| Arc::new(UInt32Array::from(values)) as ArrayRef;
    let counts = |nth: usize| small(rows.clone().map(|(results, _)| results.counts()[nth]).collect());
    let firsts = [
        small(rows.clone().map(|(_, first)| first.game.0).collect()),
        small(rows.clone().map(|(_, first)| first.ply.0).collect()),
    ];
    (0..4).map(counts).chain(firsts).collect()
}

fn move_sums(moves: &[NextMove], written: &[Option<WrittenMove>]) -> Vec<ArrayRef> {
    let dates: Vec<String> = moves.iter().map(|next| next.last_played.to_string()).collect();
    let sums = |of: fn(&RatingSums) -> u64| numbers(moves.iter().map(|next| of(&next.rating_sums)));
    let mut columns = vec![
        numbers(moves.iter().map(|next| next.mv.bits().into())),
        texts(written.iter().map(|one| one.as_ref().map(|(san, _)| &**san))),
        texts(written.iter().map(|one| one.as_ref().map(|(_, uci)| &**uci))),
        texts(dates.iter().map(|date| Some(&**date))),
        numbers(moves.iter().map(|next| next.times)),
        sums(|sums| sums.games),
        sums(|sums| sums.own),
        sums(|sums| sums.score),
        sums(|sums| sums.decided),
        sums(|sums| sums.others_decided),
    ];
    columns.extend(shared_columns(moves.iter().map(|next| (&next.results, next.first))));
    columns
}

fn group_sums(results: QueryResults) -> Vec<ArrayRef> {
    let groups = results.groups.into_iter().next().unwrap_or_default().groups;
    let mut columns = vec![
        numbers(groups.iter().map(|group| group.value)),
        texts(groups.iter().map(|group| Some(&*group.name))),
        numbers(groups.iter().map(|group| group.positions)),
    ];
    columns.extend(shared_columns(groups.iter().map(|group| (&group.results, group.first))));
    columns
}

/// A row of sums.
struct SumsRow<'a> {
    batch: &'a RecordBatch,
    row: usize,
}

impl SumsRow<'_> {
    fn number(&self, column: usize) -> u64 {
        self.batch.column(column).as_primitive::<UInt64Type>().value(self.row)
    }

    fn text(&self, column: usize) -> Option<&str> {
        let column = self.batch.column(column).as_string::<i32>();
        column.is_valid(self.row).then(|| column.value(self.row))
    }

    fn small(&self, column: usize) -> u32 {
        self.batch.column(column).as_primitive::<UInt32Type>().value(self.row)
    }

    /// Games by result, and the first position: the last six columns.
    fn shared(&self) -> (ResultCounts, PositionRef) {
        let at = self.batch.num_columns() - 6;
        let first = PositionRef { game: GameId(self.small(at + 4)), ply: Ply(self.small(at + 5)) };
        (ResultCounts::from_counts([0, 1, 2, 3].map(|nth| self.small(at + nth))), first)
    }

    fn next_move(&self) -> NextMove {
        let (results, first) = self.shared();
        let rating_sums = RatingSums {
            games: self.number(5),
            own: self.number(6),
            score: self.number(7),
            decided: self.number(8),
            others_decided: self.number(9),
        };
        NextMove {
            mv: Move::from_bits(self.number(0) as u16),
            times: self.number(4),
            results,
            first,
            last_played: self.text(3).map(Date::from_pgn).unwrap_or_default(),
            rating: rating_sums.average(),
            performance: rating_sums.performance(),
            rating_sums,
        }
    }

    fn written_move(&self) -> Option<WrittenMove> {
        self.text(1).map(str::to_owned).zip(self.text(2).map(str::to_owned))
    }

    fn group(&self) -> Group {
        let (results, first) = self.shared();
        let name = self.text(1).unwrap_or_default().to_owned();
        Group { value: self.number(0), name, positions: self.number(2), results, first }
    }
}

fn rows(batches: &[RecordBatch]) -> impl Iterator<Item = SumsRow<'_>> {
    batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| SumsRow { batch, row }))
}

/// The table of results of all sums.
fn merged(summary: &Summary, batches: &[RecordBatch]) -> Result<RecordBatch> {
    let columns = match summary {
        Summary::NextMoves => {
            let moves = merged_moves(rows(batches).map(|row| row.next_move()));
            // A move is written as after its first position.
            let written: BTreeMap<_, _> =
                rows(batches).map(|row| ((row.number(0), row.shared().1), row.written_move())).collect();
            let written = moves.iter().map(|next| written[&(u64::from(next.mv.bits()), next.first)].clone());
            next_move_columns(&moves, &written.collect::<Vec<_>>())
        }
        Summary::Counts(key) => count_columns(&merged_groups(rows(batches).map(|row| row.group()), key)),
    };
    Ok(RecordBatch::try_new(summary.schema(), columns)?)
}

/// Merges the sums of all tasks.
#[derive(Debug)]
pub(crate) struct MergeSummaryExec {
    pub input: Arc<dyn ExecutionPlan>,
    pub output: ScanOutput,
    pub projection: Vec<usize>,
    summary: Summary,
    properties: Arc<PlanProperties>,
}

impl MergeSummaryExec {
    /// Merges the sums of an operator with one partition.
    ///
    /// # Errors
    ///
    /// The output needs no merging, its key cannot be read, or it has not so many columns.
    pub fn new(input: Arc<dyn ExecutionPlan>, output: ScanOutput, projection: Vec<usize>) -> Result<MergeSummaryExec> {
        let Some(summary) = summary_of(&output)? else {
            return internal_err!("rows of {output:?} are not merged");
        };
        let properties = table_properties(summary.schema().project(&projection)?);
        Ok(MergeSummaryExec { input, output, projection, summary, properties })
    }
}

impl DisplayAs for MergeSummaryExec {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "MergeSummaryExec: {:?}", self.output)
    }
}

impl ExecutionPlan for MergeSummaryExec {
    common_methods!("MergeSummaryExec");

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(input), true) = (children.pop(), children.is_empty()) else {
            return internal_err!("MergeSummaryExec has one child");
        };
        Ok(Arc::new(MergeSummaryExec::new(input, self.output.clone(), self.projection.clone())?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let sums = self.input.execute(partition, context)?;
        let (summary, projection) = (self.summary.clone(), self.projection.clone());
        let table = async move {
            let batches: Vec<RecordBatch> = sums.try_collect().await?;
            Ok(merged(&summary, &batches)?.project(&projection)?)
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), futures::stream::once(table))))
    }
}
