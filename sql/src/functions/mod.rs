//! The functions of plyfold in SQL: tables and scalars.

mod matches;
mod positions;
mod tables;

use std::sync::Arc;

use datafusion::prelude::SessionContext;

pub(crate) use matches::NAME as MATCHES;

use crate::session::SessionLibraries;

/// Registers all of them.
pub(crate) fn register(context: &SessionContext, libraries: &Arc<SessionLibraries>) {
    tables::register(context, libraries);
    matches::register(context, libraries);
    positions::register(context, libraries);
}
