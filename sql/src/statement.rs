//! Which statements a session runs: they read the library and the files that are named beside them, and change nothing but views and tables
//! in memory that statements themselves have made.

use datafusion::common::TableReference;
use datafusion::common::tree_node::{TreeNodeRecursion, TreeNodeVisitor};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{DdlStatement, LogicalPlan, Statement};
use datafusion::prelude::{DataFrame, SessionContext};
use datafusion::sql::parser::DFParser;

use crate::error::SqlFailure;
use crate::session::LIBRARY_TABLE;

/// Runs all statements of a text but the last, and begins the last, whose rows are computed when they are read.
///
/// # Errors
///
/// There is no statement, one has a mistake or fails, or one would write a file or change the library.
pub async fn run_statements(context: &SessionContext, text: &str) -> Result<DataFrame> {
    let mut statements = DFParser::parse_sql(text)?;
    let Some(last) = statements.pop_back() else {
        return Err(SqlFailure::usage("there is no statement"));
    };
    for statement in statements {
        let plan = context.state().statement_to_plan(statement).await?;
        run_plan(context, plan).await?.collect().await?;
    }
    let plan = context.state().statement_to_plan(last).await?;
    run_plan(context, plan).await
}

async fn run_plan(context: &SessionContext, plan: LogicalPlan) -> Result<DataFrame> {
    plan.visit_with_subqueries(&mut OnlyReads)?;
    context.execute_logical_plan(plan).await
}

/// Refuses what writes, wherever it stands in a plan: below EXPLAIN ANALYZE, or prepared for EXECUTE.
struct OnlyReads;

impl<'p> TreeNodeVisitor<'p> for OnlyReads {
    type Node = LogicalPlan;

    fn f_down(&mut self, node: &'p LogicalPlan) -> Result<TreeNodeRecursion> {
        match node {
            LogicalPlan::Copy(_) => return Err(refused_to_write("COPY")),
            LogicalPlan::Dml(change) => return Err(refused_to_write(change.op.name())),
            LogicalPlan::Ddl(definition) => check_definition(definition)?,
            LogicalPlan::Statement(set @ (Statement::SetVariable(_) | Statement::ResetVariable(_))) => {
                return Err(refused(set.name(), "options of the command say how it runs"));
            }
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    }
}

/// Why a statement that writes is not run.
fn refused_to_write(what: &str) -> DataFusionError {
    refused(
        what,
        "SELECT the rows, and save them by `plyfold-sql --out FILE`, or in Python by `to_pandas().to_csv(FILE)` and the like",
    )
}

fn refused(what: &str, instead: &str) -> DataFusionError {
    SqlFailure::usage(format!("{what} is refused, because statements only read: {instead}"))
}

/// Views and tables in memory last as long as the session; the library and files that were named stay what they are.
fn check_definition(definition: &DdlStatement) -> Result<()> {
    match definition {
        DdlStatement::CreateView(view) => check_name(&view.name),
        DdlStatement::CreateMemoryTable(table) => check_name(&table.name),
        DdlStatement::DropView(view) => check_name(&view.name),
        DdlStatement::DropTable(table) => check_name(&table.name),
        DdlStatement::CreateExternalTable(_) => Err(refused(
            "CREATE EXTERNAL TABLE",
            "name the file beside the statement, by `plyfold-sql --file NAME=FILE` or in Python by `open(…, files={NAME: FILE})`",
        )),
        other => Err(refused(other.name(), "CREATE VIEW and CREATE TABLE name rows for the session")),
    }
}

fn check_name(name: &TableReference) -> Result<()> {
    if name.table() != LIBRARY_TABLE {
        return Ok(());
    }
    Err(SqlFailure::usage(format!(
        "`{LIBRARY_TABLE}` is the library, which statements only read: choose another name for a view or a table"
    )))
}
