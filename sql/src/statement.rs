//! Which statements a session runs: they read, and change nothing but views and tables that statements themselves have made.

use datafusion::common::TableReference;
use datafusion::common::tree_node::{TreeNodeRecursion, TreeNodeVisitor};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{DdlStatement, LogicalPlan, Statement};
use datafusion::prelude::{DataFrame, SessionContext};
use datafusion::sql::parser::DFParser;

use crate::error::SqlFailure;
use crate::session::LIBRARY_TABLE;

/// The setting that names a folder, in which DataFusion would make files.
const FOLDER_SETTING: &str = "datafusion.runtime.temp_directory";

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
            LogicalPlan::Statement(Statement::SetVariable(setting)) => check_setting(&setting.variable)?,
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    }
}

/// Why a statement that writes is not run.
fn refused_to_write(what: &str) -> DataFusionError {
    SqlFailure::usage(format!(
        "{what} is refused, because statements only read: SELECT the rows, and save them by `plyfold-sql --out FILE`, or in Python by \
         `to_pandas().to_csv(FILE)` and the like"
    ))
}

/// Views and tables in memory last as long as the session, and external tables read files; `games` stays what it is.
fn check_definition(definition: &DdlStatement) -> Result<()> {
    match definition {
        DdlStatement::CreateView(view) => check_name(&view.name),
        DdlStatement::CreateMemoryTable(table) => check_name(&table.name),
        DdlStatement::CreateExternalTable(table) => check_name(&table.name),
        DdlStatement::DropView(view) => check_name(&view.name),
        DdlStatement::DropTable(table) => check_name(&table.name),
        other => Err(SqlFailure::usage(format!(
            "{} is refused, because statements only read: CREATE VIEW and CREATE TABLE name rows for the session",
            other.name()
        ))),
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

fn check_setting(name: &str) -> Result<()> {
    if !name.eq_ignore_ascii_case(FOLDER_SETTING) {
        return Ok(());
    }
    Err(SqlFailure::usage(format!(
        "SET {FOLDER_SETTING} is refused, because statements only read: the environment variable TMPDIR names the folder"
    )))
}
