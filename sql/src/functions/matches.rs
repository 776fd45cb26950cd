//! `matches(query)`: whether a game matches a query.
//!
//! As a condition on `games` the call becomes part of the query that the scan runs. Anywhere else it is computed: the games of the
//! session's library that match are found once for each query, and each row is looked up by its column `game`, which an
//! analyzer rule adds to the call.

use std::sync::{Arc, PoisonError};

use datafusion::arrow::array::{Array, BooleanArray, Int64Array};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Column;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::ptr_eq::PtrEq;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::prelude::SessionContext;
use plyfold_core::game::GameId;
use plyfold_core::reduce::ReducerSelection;
use plyfold_core::reduce::game_set::GameSet;

use crate::bound_query::BoundQuery;
use crate::error::SqlFailure;
use crate::session::SessionLibraries;
use crate::whole_scan::scan_shards;

/// The name of the function.
pub(crate) const NAME: &str = "matches";

/// Registers the rule that completes its calls.
pub(super) fn register_rule(context: &SessionContext) {
    context.add_analyzer_rule(Arc::new(AddGameColumn));
}

/// The function of a session.
pub(super) fn function(libraries: &Arc<SessionLibraries>) -> ScalarUDF {
    ScalarUDF::from(MatchesFunction {
        libraries: libraries.clone().into(),
        signature: Signature::one_of(
            vec![
                TypeSignature::Exact(vec![DataType::Utf8]),
                TypeSignature::Exact(vec![DataType::Utf8, DataType::Int64]),
            ],
            Volatility::Immutable,
        ),
    })
}

/// The session of the function, if it is this one.
#[cfg(feature = "cluster")]
pub(super) fn libraries_of(function: &ScalarUDF) -> Option<&Arc<SessionLibraries>> {
    function.inner().downcast_ref::<MatchesFunction>().map(|function| &*function.libraries)
}

/// Adds the column `game` to calls that do not name it.
#[derive(Debug)]
struct AddGameColumn;

impl AnalyzerRule for AddGameColumn {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let added = plan.transform_up_with_subqueries(|node| {
            let games: Vec<Column> = node
                .inputs()
                .iter()
                .flat_map(|input| input.schema().columns())
                .filter(|column| column.name == "game")
                .collect();
            node.map_expressions(|expression| expression.transform_up(|expression| add_game(expression, &games)))
        });
        Ok(added?.data)
    }

    fn name(&self) -> &str {
        "plyfold_matches"
    }
}

fn add_game(expression: Expr, games: &[Column]) -> Result<Transformed<Expr>> {
    match expression {
        Expr::ScalarFunction(ScalarFunction { func, mut args }) if func.name() == NAME && args.len() == 1 => {
            let [game] = games else {
                let what = match games {
                    [] => "there is no column `game` beside it",
                    _ => "several tables beside it have a column `game`",
                };
                return Err(SqlFailure::usage(format!("matches(query): {what}: write matches(query, TABLE.game)")));
            };
            // Projections keep their names, so the plan stays as it is above the call.
            args.push(Expr::Column(game.clone()));
            Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args })))
        }
        other => Ok(Transformed::no(other)),
    }
}

/// The function.
#[derive(PartialEq, Eq, Hash, Debug)]
struct MatchesFunction {
    libraries: PtrEq<Arc<SessionLibraries>>,
    signature: Signature,
}

impl MatchesFunction {
    fn games(&self, text: &str) -> Result<Arc<GameSet>> {
        let mut found = self.libraries.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(games) = found.get(text) {
            return Ok(games.clone());
        }
        let library = &self.libraries.main;
        let query = Arc::new(BoundQuery::read(text, library, &self.libraries.bound_tables())?);
        let selection = ReducerSelection { games: true, ..ReducerSelection::default() };
        let games = scan_shards(library, 0..library.shards(), &query, &selection)?.games.unwrap_or_default();
        Ok(found.entry(text.to_owned()).or_insert(Arc::new(games)).clone())
    }
}

impl ScalarUDFImpl for MatchesFunction {
    fn name(&self) -> &str {
        NAME
    }

    /// The name is that of the call without the column that the rule adds.
    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        Ok(format!("{NAME}({})", args.first().map(ToString::to_string).unwrap_or_default()))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (texts, games) = match &call.args[..] {
            [texts, games] => (texts, games.to_array(call.number_rows)?),
            _ => return Err(SqlFailure::usage("matches(query) stands beside a table of games")),
        };
        let ColumnarValue::Scalar(text) = texts else {
            return Err(SqlFailure::usage("the query of matches(query) is a text and no column"));
        };
        let numbers = games.as_any().downcast_ref::<Int64Array>();
        let Some((text, numbers)) = text.try_as_str().flatten().zip(numbers) else {
            return Ok(ColumnarValue::Array(Arc::new(BooleanArray::new_null(games.len()))));
        };
        let set = self.games(text)?;
        let is_in = |number: i64| {
            let id = number.checked_sub(1).and_then(|id| u32::try_from(id).ok()).filter(|&id| id < set.games());
            id.is_some_and(|id| set.contains(GameId(id)))
        };
        let answers: BooleanArray = numbers.iter().map(|number| number.map(is_in)).collect();
        Ok(ColumnarValue::Array(Arc::new(answers)))
    }
}
