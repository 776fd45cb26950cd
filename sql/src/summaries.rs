//! The tables of results that one scan of the whole library makes: `next_moves(…)` and `counts(…)`.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, Date32Array, Int16Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::runtime::SpawnedTask;
use datafusion::common::{exec_datafusion_err, internal_err};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use plyfold_core::corpus::ShardParts;
use plyfold_core::game::GameSpan;
use plyfold_core::reduce::groups::Group;
use plyfold_core::reduce::key::GroupingKey;
use plyfold_core::reduce::next_moves::NextMove;
use plyfold_core::reduce::result_counts::ResultCounts;
use plyfold_core::reduce::{QueryResults, ReducerSelection, run_query};

use crate::bound_query::BoundQuery;
use crate::columns::days_since_1970;
use crate::fold_exec::common_methods;
use crate::library::SharedLibrary;
use crate::loaded_shard::{LoadedShard, ShardNeeds};

/// Which table is made.
#[derive(Clone, Debug)]
pub(crate) enum Summary {
    /// How games continued from matching positions.
    NextMoves,
    /// Matching positions and their games by a key.
    Counts(GroupingKey),
}

/// A table of results.
#[derive(Clone, Debug)]
pub(crate) struct SummaryTable {
    pub library: SharedLibrary,
    pub query: Arc<BoundQuery>,
    pub summary: Summary,
}

impl Summary {
    fn name(&self) -> String {
        match self {
            Summary::NextMoves => "next moves".into(),
            Summary::Counts(key) => format!("counts by {}", key.name()),
        }
    }

    pub fn schema(&self) -> SchemaRef {
        let text = |name: &str| Field::new(name, DataType::Utf8, true);
        let number = |name: &&str| Field::new(*name, DataType::Int64, true);
        let fields: Vec<Field> = match self {
            Summary::NextMoves => {
                let numbers = ["games", "times", "white", "draw", "black", "unknown", "average_elo", "performance"];
                let texts = [text("san"), text("uci")].into_iter();
                let last = [("last_played", DataType::Date32), ("last_year", DataType::Int16)];
                let last = last.map(|(name, kind)| Field::new(name, kind, true));
                texts.chain(numbers.iter().map(number)).chain(last).collect()
            }
            Summary::Counts(_) => {
                let numbers = ["positions", "games", "white", "draw", "black", "unknown", "first_game", "first_ply"];
                [text("key")].into_iter().chain(numbers.iter().map(number)).collect()
            }
        };
        Arc::new(Schema::new(fields))
    }

    /// What is read of the games beside what the query reads.
    pub fn parts(&self) -> ShardParts {
        match self {
            Summary::NextMoves => ShardParts::MOVES,
            // A key can be anything.
            Summary::Counts(_) => ShardParts::ALL,
        }
    }

    pub fn selection(&self) -> ReducerSelection {
        match self {
            Summary::NextMoves => ReducerSelection { next_moves: true, ..ReducerSelection::default() },
            Summary::Counts(key) => {
                ReducerSelection { groups: vec![(key.clone(), usize::MAX)], ..ReducerSelection::default() }
            }
        }
    }

    fn batch(&self, results: QueryResults, spans: &[GameSpan<'_>]) -> Result<RecordBatch> {
        let columns = match self {
            Summary::NextMoves => {
                let moves = results.next_moves.unwrap_or_default().moves;
                next_move_columns(&moves, &written_moves(&moves, spans))
            }
            Summary::Counts(_) => count_columns(results.groups.first().map_or(&[][..], |table| &table.groups)),
        };
        Ok(RecordBatch::try_new(self.schema(), columns)?)
    }
}

fn numbers(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<Int64Array>())
}

/// Games won by White, drawn, won by Black, and without a result.
fn result_columns<'r>(counts: impl Iterator<Item = &'r ResultCounts> + Clone) -> impl Iterator<Item = ArrayRef> {
    (0..4).map(move |nth| numbers(counts.clone().map(|counts| Some(counts.in_columns()[nth] as i64))))
}

/// A move in SAN and in UCI.
pub(crate) type WrittenMove = (String, String);

