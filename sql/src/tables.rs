//! The tables of games and of positions: `games`, `search(…)` and `positions(…)`.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use plyfold_core::scan::tables::BoundTables;

use crate::bound_query::BoundQuery;
use crate::columns::GAMES_SCHEMA;
use crate::fold_exec::FoldExec;
use crate::library::SharedLibrary;
use crate::position_rows::POSITIONS_SCHEMA;
use crate::pushdown::{PushedFilter, translate};
use crate::shard_rows::FoldOutput;

/// The games or positions of a library that match a query.
#[derive(Debug)]
pub(crate) struct FoldTable {
    library: SharedLibrary,
    query: BoundQuery,
    output: FoldOutput,
    endgame_tables: BoundTables,
}

impl FoldTable {
    /// A table of what matches; its query asks these endgame tables.
    pub fn new(
        library: SharedLibrary,
        query: BoundQuery,
        output: FoldOutput,
        endgame_tables: BoundTables,
    ) -> FoldTable {
        FoldTable { library, query, output, endgame_tables }
    }

    /// What becomes of each condition: its translation if the scan tests it.
    fn pushed(&self, filters: &[&Expr]) -> Vec<Option<PushedFilter>> {
        // Conditions of games would also select positions.
        if self.output == FoldOutput::Positions {
            return filters.iter().map(|_| None).collect();
        }
        let mut texts: Vec<String> = Vec::new();
        let mut push = |filter: &&Expr| {
            let pushed = translate(filter)?;
            // A mistake in the text of `matches` is reported when the plan is made; other texts are never wrong, but can be too many.
            let all = texts.iter().map(String::as_str).chain([pushed.text.as_str()]);
            self.query.with_conditions(all, &self.library, &self.endgame_tables).ok()?;
            texts.push(pushed.text.clone());
            Some(pushed)
        };
        filters.iter().map(&mut push).collect()
    }
}

#[async_trait]
impl TableProvider for FoldTable {
    fn schema(&self) -> SchemaRef {
        match self.output {
            FoldOutput::Games => GAMES_SCHEMA.clone(),
            FoldOutput::Positions => POSITIONS_SCHEMA.clone(),
        }
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        let unsupported = TableProviderFilterPushDown::Unsupported;
        let kind = |pushed: Option<PushedFilter>| pushed.map_or(unsupported.clone(), |pushed| pushed.kind());
        Ok(self.pushed(filters).into_iter().map(kind).collect())
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = self.schema();
        let projection = projection.cloned().unwrap_or_else(|| (0..schema.fields().len()).collect());
        let schema = Arc::new(schema.project(&projection)?);
        let pushed = self.pushed(&filters.iter().collect::<Vec<_>>());
        let texts = pushed.iter().flatten().map(|pushed| pushed.text.as_str());
        let query = self.query.with_conditions(texts, &self.library, &self.endgame_tables)?;
        let partitions = state.config().target_partitions();
        let fold = FoldExec::new(self.library.clone(), query, self.output, (schema, projection), partitions);
        Ok(Arc::new(fold.with_limit(limit)))
    }
}
