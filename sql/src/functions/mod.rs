//! The functions of plyfold in SQL: tables and scalars.

mod matches;
mod positions;
mod read_phrase;
mod tables;

use std::sync::Arc;

#[cfg(feature = "cluster")]
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;

pub(crate) use matches::NAME as MATCHES;
#[cfg(feature = "cluster")]
pub(crate) use tables::output_by;

use crate::session::SessionLibraries;

/// Registers all of them.
pub(crate) fn register(context: &SessionContext, libraries: &Arc<SessionLibraries>) {
    tables::register(context, libraries);
    matches::register_rule(context);
    scalars(libraries).into_iter().for_each(|function| context.register_udf(function));
}

/// The scalar functions of a session.
pub(crate) fn scalars(libraries: &Arc<SessionLibraries>) -> Vec<ScalarUDF> {
    [matches::function(libraries)].into_iter().chain(positions::functions(libraries)).collect()
}

/// The session of a function, if it is one of ours.
#[cfg(feature = "cluster")]
pub(crate) fn libraries_of(function: &ScalarUDF) -> Option<&Arc<SessionLibraries>> {
    matches::libraries_of(function).or_else(|| positions::libraries_of(function))
}

/// The type of what the function of this name returns.
#[cfg(feature = "cluster")]
pub(crate) fn return_type(name: &str) -> DataType {
    if name == MATCHES { DataType::Boolean } else { positions::return_type(name) }
}