/// The moves as they are written after the first position of each.
pub(crate) fn written_moves(moves: &[NextMove], spans: &[GameSpan<'_>]) -> Vec<Option<WrittenMove>> {
    moves.iter().map(|next| next.notation(spans).map(|written| (written.san, written.uci))).collect()
}

/// The columns of `next_moves(…)`.
pub(crate) fn next_move_columns(moves: &[NextMove], written: &[Option<WrittenMove>]) -> Vec<ArrayRef> {
    let san = written.iter().map(|one| one.as_ref().map(|(san, _)| san)).collect::<StringArray>();
    let uci = written.iter().map(|one| one.as_ref().map(|(_, uci)| uci)).collect::<StringArray>();
    let dates = moves.iter().map(|next| days_since_1970(next.last_played));
    let years = moves.iter().map(|next| Some(next.last_played.year() as i16).filter(|&year| year != 0));
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(san),
        Arc::new(uci),
        numbers(moves.iter().map(|next| Some(next.results.games() as i64))),
        numbers(moves.iter().map(|next| Some(next.times as i64))),
    ];
    columns.extend(result_columns(moves.iter().map(|next| &next.results)));
    columns.push(numbers(moves.iter().map(|next| next.rating.map(i64::from))));
    columns.push(numbers(moves.iter().map(|next| next.performance)));
    columns.push(Arc::new(dates.collect::<Date32Array>()));
    columns.push(Arc::new(years.collect::<Int16Array>()));
    columns
}

/// The columns of `counts(…)`.
pub(crate) fn count_columns(groups: &[Group]) -> Vec<ArrayRef> {
    let names = groups.iter().map(|group| Some(&*group.name)).collect::<StringArray>();
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(names),
        numbers(groups.iter().map(|group| Some(group.positions as i64))),
        numbers(groups.iter().map(|group| Some(group.results.games() as i64))),
    ];
    columns.extend(result_columns(groups.iter().map(|group| &group.results)));
    columns.push(numbers(groups.iter().map(|group| Some(group.first.game.number() as i64))));
    columns.push(numbers(groups.iter().map(|group| Some(i64::from(group.first.ply.0)))));
    columns
}

impl SummaryTable {
    /// A table of results of a query.
    pub fn new(library: SharedLibrary, query: BoundQuery, summary: Summary) -> SummaryTable {
        SummaryTable { library, query: Arc::new(query), summary }
    }

    fn compute(&self) -> Result<RecordBatch> {
        let selection = self.summary.selection();
        let needs = ShardNeeds::of_scan(&self.query, true, self.summary.parts());
        let shards = self.library.load_all(&needs)?;
        let spans: Vec<GameSpan<'_>> = shards.iter().map(LoadedShard::span).collect();
        let found = run_query(&spans, &self.query.query, &selection, &self.library.progress);
        self.summary.batch(found.map_err(|error| exec_datafusion_err!("{error}"))?, &spans)
    }
}

#[async_trait]
impl TableProvider for SummaryTable {
    fn schema(&self) -> SchemaRef {
        self.summary.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(SummaryExec::new(self.clone(), projection.cloned())?))
    }
}

/// Makes a table of results, on all threads, as one record batch.
#[derive(Debug)]
pub(crate) struct SummaryExec {
    pub table: SummaryTable,
    pub projection: Vec<usize>,
    properties: Arc<PlanProperties>,
}

impl SummaryExec {
    fn new(table: SummaryTable, projection: Option<Vec<usize>>) -> Result<SummaryExec> {
        let schema = table.schema();
        let projection = projection.unwrap_or_else(|| (0..schema.fields().len()).collect());
        let properties = table_properties(schema.project(&projection)?);
        Ok(SummaryExec { table, projection, properties })
    }
}

/// What DataFusion may know of a table of results.
pub(crate) fn table_properties(schema: Schema) -> Arc<PlanProperties> {
    Arc::new(PlanProperties::new(
        EquivalenceProperties::new(Arc::new(schema)),
        Partitioning::UnknownPartitioning(1),
        EmissionType::Final,
        Boundedness::Bounded,
    ))
}

impl DisplayAs for SummaryExec {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SummaryTable { library, query, summary } = &self.table;
        write!(out, "SummaryExec: {} of {}, query={}", summary.name(), library.address(), query.text)
    }
}

impl ExecutionPlan for SummaryExec {
    common_methods!("SummaryExec");

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if !children.is_empty() {
            return internal_err!("SummaryExec has no children");
        }
        Ok(self)
    }

    fn execute(&self, _: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (table, projection) = (self.table.clone(), self.projection.clone());
        let computed = async move {
            let made = SpawnedTask::spawn_blocking(move || table.compute()).await;
            let batch = made.map_err(|error| exec_datafusion_err!("{error}"))??;
            Ok(batch.project(&projection)?)
        };
        let stream = futures::stream::once(computed);
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), stream)))
    }
}
