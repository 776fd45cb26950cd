//! A query in plyfold's language, ready for a scan.

use std::sync::LazyLock;

use datafusion::error::{DataFusionError, Result};
use plyfold_core::headers::OpeningNames;
use plyfold_core::query::CompiledQuery;
use plyfold_core::query::error::QueryError;
use plyfold_core::query::phrases::are_plain_words;
use plyfold_core::scan::Query;
use plyfold_core::scan::predicate::{AnnotationTest, PositionPredicate};
use plyfold_core::scan::tables::BoundTables;

use crate::error::SqlFailure;

/// The names of openings.
pub(crate) static OPENING_NAMES: LazyLock<OpeningNames> = LazyLock::new(|| OpeningNames::new(plyfold_openings::LINES));

/// A query and its text.
#[derive(Clone, Debug)]
pub(crate) struct BoundQuery {
    /// As written.
    pub text: String,
    /// Ready for scanning.
    pub query: Query,
}

impl BoundQuery {
    /// Reads a query, which asks these tables.
    ///
    /// # Errors
    ///
    /// The query has a mistake, or names a set, lines or a comment, which SQL cannot search.
    pub fn read(text: &str, tables: &BoundTables) -> Result<BoundQuery> {
        let text = text.trim().to_owned();
        let mut query = match CompiledQuery::read(&text, &OPENING_NAMES) {
            Ok(compiled) => compiled.plan,
            Err(error) if are_plain_words(&text) => {
                let message = format!("{}; `SELECT * FROM read_phrase('…')` reads plain words", error.message);
                return Err(SqlFailure::Query(QueryError { message, ..error }, text).into());
            }
            Err(error) => return Err(SqlFailure::Query(error, text).into()),
        };
        if let Some(name) = query.set_names().next() {
            return Err(unsupported(&format!("the set @{name}"), "export it as CSV or Parquet and join it"));
        }
        if query.predicates.iter().any(|one| matches!(one, PositionPredicate::Annotations(AnnotationTest::Comment(_))))
        {
            return Err(unsupported("comments", "search them by `plyfold query` and export the games"));
        }
        if let Some(name) = query.line_names().first() {
            let what = format!("the lines @{name}");
            return Err(unsupported(&what, "search them by `plyfold query` and export the games"));
        }
        if query.tag_tests().next().is_some() {
            return Err(unsupported("tags", "search them by `plyfold query` and export the games"));
        }
        query.bind_tables(tables);
        Ok(BoundQuery { text, query })
    }

    /// The query with more conditions on the games.
    ///
    /// # Errors
    ///
    /// There are too many conditions.
    pub fn with_conditions<'a>(
        &'a self,
        conditions: impl Iterator<Item = &'a str>,
        tables: &BoundTables,
    ) -> Result<BoundQuery> {
        let own = (!self.text.is_empty()).then_some(&*self.text);
        let mut parts: Vec<&str> = own.into_iter().chain(conditions).collect();
        let text = match parts.len() {
            0 => String::new(),
            1 => parts.remove(0).to_owned(),
            _ => parts.iter().map(|part| format!("({part})")).collect::<Vec<_>>().join(" and "),
        };
        BoundQuery::read(&text, tables)
    }

    /// Whether every game matches, and every position.
    pub fn matches_all(&self) -> bool {
        self.text.is_empty()
    }
}

fn unsupported(what: &str, instead: &str) -> DataFusionError {
    SqlFailure::usage(format!("SQL cannot search {what}: {instead}"))
}
