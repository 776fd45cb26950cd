//! Why a statement failed: one sentence, and whether the statement or a file is to blame.

use std::io;

use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use datafusion::sql::sqlparser::parser::ParserError;
use plyfold_core::query::error::QueryError;
use plyfold_library::LibraryError;
use thiserror::Error;

use crate::remote::RemoteFailure;

/// What plyfold itself finds wrong; it travels through DataFusion as an external error.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SqlFailure {
    /// A query in plyfold's language has a mistake.
    #[error("{}\n{}\n(`plyfold predicates` lists what a query can contain)", .0, .0.with_carets(.1).trim_end())]
    Query(QueryError, String),
    /// A function of ours is used in a way that it cannot be.
    #[error("{0}")]
    Usage(String),
    /// A library or a table cannot be opened.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A library on object storage cannot be read.
    #[error(transparent)]
    Remote(#[from] RemoteFailure),
}

impl From<io::Error> for SqlFailure {
    fn from(error: io::Error) -> SqlFailure {
        RemoteFailure::from(error).into()
    }
}

impl From<SqlFailure> for DataFusionError {
    fn from(failure: SqlFailure) -> DataFusionError {
        DataFusionError::External(Box::new(failure))
    }
}

impl SqlFailure {
    /// The failure as DataFusion carries it.
    pub fn usage(what: impl Into<String>) -> DataFusionError {
        SqlFailure::Usage(what.into()).into()
    }

    /// Whether a file is damaged or no corpus, so that the others can be read without it.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(
            self,
            SqlFailure::Library(LibraryError::Corpus { .. } | LibraryError::Unsuitable(..))
                | SqlFailure::Remote(RemoteFailure::Corpus { .. })
        )
    }

    /// Whether the statement has a mistake, rather than a file or the machine.
    #[must_use]
    pub fn is_mistake(error: &DataFusionError) -> bool {
        match error.find_root() {
            DataFusionError::External(cause) => {
                matches!(cause.downcast_ref(), Some(SqlFailure::Query(..) | SqlFailure::Usage(_)))
            }
            DataFusionError::ArrowError(cause, _) => matches!(
                **cause,
                ArrowError::DivideByZero
                    | ArrowError::ArithmeticOverflow(_)
                    | ArrowError::CastError(_)
                    | ArrowError::ComputeError(_)
                    | ArrowError::InvalidArgumentError(_)
                    | ArrowError::ParseError(_)
            ),
            root => matches!(
                root,
                DataFusionError::SQL(..)
                    | DataFusionError::Plan(_)
                    | DataFusionError::SchemaError(..)
                    | DataFusionError::NotImplemented(_)
            ),
        }
    }

    /// The message of an error without the names of the layers that it has passed.
    #[must_use]
    pub fn message(error: &DataFusionError) -> String {
        match error.find_root() {
            DataFusionError::SQL(mistake, _) => match &**mistake {
                ParserError::ParserError(what) | ParserError::TokenizerError(what) => format!("SQL: {what}"),
                ParserError::RecursionLimitExceeded => "SQL: the statement is nested too deep".into(),
            },
            DataFusionError::External(cause) => cause.to_string(),
            DataFusionError::Plan(what) | DataFusionError::NotImplemented(what) => {
                format!(
                    "SQL: {}",
                    DataFusionError::Plan(what.clone()).strip_backtrace().trim_start_matches("Error during planning: ")
                )
            }
            DataFusionError::ArrowError(cause, _) => cause.to_string(),
            DataFusionError::SchemaError(what, _) => format!("SQL: {what}"),
            root => root.strip_backtrace(),
        }
    }
}
